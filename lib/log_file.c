/* SPDX-License-Identifier: MIT */
#include "log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "options.h"
#include "session.h"

#define NAME_TRIES 1000

static int close_for(int fd, int reason)
{
	(void)close(fd);
	errno = reason;
	return -1;
}

/*
 * A log of our own: exclusively made, or locked against other recorders so
 * that a parent and a child with one CTPROF_OUT do not write into each other.
 * Only for writing: whoever has a pipe open for reading as well is not told
 * that its other readers are gone. And a pipe that nobody reads yet is an
 * error rather than a wait.
 */
static int open_log(const char *path, bool exclusive)
{
	int fd = open(path,
		O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK |
			(exclusive ? O_EXCL : 0),
		0666);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return close_for(fd, EEXIST);
	if (ftruncate(fd, 0) != 0 && errno != EINVAL)
		return close_for(fd, errno);
	if (fcntl(fd, F_SETFL, 0) != 0)
		return close_for(fd, errno);
	return fd;
}

int log_file_make(const char *path, bool exclusive, bool child, char *name,
	struct ctp_error *err)
{
	int fd = -1;

	(void)snprintf(name, SESSION_PATH_BYTES, "%s", path);
	errno = EEXIST;
	if (!child)
		fd = open_log(name, exclusive);
	for (int i = 1; fd < 0 && errno == EEXIST && i < NAME_TRIES; i++) {
		options_other_name(
			name, SESSION_PATH_BYTES, path, (long)getpid(), i);
		fd = open_log(name, true);
	}
	if (fd < 0)
		(void)ctp_fail(err, CTP_ERR_IO, ERROR_NO_OFFSET,
			"cannot make %s", name);
	return fd;
}

void log_file_absolute(char *out, size_t size, const char *path)
{
	size_t used = 0;

	if (path[0] != '/' && getcwd(out, size - 1) != NULL) {
		used = strlen(out);
		out[used++] = '/';
	}
	(void)snprintf(out + used, size - used, "%s", path);
}
