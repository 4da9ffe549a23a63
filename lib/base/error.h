/* SPDX-License-Identifier: MIT */
/* Errors: the status, the message and the byte in the input. */
#ifndef ERROR_H
#define ERROR_H

#include <stdint.h>

#include "ctprof.h"

#define ERROR_NO_OFFSET UINT64_MAX

struct ctp_error {
	enum ctp_status status;
	int sys_errno;     /* of CTP_ERR_IO; else 0 */
	uint64_t offset;   /* byte in the input, or ERROR_NO_OFFSET */
	char message[240]; /* no newline, no program or file name */
};

/*
 * Fills `err` (may be NULL) and returns `status`, so that an error is reported
 * and returned in one statement. CTP_ERR_IO keeps errno; the text gets
 * ": strerror" appended.
 */
enum ctp_status ctp_fail(struct ctp_error *err, enum ctp_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for an error at one byte of the input; `offset` may also be an
 * ERROR_NO_OFFSET that another function passed on. */
enum ctp_status ctp_fail_at(struct ctp_error *err, enum ctp_status status,
	uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* CTP_ERR_NOMEM, "out of memory". */
enum ctp_status ctp_no_memory(struct ctp_error *err);

#endif
