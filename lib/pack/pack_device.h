/* SPDX-License-Identifier: MIT */
/* What devices did, from a chunk into blocks of its own. */
#ifndef PACK_DEVICE_H
#define PACK_DEVICE_H

#include "base/buffer.h"
#include "pack/chunk.h"
#include "base/clock.h"
#include "log/log_activities.h"

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

/* Is this a record of devices? */
static inline bool pack_device_is(enum chunk_long kind)
{
	return kind == CHUNK_ACTIVITY || kind == CHUNK_DEVICE_SYNC;
}

/* Takes in such a record; one that makes no sense is left out. */
void pack_device_add(struct pack_device *device,
	const struct clock_scale *scale, struct chunk_head head,
	const uint64_t *record);

/*
 * Writes a block of the syncs, if there were any; it is to be before that of
 * the activities. `bytes` is working memory that is kept from call to call.
 *
 * Errors: those of log_writer_add(), CTP_ERR_NOMEM.
 */
enum ctp_status pack_device_write_syncs(const struct pack_device *device,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err);

#endif
