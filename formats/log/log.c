/* SPDX-License-Identifier: MIT */
/* Our own log as a format: reads the recorder's logs, and writes other formats
 * as a log. */
#include "format.h"

#include "log/encoder.h"
#include "log_read/log_read.h"
#include "base/memory.h"

/* The recorder's level. */
#define LEVEL 1

struct log_format_writer {
	struct timeline_writer writer; /* first: callers hold a pointer to it */
	struct log_writer *log;
	struct log_encoder *encoder;
};

static enum ctp_status add(struct timeline_writer *writer,
	const struct event *event, struct ctp_error *err)
{
	return log_encoder_add(
		((struct log_format_writer *)writer)->encoder, event, err);
}

static enum ctp_status finish(
	struct timeline_writer *writer, struct ctp_error *err)
{
	return log_encoder_finish(
		((struct log_format_writer *)writer)->encoder, err);
}

static uint64_t pending(const struct timeline_writer *writer)
{
	return log_encoder_pending(
		((const struct log_format_writer *)writer)->encoder);
}

static void log_format_free(struct timeline_writer *writer)
{
	struct log_format_writer *self = (struct log_format_writer *)writer;

	log_encoder_free(self->encoder);
	log_writer_free(self->log);
	memory_free(self);
}

static enum ctp_status log_format_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	struct log_format_writer *self = memory_new_zeroed(1, sizeof(*self));

	(void)options;
	if (self != NULL)
		self->log = log_writer_new_stream(out, LEVEL);
	if (self != NULL && self->log != NULL)
		self->encoder = log_encoder_new(self->log, trace);
	if (self == NULL || self->encoder == NULL) {
		if (self != NULL)
			log_writer_free(self->log);
		memory_free(self);
		return ctp_no_memory(err);
	}
	self->writer = (struct timeline_writer){
		.add = add,
		.finish = finish,
		.free = log_format_free,
		.pending = pending,
	};
	*writer = &self->writer;
	return CTP_OK;
}

const struct format log_format = {
	.name = "log",
	.suffix = ".ctp",
	.summary = "ctprof's own log, as the recorder writes it",
	.binary = true,
	.packed = true,
	.probe = log_read_probe,
	.open_events = log_read_open,
	.new_timeline = log_format_new,
};
