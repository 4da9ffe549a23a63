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

bool file_id_is(const struct file_id *id, int fd)
{
	struct stat found;

	return fd >= 0 && fstat(fd, &found) == 0 && id->inode != 0 &&
	       found.st_dev == id->device && found.st_ino == id->inode;
}

void file_id_close(const struct file_id *id, int fd)
{
	if (file_id_is(id, fd))
		(void)close(fd);
}
