/* SPDX-License-Identifier: MIT */
/* The events of one track as the columns of an event block, and what devices
 * did as those of a block of activities. Source: FORMAT.md, blocks 3 and 8. */
#ifndef LOG_COLUMN_H
#define LOG_COLUMN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "log/log_write.h"

/* Most events that we write into one block. */
#define LOG_COLUMN_MAX 8192

/* Values in log_column.ids; a site is stored as site + LOG_COLUMN_SITES,
 * whereas the log has positions in the block's own list. */
enum log_column_id {
	LOG_COLUMN_END = 0,
	LOG_COLUMN_EXTRA = 1,
	LOG_COLUMN_SITES = 1
};

struct log_column {
	uint32_t track;
	uint64_t seq; /* of the track's blocks */
	uint32_t count;
	uint32_t ids[LOG_COLUMN_MAX];
	int64_t times[LOG_COLUMN_MAX];
	struct buffer extras; /* rows, packed */
	uint32_t extra_count;
	/* Ranges open before the first event. */
	bool open_known;
	uint32_t open_count;
	uint32_t open[LOG_OPEN_MAX];
};

void log_column_clear(struct log_column *column);

/* Begins an empty column of a track on which `depth` ranges are open, the
 * outermost first; over LOG_OPEN_MAX, `open` need not have all. Leaves the
 * rows. */
static inline void log_column_begin(struct log_column *column, uint32_t track,
	const uint32_t *open, uint32_t depth)
{
	column->track = track;
	column->count = 0;
	column->open_known = depth <= LOG_OPEN_MAX;
	column->open_count = column->open_known ? depth : 0;
	if (column->open_count > 0)
		memcpy(column->open, open,
			column->open_count * sizeof(column->open[0]));
}

static inline void log_column_add(
	struct log_column *column, uint32_t id, int64_t time_ns)
{
	column->ids[column->count] = id;
	column->times[column->count++] = time_ns;
}

/* Maps values of log_column.ids to the log's values. Initially zero. */
struct log_column_sites {
	uint64_t *local; /* block number << 32 | value, by id */
	uint32_t room;
	uint64_t block;
	uint32_t list[LOG_COLUMN_MAX];
	uint32_t count;
};

void log_column_sites_clear(struct log_column_sites *sites);

/*
 * Writes the column unless it is empty; overwrites its ids. `bytes` is working
 * memory that is reused by each call.
 *
 * Errors: CTP_ERR_NOMEM, those of log_writer_add().
 */
enum ctp_status log_column_write(struct log_column *column,
	struct log_column_sites *sites, struct buffer *bytes,
	struct log_writer *writer, struct ctp_error *err);

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

struct log_activities {
	uint32_t count;
	struct log_activity_row rows[LOG_ACTIVITIES_MAX];
	/* A map or nil for each row; used only if there is any map. */
	bool has_args;
	struct buffer args;
};

/*
 * Writes the block unless it is empty. `bytes` is working memory that is reused
 * by each call.
 *
 * Errors: CTP_ERR_NOMEM, those of log_writer_add().
 */
enum ctp_status log_column_write_activities(
	const struct log_activities *activities, struct buffer *bytes,
	struct log_writer *writer, struct ctp_error *err);

#endif
