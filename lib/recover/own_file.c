/* SPDX-License-Identifier: MIT */
#include "recover/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ctp_status check(int place, struct ctp_error *err)
{
	struct stat found;

	if (fstat(place, &found) != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot look at it");
	if (S_ISLNK(found.st_mode))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is a symbolic link and is not followed; give the path "
			"that it leads to");
	if (!S_ISREG(found.st_mode))
		return ctp_fail(err, CTP_ERR_FORMAT, "is not a file");
	if (found.st_uid != geteuid())
		return ctp_fail(err, CTP_ERR_FORMAT, "belongs to another user");
	return CTP_OK;
}

enum ctp_status own_file_open(const char *path, int *fd, struct ctp_error *err)
{
	int place = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	enum ctp_status status;
	char again[64];

	if (place < 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot open");
	status = check(place, err);
	/* By its number: another file may have the name by now. */
	(void)snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (status == CTP_OK && (*fd = open(again, O_RDWR | O_CLOEXEC)) < 0) {
		if (errno == ENOENT) /* the file is there; /proc is not */
			errno = ENOSYS;
		status = ctp_fail(err, CTP_ERR_IO, "cannot open");
	}
	(void)close(place);
	return status;
}
