/* SPDX-License-Identifier: MIT */
/* The packer's state, for the files that it is made of. */
#ifndef PACK_PRIVATE_H
#define PACK_PRIVATE_H

#include "pack/pack.h"
#include "pack/pack_column.h"
#include "pack/pack_device.h"

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
	 * Of that chunk: what its head says, and of its words one record at a
	 * time (events) or all that are new (registry). Who recorded it may
	 * still write there, if by mistake: what was checked is to stay so.
	 */
	struct chunk copy;
};

/* The track of this number, made if it is new; NULL if out of memory. */
struct pack_track *packer_find_track(struct packer *packer, uint32_t number);

/* Writes what was lost of no track, in all; the name is one of a losses
 * block's. */
enum ctp_status packer_trace_loss(struct packer *packer, const char *name,
	uint64_t count, struct ctp_error *err);

/* Counts what cannot be read of the chunk that is being packed. */
enum ctp_status packer_note_lost(struct packer *packer, struct ctp_error *err);

/* Writes what is in packer->bytes as a block of this kind. */
enum ctp_status packer_write(
	struct packer *packer, enum log_block kind, struct ctp_error *err);

enum ctp_status packer_no_memory(struct ctp_error *err);

#endif
