/* SPDX-License-Identifier: MIT */
/* The log's first block: what was recorded, where and how. */
#ifndef LOG_HEADER_H
#define LOG_HEADER_H

#include "clock.h"
#include "log_write.h"
#include "session.h"

enum ctp_status log_header_write(struct log_writer *writer,
	const struct session_options *options, const struct clock_sync *start,
	const struct clock_scale *scale, const char *spool_path,
	struct ctp_error *err);

#endif
