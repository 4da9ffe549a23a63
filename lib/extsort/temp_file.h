/* SPDX-License-Identifier: MIT */
/* A temporary file without a name that grows at its end. */
#ifndef TEMP_FILE_H
#define TEMP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct temp_file {
	int fd;      /* -1: none */
	uint64_t at; /* position of the next bytes */
	uint8_t *waiting;
	size_t waiting_bytes;
};

/* No file: nothing to read or close. */
#define TEMP_FILE_NONE ((struct temp_file){.fd = -1})

/* In $CTPROF_TMPDIR, $TMPDIR or /tmp. Errors: CTP_ERR_IO, CTP_ERR_NOMEM;
 * nothing is open then. */
enum ctp_status temp_file_open(struct temp_file *file, struct ctp_error *err);
void temp_file_close(struct temp_file *file);

/* Small pieces are buffered until a flush. Errors: CTP_ERR_IO. */
enum ctp_status temp_file_add(struct temp_file *file, const void *bytes,
	size_t size, struct ctp_error *err);
enum ctp_status temp_file_flush(struct temp_file *file, struct ctp_error *err);

/* Frees the write buffer when the file no longer grows. */
void temp_file_finish(struct temp_file *file);

/* Reads exactly these bytes, which must have been written. Errors:
 * CTP_ERR_IO. */
enum ctp_status temp_file_read(const struct temp_file *file, uint64_t at,
	void *bytes, size_t size, struct ctp_error *err);

/* The bytes of this range are not read again, so the disk may reuse them. */
void temp_file_forget(
	const struct temp_file *file, uint64_t begin, uint64_t end);

#endif
