/* SPDX-License-Identifier: MIT */
/* What devices did, as the columns of one block of activities. Source:
 * FORMAT.md, block 8. */
#ifndef LOG_ACTIVITIES_H
#define LOG_ACTIVITIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "log/log_write.h"

/* The most that we write into one block. */
#define LOG_ACTIVITIES_MAX 2048

struct log_activity_row {
	int64_t start_ns;
	uint64_t dur_ns; /* at most INT64_MAX; so are bytes */
	uint32_t track;
	uint32_t description; /* 0: none */
	uint64_t correlation; /* 0: none */
	uint64_t bytes;
	uint64_t node; /* 0: none */
};

struct log_activities {
	uint32_t count;
	struct log_activity_row rows[LOG_ACTIVITIES_MAX];
	/* For each row a map, or nil; used only where there is any map. */
	bool has_args;
	struct buffer args;
};

/*
 * Writes the block, if anything is in it. `bytes` is working memory that is
 * kept from call to call.
 *
 * Errors: CTP_ERR_NOMEM, those of log_writer_add().
 */
enum ctp_status log_activities_write(const struct log_activities *activities,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err);

#endif
