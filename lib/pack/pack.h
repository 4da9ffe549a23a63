/* SPDX-License-Identifier: MIT */
/* Turns chunks of records into blocks of the log. */
#ifndef PACK_H
#define PACK_H

#include "pack/chunk.h"
#include "base/clock.h"
#include "log/log_write.h"
#include "pack/spool.h"

struct packer;

/*
 * Writes to `writer`, borrowed. Ticks are scaled by `scale`. Ranges that are
 * shorter than `min_ns`, contain nothing that is kept and are in one chunk are
 * dropped and counted. NULL if out of memory.
 */
struct packer *packer_new(
	struct log_writer *writer, struct clock_scale scale, uint64_t min_ns);
void packer_free(struct packer *packer);

/*
 * Reads the complete records of a thread's chunk after the first `*consumed`
 * words, which are in the log. Sets `consumed` to the number after
 * packer_write_events(); the caller stores it in the chunk.
 *
 * Only the chunk is read, for any content and even while it changes; invalid
 * records are counted as lost.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status packer_read_events(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err);

/* Counts `words` unreadable words of the chunk read last. Each counts as one
 * dropped event, although events may have several. */
void packer_count_lost(struct packer *packer, uint32_t words);

/*
 * Writes the events read as event blocks, and the track's total losses if they
 * changed. Sites may be packed in between.
 *
 * Errors: those of log_writer_add(), CTP_ERR_NOMEM.
 */
enum ctp_status packer_write_events(struct packer *packer,
	const struct chunk_losses *losses, struct ctp_error *err);

/* The same for a chunk of sites and tracks. */
enum ctp_status packer_write_registry(struct packer *packer,
	const struct chunk *chunk, uint32_t *consumed, struct ctp_error *err);

/* Writes a track's total losses if they changed. */
enum ctp_status packer_write_losses(struct packer *packer, uint32_t track,
	const struct chunk_losses *losses, struct ctp_error *err);

/* Writes how many earlier events were not kept, in total. */
enum ctp_status packer_write_earlier(
	struct packer *packer, uint64_t count, struct ctp_error *err);

/* Writes the counts of dropped ranges of all tracks, and losses without a
 * track. */
enum ctp_status packer_finish(struct packer *packer, struct ctp_error *err);

/*
 * For continuing a log of another process. For a track: the number of its next
 * block, whether blocks were lost after it, and the numbers of the last losses
 * block. Tracks are below LOG_TRACKS_MAX. False if out of memory.
 */
void packer_resume(struct packer *packer, uint64_t events, int64_t newest_ns);
bool packer_resume_blocks(
	struct packer *packer, uint32_t track, uint64_t blocks);
bool packer_resume_gap(struct packer *packer, uint32_t track);
bool packer_resume_loss(struct packer *packer, uint32_t track, const char *name,
	uint64_t count);

/* The sites of the ranges open on a track after the packed events, outermost
 * first: `depth` of them, of which the first LOG_OPEN_MAX are kept. Borrowed
 * until the next call. */
const uint32_t *packer_open_ranges(
	const struct packer *packer, uint32_t track, uint32_t *depth);

/* Ranges and other events that the losses in the log count as dropped. */
struct packer_lost {
	uint64_t ranges;
	uint64_t events;
};

struct packer_lost packer_lost(const struct packer *packer);

/* Events in all event blocks so far. */
uint64_t packer_event_count(const struct packer *packer);

/* Log time of the newest event so far. */
int64_t packer_newest_ns(const struct packer *packer);

/* The blocks around the events: the header, the clock's sync entries, the
 * end. */

/* Writes the header block from the spool's header, whose scale is known. */
enum ctp_status log_frame_header(struct log_writer *writer,
	const struct spool_header *spool, const char *spool_path,
	struct ctp_error *err);

/* Writes a sync entry. */
enum ctp_status log_frame_sync(struct log_writer *writer,
	const struct clock_scale *scale, const struct clock_sync *sync,
	struct ctp_error *err);

/*
 * The block for losses after the log could not be written, with zeros: a full
 * disk has no room for it later. `at` is set to its place. The other one, which
 * is false if it fails, fills it in.
 */
enum ctp_status log_frame_reserve(
	struct log_writer *writer, uint64_t *at, struct ctp_error *err);
bool log_frame_set_unwritten(
	struct log_writer *writer, uint64_t at, const struct packer_lost *lost);

/* Such a block, with what is known after the rest was written. */
enum ctp_status log_frame_unwritten(struct log_writer *writer,
	const struct packer_lost *lost, struct ctp_error *err);

struct log_frame_totals {
	int64_t log_ns; /* when recording stopped */
	uint64_t events;
	uint64_t stalls;
	uint64_t stall_ns;
	uint64_t unrecorded; /* forked processes without a log */
	bool recovered; /* by another process, after the recorder's death */
	const char *stopped; /* why recording ended before the program; NULL: it
	                      * did not */
};

enum ctp_status log_frame_end(struct log_writer *writer,
	const struct log_frame_totals *totals, struct ctp_error *err);

#endif
