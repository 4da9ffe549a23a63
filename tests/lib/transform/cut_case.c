/* SPDX-License-Identifier: MIT */
#include "cut_case.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

struct cut_case_given cut_case_given;

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	(void)source;
	(void)err;
	if (cut_case_given.taken == cut_case_given.count)
		return CTP_END;
	*event = cut_case_given.events[cut_case_given.taken++];
	return CTP_OK;
}

static uint64_t position(const struct event_source *source)
{
	(void)source;
	return cut_case_given.taken;
}

static void close_given(struct event_source *source)
{
	trace_free(source->trace);
}

void cut_case_set_up(void)
{
	static const char *const names[SITES] = {"a", "b", "c", "d", "e"};
	struct trace *trace = trace_new(NULL);

	memset(&cut_case_given, 0, sizeof(cut_case_given));
	cut_case_given.source = (struct event_source){.trace = trace,
		.next = next,
		.position = position,
		.close = close_given};
	for (uint32_t i = 0; i < SITES; i++)
		ck_assert_uint_eq(
			trace_add_site(trace, names[i], 1, "", 0, 0), i);
	for (int i = 0; i < TRACKS; i++)
		(void)trace_add_track(
			trace, (struct trace_track){.pid = 1, .tid = i});
}

struct event cut_case_make(
	enum event_kind kind, uint32_t track, uint32_t site, int64_t time_ns)
{
	return (struct event){.kind = kind,
		.track = track,
		.site = site,
		.time_ns = time_ns,
		.device = -1};
}

void cut_case_give(struct event event)
{
	ck_assert_uint_lt(cut_case_given.count, EVENTS_MAX);
	cut_case_given.events[cut_case_given.count++] = event;
	if (cut_case_given.source.trace->end_ns < event.time_ns)
		cut_case_given.source.trace->end_ns = event.time_ns;
}

void cut_case_begin(uint32_t track, uint32_t site, int64_t time_ns)
{
	cut_case_give(cut_case_make(EVENT_BEGIN, track, site, time_ns));
}

void cut_case_end(uint32_t track, int64_t time_ns)
{
	cut_case_give(cut_case_make(EVENT_END, track, TRACE_NONE, time_ns));
}

void cut_case_complete(
	uint32_t track, uint32_t site, int64_t time_ns, uint64_t dur_ns)
{
	struct event event =
		cut_case_make(EVENT_COMPLETE, track, site, time_ns);

	event.dur_ns = dur_ns;
	cut_case_give(event);
}

void cut_case_async(enum event_kind kind, uint32_t site, int64_t time_ns)
{
	struct event event = cut_case_make(kind, 0, site, time_ns);

	event.id = 7;
	cut_case_give(event);
}

struct cut *cut_case_open_cut(void)
{
	struct cut *cut;

	ck_assert_int_eq(cut_open(&cut_case_given.source, &cut, NULL), CTP_OK);
	return cut;
}

const char *cut_case_text(struct event_source *source)
{
	static const char kinds[EVENT_KINDS] = {[EVENT_BEGIN] = '(',
		[EVENT_END] = ')',
		[EVENT_COMPLETE] = 'X',
		[EVENT_UNCLIPPED_CALL] = 'W',
		[EVENT_ASYNC_BEGIN] = '[',
		[EVENT_ASYNC_END] = ']',
		[EVENT_INSTANT] = '!',
		[EVENT_ARGS] = '=',
		[EVENT_CORRELATION] = '@'};
	static char text[4096];
	struct event event;
	char *at = text;

	*at = '\0';
	while (source->next(source, &event, NULL) == CTP_OK) {
		const char *name = trace_site_name(source->trace, event.site);

		at += snprintf(at, 64, "%c%s%d ", kinds[event.kind], name,
			(int)event.time_ns);
		if (event.shift_ns > 0)
			at += snprintf(at, 64, "+%d ", (int)event.shift_ns);
		if (event.dur_ns > 0 || event.kind == EVENT_COMPLETE)
			at += snprintf(at, 64, "+%d ", (int)event.dur_ns);
	}
	return text;
}
