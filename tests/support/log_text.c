/* SPDX-License-Identifier: MIT */
#include "log_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "log_read/log_read.h"
#include "quick_check.h"

static const char *const kinds[] = {
	[EVENT_BEGIN] = "begin",
	[EVENT_END] = "end",
	[EVENT_ARGS] = "arg",
	[EVENT_COMPLETE] = "complete",
	[EVENT_WHOLE] = "whole",
	[EVENT_ASYNC_BEGIN] = "async_begin",
	[EVENT_ASYNC_END] = "async_end",
	[EVENT_INSTANT] = "instant",
	[EVENT_COUNTER] = "counter",
	[EVENT_ALLOC] = "alloc",
	[EVENT_FREE] = "free",
	[EVENT_STEP] = "step",
	[EVENT_CORRELATION] = "correlation",
	[EVENT_ACTIVITY] = "activity",
	[EVENT_FLOW] = "flow",
};

static const char *const flows[] = {
	[FLOW_START] = "start", [FLOW_STEP] = "step", [FLOW_END] = "end"};

static void put_arg(
	FILE *out, const struct trace *trace, const struct event_arg *arg)
{
	ck_assert_uint_lt(arg->key, strtab_count(trace->text));
	(void)fprintf(out, " %s=", strtab_text(trace->text, arg->key, NULL));
	if (arg->kind == ARG_INT)
		(void)fprintf(out, "%" PRId64, arg->value.integer);
	else if (arg->kind == ARG_FLOAT)
		(void)fprintf(out, "%a", arg->value.real);
	else
		(void)fprintf(out, "'%.*s'", (int)arg->value.text.size,
			arg->value.text.bytes);
}

void log_text_event(
	FILE *out, const struct trace *trace, const struct event *event)
{
	ck_assert_uint_lt(event->track, trace->track_count);
	(void)fprintf(out, "%" PRIu32 " %" PRId64 " %s", event->track,
		event->time_ns, kinds[event->kind]);
	switch (event->kind) {
	case EVENT_END:
	case EVENT_ARGS:
	case EVENT_CORRELATION:
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
		(void)fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRId32,
			event->id, event->bytes, event->device);
		break;
	default:
		ck_assert_uint_lt(event->site, trace->site_count);
		(void)fprintf(out, " %s", trace_site_name(trace, event->site));
	}
	if (event->kind == EVENT_ASYNC_BEGIN ||
		event->kind == EVENT_ASYNC_END || event->kind == EVENT_STEP ||
		event->kind == EVENT_CORRELATION ||
		event->kind == EVENT_ACTIVITY)
		(void)fprintf(out, " %" PRIu64, event->id);
	if (event->kind == EVENT_ACTIVITY)
		(void)fprintf(out, " %" PRIu64 "ns %" PRIu64 "B", event->dur_ns,
			event->bytes);
	if (event->kind == EVENT_COMPLETE || event->kind == EVENT_WHOLE ||
		(event->kind <= EVENT_END && event->dur_ns > 0))
		(void)fprintf(out, " %" PRIu64 "ns", event->dur_ns);
	if (event->kind == EVENT_FLOW)
		(void)fprintf(
			out, " %" PRIu64 " %s", event->id, flows[event->flow]);
	for (uint32_t i = 0; i < event->arg_count; i++)
		put_arg(out, trace, &event->args[i]);
	(void)putc('\n', out);
}

static FILE *open_text(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	ck_assert_ptr_nonnull(out);
	return out;
}

static void put_tracks(FILE *out, const struct trace *trace)
{
	static const char *const words[] = {
		[TRACE_THREAD] = "thread",
		[TRACE_TIMELINE] = "timeline",
		[TRACE_STREAM] = "stream",
		[TRACE_CALLS] = "calls",
	};

	for (uint32_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *track = &trace->tracks[i];

		(void)fprintf(out, "%s %" PRId64 " %" PRId64 " '%s'",
			words[track->kind], track->pid, track->tid,
			strtab_text(trace->text, track->name, NULL));
		if (track->kind == TRACE_STREAM || track->kind == TRACE_CALLS)
			(void)fprintf(out, " of %" PRIu32 " in %" PRIu32,
				track->device, track->context);
		if (track->has_end)
			(void)fprintf(out, " to %" PRId64, track->end_ns);
		(void)putc('\n', out);
	}
}

static void put_devices(FILE *out, const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->device_count; i++) {
		const struct trace_device *device = &trace->devices[i];

		(void)fprintf(out, "%" PRId64 " %" PRIu32, device->pid,
			device->number);
		for (uint32_t k = 0; k < device->arg_count; k++)
			put_arg(out, trace, &device->args[k]);
		(void)putc('\n', out);
	}
}

static void put_tables(struct log_text *text, const struct trace *trace)
{
	size_t size;
	FILE *out = open_text(&text->tracks, &size);

	put_tracks(out, trace);
	(void)fclose(out);
	out = open_text(&text->losses, &size);
	for (enum trace_loss i = 0; i < LOSS_KINDS; i++)
		if (trace->losses[i] != 0)
			(void)fprintf(out, "%s %" PRIu64 "\n",
				trace_loss_name(i), trace->losses[i]);
	(void)fclose(out);
	out = open_text(&text->facts, &size);
	for (uint32_t i = 0; i < trace->fact_count; i++)
		(void)fprintf(out, "%s=%s\n",
			strtab_text(trace->text, trace->facts[i].key, NULL),
			strtab_text(trace->text, trace->facts[i].value, NULL));
	(void)fclose(out);
	out = open_text(&text->modules, &size);
	for (uint32_t i = 0; i < trace->module_count; i++) {
		const struct trace_module *module = &trace->modules[i];

		(void)fprintf(out,
			"%" PRId64 " %" PRIx64 " %" PRIu64 " %s %s%s\n",
			module->pid, module->base, module->bytes,
			strtab_text(trace->text, module->path, NULL),
			strtab_text(trace->text, module->build_id, NULL),
			module->closed ? " closed" : "");
	}
	(void)fclose(out);
	out = open_text(&text->devices, &size);
	put_devices(out, trace);
	(void)fclose(out);
	text->end_ns = trace->end_ns;
	text->base_realtime_ns = trace->base_realtime_ns;
}

struct log_text log_text_read(const void *bytes, size_t size)
{
	return log_text_read_names(bytes, size, READ_NAMES_FULL);
}

struct log_text log_text_read_names(
	const void *bytes, size_t size, enum read_names names)
{
	struct log_text text = {.status = CTP_OK};
	/* fmemopen() refuses nothing at all in older libraries. */
	FILE *file = size == 0 ? fopen("/dev/null", "rb")
			       : fmemopen((void *)(uintptr_t)bytes, size, "rb");
	struct read_request request = {.names = names};
	struct event_source *source;
	struct event event;
	size_t used;
	FILE *out = open_text(&text.events, &used);

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(
		log_read_open(file, NULL, 0, &request, &source, &text.err),
		CTP_OK);
	while (text.status == CTP_OK) {
		text.status = source->next(source, &event, &text.err);
		if (text.status == CTP_OK)
			log_text_event(out, source->trace, &event);
	}
	ck_assert_uint_le(source->position(source), size);
	(void)fclose(out);
	put_tables(&text, source->trace);
	source->close(source);
	(void)fclose(file);
	return text;
}

void log_text_clear(struct log_text *text)
{
	free(text->events);
	free(text->tracks);
	free(text->losses);
	free(text->facts);
	free(text->modules);
	free(text->devices);
	*text = (struct log_text){.status = CTP_OK};
}
