/* SPDX-License-Identifier: MIT */
/*
 * torch_trace: the structured logs of torch.compile. PyTorch writes one file for
 * each rank to the directory TORCH_TRACE. torch_log.h makes a Chrome trace of the
 * log, for the reader of these.
 */
#include "base/memory.h"
#include "format.h"
#include "torch_trace/torch_log.h"

/* The probe's confidence: a line with a time, a place and an object. */
#define BITS_OF_RECORD 110

struct torch_source {
	struct event_source source; /* first: callers hold a pointer to it */
	struct torch_log *log;
	bool is_reported;
};

static unsigned probe(const void *bytes, size_t size)
{
	return torch_log_probe(bytes, size) ? BITS_OF_RECORD : 0;
}

static struct torch_source *source_of(struct event_source *source)
{
	return (struct torch_source *)(void *)source;
}

/* The inner source reads the whole log before its first event. */
static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct torch_source *torch = source_of(source);
	enum ctp_status status = source->inner->next(source->inner, event, err);
	enum ctp_status report = CTP_OK;

	if (torch->is_reported)
		return status;
	torch->is_reported = true;
	if (status == CTP_OK || status == CTP_END)
		report = torch_log_report(torch->log, source->trace, err);
	return report == CTP_OK ? status : report;
}

static uint64_t position(const struct event_source *source)
{
	return torch_log_position(
		((const struct torch_source *)(const void *)source)->log);
}

static void close_source(struct event_source *source)
{
	struct torch_source *torch = source_of(source);

	if (source->inner != NULL)
		source->inner->close(source->inner);
	torch_log_close(torch->log);
	memory_free(torch);
}

static enum ctp_status open_trace(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	struct torch_source *torch = memory_new_zeroed(1, sizeof(*torch));
	struct event_source *inner = NULL;
	enum ctp_status status;

	if (torch == NULL)
		return ctp_no_memory(err);
	status = torch_log_open(&torch->log, in, head, head_size, err);
	if (status == CTP_OK)
		status = format_open(&chrome_format,
			torch_log_stream(torch->log), NULL, 0, request, &inner,
			err);
	if (status != CTP_OK) {
		close_source(&torch->source);
		return status;
	}
	event_source_wrap(&torch->source, inner, next, close_source);
	torch->source.position = position;
	*out = &torch->source;
	return CTP_OK;
}

const struct format torch_trace_format = {
	.name = "torch_trace",
	.summary = "torch.compile's structured log (TORCH_TRACE)",
	.probe = probe,
	.open_events = open_trace,
};
