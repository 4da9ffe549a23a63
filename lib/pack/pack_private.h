/* SPDX-License-Identifier: MIT */
/* The packer's state, for pack.c and pack_registry.c. */
#ifndef PACK_PRIVATE_H
#define PACK_PRIVATE_H

#include "base/buffer.h"
#include "log/log_activities.h"
#include "log/log_column.h"
#include "pack/pack.h"

/* Records of a chunk, as many as can lie in one. */
_Static_assert(CHUNK_WORDS / 5 <= LOG_ACTIVITIES_MAX, "a chunk is one block");
#define PACK_DEVICE_SYNCS (CHUNK_WORDS / 3)

/* One instant on two clocks. */
struct pack_device_sync {
	int64_t log_ns;
	int64_t device_ns;
};

struct pack_device {
	struct log_activities activities;
	uint32_t sync_count;
	struct pack_device_sync syncs[PACK_DEVICE_SYNCS];
};

struct packer {
	struct log_writer *writer;
	struct clock_scale scale;
	int64_t min_ns;
	struct pack_track **tracks; /* by number */
	uint32_t track_room;
	struct log_column measured;
	struct log_column timeline;
	struct pack_device device;
	struct log_column_sites sites;
	struct buffer bytes;
	uint64_t event_count;
	int64_t newest_ns;
	uint64_t lost_words;     /* of the chunk that is being packed; and */
	uint64_t lost_untracked; /* of chunks of no track */
	/*
	 * A copy of that chunk's head, and of its words one record at a time
	 * (events) or all new ones (registry). The thread may still write there
	 * by mistake, and checked values must not change.
	 */
	struct chunk copy;
};

/* Writes what was lost of no track, in all; the name is one of a losses
 * block's. */
enum ctp_status packer_trace_loss(struct packer *packer, const char *name,
	uint64_t count, struct ctp_error *err);

/* Writes what is in packer->bytes as a block of this kind. */
enum ctp_status packer_write(
	struct packer *packer, enum log_block kind, struct ctp_error *err);

#endif
