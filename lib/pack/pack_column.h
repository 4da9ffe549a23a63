/* SPDX-License-Identifier: MIT */
/* What the packer knows of a track when it begins a block of its events. */
#ifndef PACK_COLUMN_H
#define PACK_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "pack/chunk.h"
#include "log/log_column.h"

_Static_assert(CHUNK_WORDS <= LOG_COLUMN_MAX, "a chunk is one block");

/* Where the log was begun by another process. So deep that no chunk's ends
 * bring it down to what can be known. */
#define PACK_DEPTH_UNKNOWN (UINT32_C(1) << 31)

/* What the packer keeps of a track over the whole recording. */
struct pack_track {
	uint64_t blocks;
	uint64_t short_ranges;
	struct chunk_losses losses;
	uint64_t unreadable; /* among dropped_events */
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

/* Begins a column for this track. */
void pack_column_start(struct log_column *column, uint32_t number,
	const struct pack_track *track);

#endif
