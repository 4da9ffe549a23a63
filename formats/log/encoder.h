/* SPDX-License-Identifier: MIT */
/*
 * Writes events from any source as a log: log_read.h reads the same events back
 * on each track.
 *
 * Events are held in memory, bounded for any number of tracks, until a track
 * has enough of them for a block. So the order between tracks changes, but a
 * device API call precedes its activities, as in every log.
 */
#ifndef LOG_ENCODER_H
#define LOG_ENCODER_H

#include "trace/event.h"
#include "log/log_write.h"

struct log_encoder;

/* Both are borrowed. NULL if out of memory. */
struct log_encoder *log_encoder_new(
	struct log_writer *writer, struct trace *trace);
void log_encoder_free(struct log_encoder *encoder);

/*
 * Text over 1 MiB is cut, and arguments over an event's limit are left out;
 * both are counted in the trace.
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_LIMIT for more sites or tracks than a log
 * may have; those of log_writer_add().
 */
enum ctp_status log_encoder_add(struct log_encoder *encoder,
	const struct event *event, struct ctp_error *err);

/* Estimated size of the pending events in the log, in bytes. */
uint64_t log_encoder_pending(const struct log_encoder *encoder);

/* Writes the pending events and the facts about the recording; errors
 * likewise. */
enum ctp_status log_encoder_finish(
	struct log_encoder *encoder, struct ctp_error *err);

#endif
