/* SPDX-License-Identifier: MIT */
/* The events of one track on their way into one event block. */
#ifndef PACK_COLUMN_H
#define PACK_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer.h"
#include "chunk.h"
#include "log_write.h"

/* Values in pack_column.ids; sites stand as site + PACK_ID_SITES, where the
 * log has positions in the block's own list. */
enum pack_id { PACK_ID_END = 0, PACK_ID_EXTRA = 1, PACK_ID_SITES = 1 };

/* Where the log was begun by another process. So deep that no chunk's ends
 * bring it down to what can be known. */
#define PACK_DEPTH_UNKNOWN (UINT32_C(1) << 31)

/* What the packer keeps of a track over the whole recording. */
struct pack_track {
	uint64_t blocks;
	uint64_t short_ranges;
	struct chunk_losses losses;
	bool losses_changed;
	uint32_t depth; /* over LOG_OPEN_MAX: open[] has not all */
	/* Sites of the open ranges; what is at `depth` and above is no more.
	 * As long as that, and while a chunk is read as long as may be. */
	uint32_t *open;
	bool wide; /* that is so now */
};

/* Before and after a chunk is read: room for whatever it opens, false if out
 * of memory; no more than is needed, since there may be many threads. */
bool pack_track_widen(struct pack_track *track);
void pack_track_narrow(struct pack_track *track);

struct pack_column {
	uint32_t track;
	uint32_t count;
	uint32_t ids[CHUNK_WORDS];
	int64_t times[CHUNK_WORDS];
	struct buffer extras; /* rows, packed */
	uint32_t extra_count;
	/* Ranges open before the first event. */
	bool open_known;
	uint32_t open_count;
	uint32_t open[LOG_OPEN_MAX];
};

/* Begins a column for this track. */
void pack_column_start(struct pack_column *column, uint32_t number,
	const struct pack_track *track);

static inline void pack_column_add(
	struct pack_column *column, uint32_t id, int64_t time_ns)
{
	column->ids[column->count] = id;
	column->times[column->count++] = time_ns;
}

/* Values of pack_column.ids to what the log has in their place. */
struct pack_sites {
	uint64_t *local; /* block number << 32 | value, by id */
	uint32_t room;
	uint64_t block;
	uint32_t list[CHUNK_WORDS];
	uint32_t count;
};

/*
 * Writes the column as one event block, if there is any event in it. `bytes`
 * is working memory that is kept from call to call.
 */
enum ctp_status pack_column_write(struct pack_column *column,
	struct pack_track *track, struct pack_sites *sites,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err);

#endif
