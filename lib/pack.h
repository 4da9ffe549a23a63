/* SPDX-License-Identifier: MIT */
/* Turns chunks of records into blocks of the log. */
#ifndef PACK_H
#define PACK_H

#include "chunk.h"
#include "clock.h"
#include "log_write.h"

struct packer;

/*
 * Writes to `writer`, borrowed. Ticks are scaled by `scale`. Ranges that are
 * shorter than `min_ns`, contain nothing that is kept and lie in one chunk are
 * left out and counted. NULL if out of memory.
 */
struct packer *packer_new(
	struct log_writer *writer, struct clock_scale scale, uint64_t min_ns);
void packer_free(struct packer *packer);

/*
 * Reads the records of a thread's chunk that are complete and not yet
 * consumed. Returns through `consumed` how many words of the chunk are in the
 * log after packer_write(); the caller notes it in the chunk.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status packer_read(struct packer *packer, const struct chunk *chunk,
	uint32_t *consumed, struct ctp_error *err);

/*
 * Writes what was read from this chunk as event blocks, and what its track has
 * lost since the last ones. Sites may be packed in between.
 *
 * Errors: those of log_writer_add(), CTP_ERR_NOMEM.
 */
enum ctp_status packer_write(struct packer *packer, const struct chunk *chunk,
	struct ctp_error *err);

/* The same for a chunk of sites and tracks. */
enum ctp_status packer_registry(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err);

/* What a track has lost in all; written if it is new. */
enum ctp_status packer_losses(struct packer *packer, uint32_t track,
	uint64_t ranges, uint64_t events, uint64_t cut_text,
	struct ctp_error *err);

/* Writes the counts of left-out ranges of all tracks. */
enum ctp_status packer_finish(struct packer *packer, struct ctp_error *err);

/* Events in all event blocks so far. */
uint64_t packer_event_count(const struct packer *packer);

/* Log time of the newest event so far. */
int64_t packer_newest_ns(const struct packer *packer);

#endif
