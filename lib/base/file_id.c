/* SPDX-License-Identifier: MIT */
#include "base/file_id.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/close_range.h, which is newer than some systems. */
#define UNSHARE 2U
/* Keep standard error open: other code in the thread may use it. */
#define FIRST_FD 3

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

bool file_id_leave_program(void)
{
#ifdef SYS_close_range
	return syscall(SYS_close_range, 0U, ~0U, UNSHARE) == 0;
#else
	return false;
#endif
}

int file_id_open(const struct file_id *id, const char *path)
{
	int any = open(path,
		O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	int fd = -1;
	struct stat found;

	if (any < 0)
		return -1;
	/* The lock belongs to the open file, not to the descriptor. If the file
	 * system has no locks, nobody else has one either. */
	if (fstat(any, &found) == 0 && S_ISREG(found.st_mode) &&
		equal(id, &found) &&
		(flock(any, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK))
		fd = fcntl(any, F_DUPFD_CLOEXEC, FIRST_FD);
	(void)close(any);
	return fd;
}
