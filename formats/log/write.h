/* SPDX-License-Identifier: MIT */
/*
 * Writes events, wherever they come from, as a log: what log_read.h reads
 * back is the same, event for event on each track.
 *
 * Events wait in memory, which has a bound however many tracks there are,
 * until there are enough of a track for a block; so tracks come in another
 * order than they came in. But a call of a device's API stands before what it
 * caused, as in every log.
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
 * Text of over 1 MiB is cut, and arguments that are beyond what an event may
 * carry are left out; both are counted in the trace.
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_LIMIT for more sites or tracks than a log
 * may have; those of log_writer_add().
 */
enum ctp_status log_out_add(
	struct log_out *out, const struct event *event, struct ctp_error *err);

/* About how many bytes what waits will be in the log. */
uint64_t log_out_pending(const struct log_out *out);

/* Writes what waits, and what is known of the recording; likewise. */
enum ctp_status log_out_finish(struct log_out *out, struct ctp_error *err);

#endif
