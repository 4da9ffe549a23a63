/* SPDX-License-Identifier: MIT */
/*
 * Reads the blocks of a log in threads, ahead of the events that are returned.
 *
 * The threads unpack all blocks. Most have only begins and ends of known sites:
 * these are also converted, while the reader's user works with the trace. Every
 * other block may change the trace, so the user applies it, when all events
 * before it were returned. The trace is thus always the same as without threads.
 */
#ifndef LOG_AHEAD_H
#define LOG_AHEAD_H

#include "log_read/log_events.h"
#include "log_read/log_member.h"

struct log_ahead;

/* Whether threads pay for the rest of the file, by trace->request.jobs, or may
 * be used at all: a pipe could block them forever. */
bool log_ahead_is_useful(FILE *file, unsigned jobs);

/*
 * Starts the threads. NULL if that is impossible; then nothing was read.
 *
 * Ownership: `input` and `recording` are borrowed until log_ahead_free(). The
 * input's losses are counted in `losses`, and moved to the trace.
 */
struct log_ahead *log_ahead_new(struct log_input *input,
	struct log_recording *recording, uint64_t *losses);
void log_ahead_free(struct log_ahead *ahead);

/*
 * The next block with events or, then without such, with activities in the
 * recording's device; log_events_begin() was called for it. CTP_END after the
 * last, when the recording is finished.
 *
 * Errors: those of log_input_next() and log_parse_block(); CTP_ERR_FORMAT if no
 * block is sound.
 * Ownership: borrowed until the next call.
 */
enum ctp_status log_ahead_next(struct log_ahead *ahead,
	struct log_events **events, struct ctp_error *err);

/* Bytes of the file used up to the last block returned. */
uint64_t log_ahead_position(const struct log_ahead *ahead);

#endif
