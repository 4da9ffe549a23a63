/* SPDX-License-Identifier: MIT */
#include "recorder/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pack/options.h"

#define NAME_TRIES 1000
#define NAME_MOST 120 /* half of an error's message */

static int close_for(int fd, int reason)
{
	(void)close(fd);
	errno = reason;
	return -1;
}

/* Names of the program's own open files. */
static bool is_descriptor(const char *path)
{
	static const char *const names[] = {
		"/dev/fd/", "/proc/self/fd/", "/dev/stdout", "/dev/stderr"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/*
 * A file of this name exists. In a directory to which others may write, it may
 * be there so that we write into a file of ours, or into one that they read.
 * Only for writing: a process that has a pipe open for reading as well does not
 * notice that its other readers are gone. And a pipe that nobody reads yet is
 * an error rather than a wait.
 */
static int open_existing(const char *path, const char **why)
{
	int follow = is_descriptor(path) ? 0 : O_NOFOLLOW;
	int fd = open(
		path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow);
	struct stat found;

	if (fd < 0 && errno == ELOOP && follow != 0)
		*why = "is a symbolic link and is not followed; give the path "
		       "that it leads to";
	if (fd < 0 || follow == 0 || fstat(fd, &found) != 0 ||
		S_ISCHR(found.st_mode) || found.st_uid == geteuid())
		return fd;
	*why = "belongs to another user; remove it, or write to another file";
	return close_for(fd, EPERM);
}

/*
 * A log of our own: exclusively made, or locked against other recorders so
 * that a parent and a child with one CTPROF_OUT do not write into each other.
 */
static int open_log(const char *path, bool exclusive, const char **why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0 && errno == EEXIST && !exclusive)
		fd = open_existing(path, why);
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
	const char *why = NULL;
	int fd = -1;

	(void)snprintf(name, OPTIONS_PATH_BYTES, "%s", path);
	errno = EEXIST;
	if (!child)
		fd = open_log(name, exclusive, &why);
	for (int i = 1; fd < 0 && errno == EEXIST && i < NAME_TRIES; i++) {
		options_other_name(
			name, OPTIONS_PATH_BYTES, path, (long)getpid(), i);
		fd = open_log(name, true, &why);
	}
	if (fd >= 0)
		return fd;
	if (why != NULL)
		errno = 0; /* its name adds nothing */
	(void)ctp_fail(err, CTP_ERR_IO, "cannot make %.*s%s%s",
		why == NULL ? INT_MAX : NAME_MOST, name,
		why == NULL ? "" : ": it ", why == NULL ? "" : why);
	return -1;
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
