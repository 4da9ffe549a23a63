/* SPDX-License-Identifier: MIT */
/* Turns chunks of records into blocks of the log. */
#ifndef PACK_H
#define PACK_H

#include "pack/chunk.h"
#include "base/clock.h"
#include "log/log_write.h"

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
 * Reads the records of a thread's chunk that are complete, after the
 * `*consumed` words that are in the log. Returns through `consumed` how many
 * are after packer_write_events(); the caller notes it in the chunk.
 *
 * Only the chunk is read, for any content and even while it changes; invalid
 * records are counted as lost.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status packer_read_events(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err);

/* `words` words of the chunk that was read last cannot be read. Events have one
 * or more, and each word counts as one dropped event. */
void packer_count_lost(struct packer *packer, uint32_t words);

/*
 * Writes what was read as event blocks, and what its track has lost, in all,
 * since the last ones. Sites may be packed in between.
 *
 * Errors: those of log_writer_add(), CTP_ERR_NOMEM.
 */
enum ctp_status packer_write_events(struct packer *packer,
	const struct chunk_losses *losses, struct ctp_error *err);

/* The same for a chunk of sites and tracks. */
enum ctp_status packer_write_registry(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err);

/* A track's total losses; written if they are new. */
enum ctp_status packer_write_losses(struct packer *packer, uint32_t track,
	const struct chunk_losses *losses, struct ctp_error *err);

/* Writes the counts of left-out ranges of all tracks, and what was lost of
 * none. */
enum ctp_status packer_finish(struct packer *packer, struct ctp_error *err);

/*
 * To go on with a log that another process began. For a track: the number of
 * its next block, whether blocks were lost after that one, and the last losses
 * block, number by number. Tracks are below LOG_TRACKS_MAX. False if out of
 * memory.
 */
void packer_resume(struct packer *packer, uint64_t events, int64_t newest_ns);
bool packer_resume_blocks(
	struct packer *packer, uint32_t track, uint64_t blocks);
bool packer_resume_gap(struct packer *packer, uint32_t track);
bool packer_resume_loss(struct packer *packer, uint32_t track, const char *name,
	uint64_t count);

/* The sites of the ranges that are open on a track after what was packed,
 * outermost first: `depth` of them, the first LOG_OPEN_MAX of which are kept.
 * Borrowed until the next call. */
const uint32_t *packer_open_ranges(
	const struct packer *packer, uint32_t track, uint32_t *depth);

/* Events in all event blocks so far. */
uint64_t packer_event_count(const struct packer *packer);

/* Log time of the newest event so far. */
int64_t packer_newest_ns(const struct packer *packer);

#endif
