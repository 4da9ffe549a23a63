/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum ctp_status ctp_fail(struct ctp_error *err, enum ctp_status status,
	uint64_t offset, const char *format, ...)
{
	int saved = errno;
	va_list args;

	if (err == NULL)
		return status;
	err->status = status;
	err->sys_errno = status == CTP_ERR_IO ? saved : 0;
	err->offset = offset;
	va_start(args, format);
	(void)vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	if (err->sys_errno != 0) {
		size_t used = strlen(err->message);

		(void)snprintf(err->message + used, sizeof(err->message) - used,
			": %s", strerror(saved));
	}
	errno = saved;
	return status;
}
