/* SPDX-License-Identifier: MIT */
/* Activities of devices, as the columns of a block. Source: FORMAT.md, block 8. */
#ifndef LOG_ACTIVITIES_H
#define LOG_ACTIVITIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "log/log_write.h"
#include "log/msgpack_out.h"

/* The most activities that we write into one block. */
#define LOG_ACTIVITIES_MAX 2048

struct log_activity_row {
	int64_t start_ns;
	uint64_t dur_ns; /* at most INT64_MAX, like bytes */
	uint32_t track;
	uint32_t description; /* 0: none */
	uint64_t correlation; /* 0: none */
	uint64_t bytes;
	uint64_t node; /* 0: none */
};

enum log_activity_column {
	LOG_ACTIVITY_STARTS,
	LOG_ACTIVITY_DURATIONS,
	LOG_ACTIVITY_TRACKS,
	LOG_ACTIVITY_DESCRIPTIONS,
	LOG_ACTIVITY_CORRELATIONS,
	LOG_ACTIVITY_BYTES,
	LOG_ACTIVITY_NODES,
	LOG_ACTIVITY_COLUMNS
};

/* The columns are packed while activities are added, so that each is touched
 * once. All zeros is an empty block. */
struct log_activities {
	uint32_t count;
	int64_t base_ns;              /* start of the first one */
	struct log_activity_row last; /* the last one */
	uint64_t all_bytes;           /* the bits of all values */
	uint64_t all_nodes;           /* likewise */
	/* A map or nil for each activity; used only if there is any map. */
	bool has_args;
	struct buffer args;
	uint32_t sizes[LOG_ACTIVITY_COLUMNS]; /* in bytes */
	uint8_t columns[LOG_ACTIVITY_COLUMNS]
		       [LOG_ACTIVITIES_MAX * MSGPACK_OUT_INT_MAX];
};

/* Removes all activities and arguments. */
void log_activities_reset(struct log_activities *activities);

/* Adds an activity; there are fewer than LOG_ACTIVITIES_MAX. */
void log_activities_add(
	struct log_activities *activities, const struct log_activity_row *row);

/*
 * Writes the block unless it is empty. `bytes` is working memory that is reused
 * by each call.
 *
 * Errors: CTP_ERR_NOMEM, those of log_writer_add().
 */
enum ctp_status log_activities_write(const struct log_activities *activities,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err);

#endif
