/* SPDX-License-Identifier: MIT */
#include "file_id.h"

#include <sys/stat.h>
#include <unistd.h>

struct file_id file_id_of(int fd)
{
	struct stat found;

	if (fd < 0 || fstat(fd, &found) != 0)
		return (struct file_id){0};
	return (struct file_id){found.st_dev, found.st_ino};
}

static bool equal(const struct file_id *id, const struct stat *found)
{
	return id->inode != 0 && found->st_dev == id->device &&
	       found->st_ino == id->inode;
}

bool file_id_is(const struct file_id *id, int fd)
{
	struct stat found;

	return fd >= 0 && fstat(fd, &found) == 0 && equal(id, &found);
}

bool file_id_is_at(const struct file_id *id, const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && equal(id, &found);
}

void file_id_close(const struct file_id *id, int fd)
{
	if (file_id_is(id, fd))
		(void)close(fd);
}
