/* SPDX-License-Identifier: MIT */
/* The events of one track as the columns of an event block. Source: FORMAT.md,
 * block 3. */
#ifndef LOG_COLUMN_H
#define LOG_COLUMN_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "log/log_write.h"
#include "log/msgpack_out.h"

/* Most events that we write into one block. */
#define LOG_COLUMN_MAX 8192

/* Events as log_column_add() takes them; other numbers are sites, whereas the
 * log has positions in the block's own list. */
enum log_column_id { LOG_COLUMN_END = 0, LOG_COLUMN_EXTRA = LOG_SITES_MAX };

/* Bytes of the elements before the times, at most. */
#define LOG_COLUMN_HEAD_MAX 32
/* Ids are positions in the list of sites, and so below 2^16. */
#define LOG_COLUMN_ID_MAX 3
/* LOG_ID_EXTRA, packed. */
#define LOG_COLUMN_PACKED_EXTRA (UINT32_C(1) << 24 | LOG_ID_EXTRA)
/* Times since the event before, in ns, that are packed by a table. */
#define LOG_COLUMN_SHORT 1024

/* The columns are packed while events are added, so that each event is touched
 * once. */
struct log_column {
	uint32_t track;
	uint64_t seq; /* of the track's blocks */
	uint32_t count;
	int64_t first_ns;     /* time of the first event, */
	int64_t last_ns;      /* and of the last one */
	struct buffer extras; /* rows, packed */
	uint32_t extra_count;
	/* Ranges open before the first event. */
	bool open_known;
	uint32_t open_count;
	uint32_t open[LOG_OPEN_MAX];
	/* The integer in the log, packed, in the first three bytes, and above
	 * them how many they are: by site, and by time. 0: a site that is not
	 * in the block. */
	uint32_t *local;
	uint32_t room;
	uint32_t short_times[LOG_COLUMN_SHORT];
	uint32_t list[LOG_COLUMN_MAX]; /* the block's sites */
	uint32_t site_count;
	bool failed;         /* out of memory */
	struct buffer bytes; /* the times, after room for the head */
	uint8_t *times_end;
	uint8_t *ids_end;
	uint8_t ids[LOG_COLUMN_MAX * LOG_COLUMN_ID_MAX + sizeof(uint32_t)];
};

void log_column_clear(struct log_column *column);

/* Begins an empty column of a track on which `depth` ranges are open, the
 * outermost first; over LOG_OPEN_MAX, `open` need not have all. Leaves the
 * rows. */
void log_column_begin(struct log_column *column, uint32_t track,
	const uint32_t *open, uint32_t depth);

/* The slow path of log_column_id(). */
uint32_t log_column_new_id(struct log_column *column, uint32_t id);

/* The packed integer for a site or LOG_COLUMN_END. */
static inline uint32_t log_column_id(struct log_column *column, uint32_t id)
{
	uint32_t packed = id < column->room ? column->local[id] : 0;

	return packed != 0 ? packed : log_column_new_id(column, id);
}

/* Stores a packed integer, and returns the byte after it. */
static inline uint8_t *log_column_put(uint8_t *at, uint32_t packed)
{
	const uint32_t word = htole32(packed);

	memcpy(at, &word, sizeof(word));
	return at + (packed >> 24);
}

/* Stores the time since the event before, modulo 2^64 like the reader's sum. */
static inline uint8_t *log_column_put_time(
	const struct log_column *column, uint8_t *at, uint64_t delta_ns)
{
	if (delta_ns < LOG_COLUMN_SHORT)
		return log_column_put(at, column->short_times[delta_ns]);
	return msgpack_out_int(at, (int64_t)delta_ns);
}

static inline void log_column_add(
	struct log_column *column, uint32_t id, int64_t time_ns)
{
	if (column->failed)
		return;
	if (column->count++ == 0) {
		column->first_ns = time_ns;
		column->last_ns = time_ns;
	}
	column->times_end = log_column_put_time(column, column->times_end,
		(uint64_t)time_ns - (uint64_t)column->last_ns);
	column->last_ns = time_ns;
	column->ids_end = log_column_put(column->ids_end,
		id == LOG_COLUMN_EXTRA ? LOG_COLUMN_PACKED_EXTRA
				       : log_column_id(column, id));
}

/*
 * Writes the column unless it is empty.
 *
 * Errors: CTP_ERR_NOMEM, also if an event could not be added; those of
 * log_writer_add().
 */
enum ctp_status log_column_write(struct log_column *column,
	struct log_writer *writer, struct ctp_error *err);

/*
 * Sets the parts in which our writer packs a block of events or activities. The
 * times are not searched for repetitions; the ids of events are searched if they
 * have any; and so is the rest.
 */
#define LOG_COLUMN_PARTS 3
void log_column_parts(
	struct cursor block, struct deflate_part parts[LOG_COLUMN_PARTS]);

#endif
