/* SPDX-License-Identifier: MIT */
#include "extsort/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"

#define WAITING_BYTES ((size_t)256 << 10)

static const char *directory(void)
{
	static const char *const variables[] = {"CTPROF_TMPDIR", "TMPDIR"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = environment_find(variables[i]);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return "/tmp";
}

/* A full disk has a specific message. */
static enum ctp_status refuse(struct ctp_error *err)
{
	const char *what = errno == ENOSPC || errno == EDQUOT || errno == EFBIG
				   ? "no room for"
				   : "cannot store";

	return ctp_fail(err, CTP_ERR_IO,
		"%s temporary data in %.120s; set CTPROF_TMPDIR to "
		"another directory",
		what, directory());
}

static int open_unnamed(void)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/ctprof.XXXXXX", directory()) < 0) {
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	free(path);
	return fd;
}

enum ctp_status temp_file_open(struct temp_file *file, struct ctp_error *err)
{
	uint8_t *waiting = memory_new(WAITING_BYTES);
	int fd;

	if (waiting == NULL)
		return ctp_no_memory(err);
	fd = open_unnamed();
	if (fd < 0) {
		enum ctp_status status = refuse(err);

		memory_free(waiting);
		return status;
	}
	*file = (struct temp_file){.fd = fd, .waiting = waiting};
	return CTP_OK;
}

void temp_file_close(struct temp_file *file)
{
	if (file->fd >= 0)
		(void)close(file->fd);
	memory_free(file->waiting);
	*file = TEMP_FILE_NONE;
}

void temp_file_finish(struct temp_file *file)
{
	memory_free(file->waiting);
	file->waiting = NULL;
}

static enum ctp_status write_out(struct temp_file *file, const uint8_t *bytes,
	size_t size, struct ctp_error *err)
{
	while (size > 0) {
		ssize_t done = pwrite(file->fd, bytes, size, (off_t)file->at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return refuse(err);
		bytes += done;
		size -= (size_t)done;
		file->at += (uint64_t)done;
	}
	return CTP_OK;
}

enum ctp_status temp_file_flush(struct temp_file *file, struct ctp_error *err)
{
	enum ctp_status status =
		write_out(file, file->waiting, file->waiting_bytes, err);

	file->waiting_bytes = 0;
	return status;
}

enum ctp_status temp_file_add(struct temp_file *file, const void *bytes,
	size_t size, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (size > WAITING_BYTES - file->waiting_bytes)
		status = temp_file_flush(file, err);
	if (status != CTP_OK)
		return status;
	if (size > WAITING_BYTES)
		return write_out(file, bytes, size, err);
	memcpy(file->waiting + file->waiting_bytes, bytes, size);
	file->waiting_bytes += size;
	return CTP_OK;
}

enum ctp_status temp_file_read(const struct temp_file *file, uint64_t at,
	void *bytes, size_t size, struct ctp_error *err)
{
	uint8_t *to = bytes;

	while (size > 0) {
		ssize_t got = pread(file->fd, to, size, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EIO;
		if (got <= 0)
			return ctp_fail(err, CTP_ERR_IO,
				"cannot read temporary data back");
		to += got;
		size -= (size_t)got;
		at += (uint64_t)got;
	}
	return CTP_OK;
}

void temp_file_forget(
	const struct temp_file *file, uint64_t begin, uint64_t end)
{
	/* Some file systems do not support it; the space is freed at the end
	 * then. */
	(void)fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)begin, (off_t)(end - begin));
}
