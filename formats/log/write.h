/* SPDX-License-Identifier: MIT */
/*
 * Writes events from any source as a log: log_read.h reads the same events back
 * on each track.
 *
 * Events are held in memory, bounded for any number of tracks, until a track
 * has enough of them for a block. So the order between tracks changes, but a
 * device API call precedes its activities, as in every log.
 */
#ifndef FORMATS_LOG_WRITE_H
#define FORMATS_LOG_WRITE_H

#include "trace/event.h"
#include "log/log_write.h"

struct log_out;

/* Both are borrowed. NULL if out of memory. */
struct log_out *log_out_new(struct log_writer *writer, struct trace *trace);
void log_out_free(struct log_out *out);

/*
 * Text over 1 MiB is cut, and arguments over an event's limit are left out;
 * both are counted in the trace.
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_LIMIT for more sites or tracks than a log
 * may have; those of log_writer_add().
 */
enum ctp_status log_out_add(
	struct log_out *out, const struct event *event, struct ctp_error *err);

/* Estimated size of the pending events in the log, in bytes. */
uint64_t log_out_pending(const struct log_out *out);

/* Writes the pending events and the facts about the recording; errors
 * likewise. */
enum ctp_status log_out_finish(struct log_out *out, struct ctp_error *err);

#endif
