/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a log cut into parts, and a piece of it chosen and redacted, as
 * `ctprof cut` does it. The first byte is the least number of events in a part,
 * the second the options; the rest is the log, as in fuzz_log.c. Parts follow
 * each other. Each part but the last closes the ranges it opens, unless the
 * recording of their track ended before. The times of ranges and slices in all
 * parts add up to those of the whole.
 */
#include <stdio.h>

#include "transform/event_filter.h"
#include "transform/cut.h"
#include "trace/event.h"
#include "format.h"
#include "fuzz_case.h"
#include "base/memory.h"
#include "trace/open_ranges.h"
#include "timeline/sorted_source.h"
#include "transform/redact.h"

/* Each part may reopen all that is open, and visits every track. */
#define EVENTS_MAX 1000

/* The sums are per place; tracks may share one. */
#define PLACES 64

static uint8_t part_events;
static uint8_t options;

/* Sums over the events of one part or several. */
struct reading {
	struct cut *cut;
	struct fuzz_source limited;
	FILE *file;
	struct event_source *log;
	struct event_source *source;
	struct open_ranges open;
	uint32_t count; /* of the part's events */
	uint64_t time_ns[PLACES];
	uint64_t slices_ns[PLACES];
	uint64_t strays[PLACES]; /* ends without a begin */
	uint32_t left[PLACES];   /* ranges open at the end */
	bool endless;            /* a slice ends after the largest time */
	enum ctp_status status;
};

static void close_limited(struct event_source *source)
{
	(void)source;
}

/* All must be in order of time. */
static void open_log(struct reading *reading, const void *log, size_t size)
{
	struct sorted_source *order;

	*reading = (struct reading){.status = CTP_OK};
	reading->file = fmemopen((void *)(uintptr_t)log, size, "rb");
	fuzz_require(reading->file != NULL);
	fuzz_require(format_find("log")->open_events(reading->file, NULL, 0,
			     NULL, &reading->log, NULL) == CTP_OK);
	fuzz_source_init(&reading->limited, reading->log);
	reading->limited.source.close = close_limited;
	reading->limited.left = EVENTS_MAX;
	fuzz_require(sorted_source_open(
			     &reading->limited.source, &order, NULL) == CTP_OK);
	reading->source = sorted_source_events(order);
}

static void close_log(struct reading *reading)
{
	reading->source->close(reading->source);
	reading->log->close(reading->log);
	open_ranges_clear(&reading->open);
	(void)fclose(reading->file);
}

static void see_nested(struct reading *reading, const struct event *event)
{
	struct open_track *track =
		open_ranges_track(&reading->open, event->track);
	uint32_t place = event->track % PLACES;

	fuzz_require(track != NULL);
	if (event->kind == EVENT_BEGIN) {
		fuzz_require(open_track_push(track, event) != NULL);
		reading->left[place]++;
	} else if (track->depth == 0) {
		reading->strays[place]++;
	} else {
		int64_t begin_ns = open_track_top(track)->begin.time_ns;

		fuzz_require(begin_ns <= event->time_ns);
		reading->time_ns[place] +=
			(uint64_t)event->time_ns - (uint64_t)begin_ns;
		open_track_pop(track);
		reading->left[place]--;
	}
}

static void see(struct reading *reading, const struct event *event)
{
	reading->count++;
	fuzz_require(event->kind < EVENT_KINDS);
	fuzz_require(event->track < reading->source->trace->track_count);
	if (event->kind == EVENT_BEGIN || event->kind == EVENT_END)
		see_nested(reading, event);
	if (event->kind != EVENT_COMPLETE && event->kind != EVENT_ACTIVITY)
		return;
	reading->slices_ns[event->track % PLACES] += event->dur_ns;
	if (event_end(event) == INT64_MAX)
		reading->endless = true;
}

static void read_part(struct reading *reading)
{
	struct event event;

	reading->status = CTP_OK;
	while (reading->status == CTP_OK) {
		reading->status =
			reading->source->next(reading->source, &event, NULL);
		if (reading->status == CTP_OK)
			see(reading, &event);
	}
}

static bool is_full(void *user)
{
	const struct reading *reading = user;

	return reading->count > part_events;
}

/* The part ended when the next one began. */
static void check_closed(struct reading *reading)
{
	const struct trace *trace = reading->source->trace;

	for (uint32_t i = 0; i < reading->open.room; i++) {
		struct open_track *track = &reading->open.tracks[i];

		fuzz_require(track->depth == 0 ||
			     (trace->tracks[i].has_end &&
				     trace->tracks[i].end_ns <
					     cut_from_ns(reading->cut)));
		reading->left[i % PLACES] -= track->depth;
		while (track->depth > 0)
			open_track_pop(track);
	}
}

static void read_parts(struct reading *reading)
{
	fuzz_require(cut_open(reading->source, &reading->cut, NULL) == CTP_OK);
	reading->source = cut_source(reading->cut);
	cut_set_limit(reading->cut, is_full, reading);
	read_part(reading);
	while (reading->status == CTP_END) {
		reading->count = 0;
		reading->status = cut_next_part(reading->cut, NULL);
		if (reading->status != CTP_OK)
			break;
		check_closed(reading);
		read_part(reading);
	}
}

static void compare(const struct reading *whole, const struct reading *parts)
{
	for (unsigned i = 0; i < PLACES; i++) {
		fuzz_require(whole->strays[i] == parts->strays[i]);
		if (whole->left[i] == 0)
			fuzz_require(whole->time_ns[i] == parts->time_ns[i]);
		if (!whole->endless)
			fuzz_require(
				whole->slices_ns[i] == parts->slices_ns[i]);
	}
}

/* A window and a selection by the options, all of it redacted. */
static void read_piece(struct reading *reading)
{
	struct event_filter_range range = {0, options >> 4};
	struct event_filter_list list = {&range, 1, true};
	struct event_filter_options choose = {
		.categories = (options & 1) != 0 ? "kernel,a" : NULL,
		.min_ns = (options & 2) != 0 ? 100 : 0};
	int64_t start_ns = reading->source->trace->start_ns;
	int64_t from_ns;
	int64_t until_ns;

	if ((options & 4) != 0)
		choose.tids = list;
	if ((options & 8) != 0)
		choose.devices = list;
	if (__builtin_add_overflow(start_ns, part_events, &from_ns) ||
		__builtin_add_overflow(
			from_ns, INT64_C(1) << (options >> 3), &until_ns))
		return;
	fuzz_require(event_filter_open(reading->source, &choose,
			     &reading->source, NULL) == CTP_OK);
	fuzz_require(cut_open(reading->source, &reading->cut, NULL) == CTP_OK);
	cut_set_window(reading->cut, from_ns, until_ns);
	fuzz_require(redact_open(cut_source(reading->cut), "", &reading->source,
			     NULL) == CTP_OK);
	read_part(reading);
}

static void cut(const void *log, size_t size)
{
	struct reading whole;
	struct reading parts;

	open_log(&whole, log, size);
	read_part(&whole);
	close_log(&whole);
	open_log(&parts, log, size);
	read_parts(&parts);
	close_log(&parts);
	if (whole.status == CTP_END && parts.status == CTP_END)
		compare(&whole, &parts);
	else
		fuzz_require(
			whole.status == parts.status || memory_was_refused());
	open_log(&parts, log, size);
	read_piece(&parts);
	close_log(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size < 2)
		return 0;
	part_events = bytes[0];
	options = bytes[1];
	memory_set_limit(FUZZ_MEMORY);
	fuzz_with_log(bytes + 2, size - 2, cut);
	return 0;
}
