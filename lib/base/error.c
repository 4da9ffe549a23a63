/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum ctp_status fill(struct ctp_error *err, enum ctp_status status,
	uint64_t offset, const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));

static enum ctp_status fill(struct ctp_error *err, enum ctp_status status,
	uint64_t offset, const char *format, va_list args)
{
	int saved = errno;

	if (err == NULL)
		return status;
	err->status = status;
	err->sys_errno = status == CTP_ERR_IO ? saved : 0;
	err->offset = offset;
	(void)vsnprintf(err->message, sizeof(err->message), format, args);
	if (err->sys_errno != 0) {
		size_t used = strlen(err->message);

		(void)snprintf(err->message + used, sizeof(err->message) - used,
			": %s", strerror(saved));
	}
	errno = saved;
	return status;
}

enum ctp_status ctp_fail(
	struct ctp_error *err, enum ctp_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	status = fill(err, status, ERROR_NO_OFFSET, format, args);
	va_end(args);
	return status;
}

enum ctp_status ctp_fail_at(struct ctp_error *err, enum ctp_status status,
	uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	status = fill(err, status, offset, format, args);
	va_end(args);
	return status;
}

enum ctp_status ctp_no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, "out of memory");
}
