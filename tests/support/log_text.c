/* SPDX-License-Identifier: MIT */
#include "log_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log_row.h"
#include "log_read/log_read.h"
#include "quick_check.h"

#define ROW(name, number, chunk, event, ...) [event] = {#name, {__VA_ARGS__}},
static const struct {
	const char *name;
	uint8_t fields[LOG_FIELDS_MAX + 2]; /* as in a row, and an end */
} kinds[EVENT_KINDS] = {[EVENT_BEGIN] = {"BEGIN", {LOG_FIELD_SITE}},
	[EVENT_END] = {"END", {LOG_FIELD_END}},
	[EVENT_ACTIVITY] = {"ACTIVITY",
		{LOG_FIELD_SITE, LOG_FIELD_ID, LOG_FIELD_DURATION,
			LOG_FIELD_BYTES}},
	LOG_ROWS(ROW)};
#undef ROW

const char *log_text_kind(enum event_kind kind)
{
	static char name[32];
	size_t size = strlen(kinds[kind].name);

	ck_assert_uint_lt(size, sizeof(name));
	for (size_t i = 0; i <= size; i++)
		name[i] = (char)tolower((unsigned char)kinds[kind].name[i]);
	return name;
}

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

static void put_field(FILE *out, const struct trace *trace,
	const struct event *event, enum log_field field)
{
	switch (field) {
	case LOG_FIELD_SITE:
		ck_assert_uint_lt(event->site, trace->site_count);
		(void)fprintf(out, " %s", trace_site_name(trace, event->site));
		break;
	case LOG_FIELD_ID:
		(void)fprintf(out, " %" PRIu64, event->id);
		break;
	case LOG_FIELD_BYTES:
		(void)fprintf(out, " %" PRIu64 "%s", event->bytes,
			event->kind == EVENT_ACTIVITY ? "B" : "");
		break;
	case LOG_FIELD_DEVICE:
		(void)fprintf(out, " %" PRId32, event->device);
		break;
	case LOG_FIELD_DURATION:
		(void)fprintf(out, " %" PRIu64 "ns", event->dur_ns);
		break;
	case LOG_FIELD_SHIFT:
		(void)fprintf(out, " %" PRIu64 "ns", event->shift_ns);
		break;
	case LOG_FIELD_FLOW:
		(void)fprintf(out, " %s", flows[event->flow]);
		break;
	default: /* among the arguments */
		break;
	}
}

void log_text_event(
	FILE *out, const struct trace *trace, const struct event *event)
{
	ck_assert_uint_lt(event->track, trace->track_count);
	(void)fprintf(out, "%" PRIu32 " %" PRId64 " %s", event->track,
		event->time_ns, log_text_kind(event->kind));
	for (const uint8_t *field = kinds[event->kind].fields;
		*field != LOG_FIELD_END; field++)
		put_field(out, trace, event, *field);
	if (event->shift_ns > 0)
		put_field(out, trace, event, LOG_FIELD_SHIFT);
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

static void put_run(FILE *out, struct event_source *source)
{
	struct event_run run;

	source->peek_run(source, &run);
	for (uint32_t i = 0; i < run.count; i++) {
		const struct event event = event_run_get(&run, i);

		log_text_event(out, source->trace, &event);
	}
	if (run.count > 0)
		source->take_run(source);
}

static struct log_text read_log(
	const void *bytes, size_t size, struct read_request request)
{
	struct log_text text = {.status = CTP_OK};
	/* Older libraries' fmemopen() cannot fail. */
	FILE *file = size == 0 ? fopen("/dev/null", "rb")
			       : fmemopen((void *)(uintptr_t)bytes, size, "rb");
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
		if (text.status == CTP_OK && request.jobs > 1)
			put_run(out, source);
	}
	ck_assert_uint_le(source->position(source), size);
	(void)fclose(out);
	put_tables(&text, source->trace);
	source->close(source);
	(void)fclose(file);
	return text;
}

struct log_text log_text_read(const void *bytes, size_t size)
{
	return log_text_read_names(bytes, size, READ_NAMES_FULL);
}

struct log_text log_text_read_names(
	const void *bytes, size_t size, enum read_names names)
{
	return read_log(bytes, size, (struct read_request){.names = names});
}

struct log_text log_text_read_ahead(
	const void *bytes, size_t size, unsigned jobs)
{
	return read_log(bytes, size, (struct read_request){.jobs = jobs});
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
