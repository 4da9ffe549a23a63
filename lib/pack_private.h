/* SPDX-License-Identifier: MIT */
/* The packer's state, for the files that it is made of. */
#ifndef PACK_PRIVATE_H
#define PACK_PRIVATE_H

#include "pack.h"
#include "pack_column.h"
#include "pack_device.h"

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
};

/* The track of this number, made if it is new; NULL if out of memory. */
struct pack_track *packer_find_track(struct packer *packer, uint32_t number);

/* Writes what is in packer->bytes as a block of this kind. */
enum ctp_status packer_write(
	struct packer *packer, enum log_block kind, struct ctp_error *err);

enum ctp_status packer_no_memory(struct ctp_error *err);

#endif
