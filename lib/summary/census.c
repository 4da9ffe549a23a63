/* SPDX-License-Identifier: MIT */
#include "summary/census.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log.h"
#include "profile/profile.h"
#include "trace/device.h"

bool census_init(struct census *census, const struct trace *trace)
{
	*census = (struct census){
		.trace = trace, .launches = correlation_new(CORRELATION_LIMIT)};
	return census->launches != NULL;
}

void census_clear(struct census *census)
{
	memory_free(census->depth);
	census->depth = NULL;
	correlation_free(census->launches);
	census->launches = NULL;
}

/* The number of open ranges on a track; NULL if out of memory. */
static uint64_t *depth_of(struct census *census, uint32_t track)
{
	return array_ensure_index(&census->depth, track, &census->depth_room,
		       sizeof(*census->depth))
		       ? &census->depth[track]
		       : NULL;
}

static void update_span(struct census *census, const struct event *event)
{
	int64_t end = event->time_ns;

	if ((event->kind == EVENT_COMPLETE || event->kind == EVENT_ACTIVITY) &&
		__builtin_add_overflow(event->time_ns, event->dur_ns, &end))
		end = INT64_MAX;
	if (census->event_count == 0 || event->time_ns < census->first_ns)
		census->first_ns = event->time_ns;
	if (census->event_count == 0 || end > census->last_ns)
		census->last_ns = end;
	census->event_count++;
}

/* False if out of memory. */
static bool count_range(struct census *census, const struct trace *trace,
	const struct event *event)
{
	uint64_t *depth;

	if (event->kind == EVENT_COMPLETE) {
		if (trace->tracks[event->track].kind == TRACE_STREAM)
			census->device_other++;
		else
			census->ranges++;
		return true;
	}
	depth = depth_of(census, event->track);
	if (depth == NULL)
		return false;
	if (event->kind == EVENT_BEGIN) {
		census->ranges++;
		census->open_ranges++;
		++*depth;
	} else if (*depth > 0) {
		census->open_ranges--;
		--*depth;
	}
	return true;
}

static uint64_t distance(int64_t from, int64_t to)
{
	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static bool is_category(
	const struct trace *trace, const struct event *event, const char *text)
{
	uint32_t category = trace->sites[event->site].category;

	return strcmp(strtab_text(trace->text, category, NULL), text) == 0;
}

static void count_activity(struct census *census, const struct trace *trace,
	const struct event *event)
{
	const struct trace_track *track = &trace->tracks[event->track];
	uint64_t launch_ns;
	uint64_t before_ns;

	if (track->kind == TRACE_CALLS) {
		census->calls++;
		return;
	}
	if (profile_is_activity(trace, event))
		census->activities++;
	else
		census->device_other++;
	/* The driver's overhead may belong to any call, even an unrecorded
	 * one. */
	if (event->id == 0 || is_category(trace, event, "overhead"))
		return;
	if (!correlation_find(
		    census->launches, track->pid, event->id, &launch_ns)) {
		census->unmatched++;
		return;
	}
	census->matched++;
	before_ns = distance(event->time_ns, (int64_t)launch_ns);
	/* Waits belong to the host and begin by its clock. */
	if (before_ns > census->skew_ns &&
		!is_category(trace, event, "cuda_sync"))
		census->skew_ns = before_ns;
}

/* A launch has the start time of its call: no activity starts earlier. */
bool census_add(struct census *census, const struct event *event)
{
	const struct trace *trace = census->trace;

	if (event->kind != EVENT_ARGS)
		update_span(census, event);
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_COMPLETE:
		return count_range(census, trace, event);
	case EVENT_ASYNC_BEGIN:
		census->async++;
		break;
	case EVENT_INSTANT:
		census->instants++;
		break;
	case EVENT_COUNTER:
		census->counters++;
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
		census->memory++;
		break;
	case EVENT_STEP:
		census->steps++;
		break;
	case EVENT_ACTIVITY:
		count_activity(census, trace, event);
		break;
	case EVENT_CORRELATION:
		return correlation_add(census->launches,
			trace->tracks[event->track].pid, event->id,
			(uint64_t)event->time_ns);
	default: /* includes EVENT_UNCLIPPED_CALL, whose range counts */
		break;
	}
	return true;
}

static int compare_tracks(const void *a, const void *b)
{
	const struct trace_track *left = a;
	const struct trace_track *right = b;
	bool left_device = left->kind == TRACE_STREAM;
	bool right_device = right->kind == TRACE_STREAM;

	if (left_device != right_device)
		return left_device ? 1 : -1;
	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return 0;
}

bool census_count_tracks(struct census *census, const struct trace *trace)
{
	size_t size = (size_t)trace->track_count * sizeof(*trace->tracks);
	struct trace_track *tracks = memory_new(size + 1);
	struct devices devices;

	if (tracks == NULL || !devices_find(&devices, trace)) {
		memory_free(tracks);
		return false;
	}
	census->devices = devices.count;
	devices_clear(&devices);
	if (size != 0)
		memcpy(tracks, trace->tracks, size);
	qsort(tracks, trace->track_count, sizeof(*tracks), compare_tracks);
	for (uint32_t i = 0; i < trace->track_count; i++) {
		bool device = tracks[i].kind == TRACE_STREAM;
		bool same_kind =
			i > 0 && device == (tracks[i - 1].kind == TRACE_STREAM);
		bool same_pid = same_kind && tracks[i - 1].pid == tracks[i].pid;
		bool same_tid = same_pid && tracks[i - 1].tid == tracks[i].tid;

		census->processes += !device && !same_pid;
		census->threads += !device && !same_tid;
	}
	memory_free(tracks);
	return true;
}

void census_window(
	const struct trace *trace, int64_t *first_ns, int64_t *last_ns)
{
	const char *format = trace_find_fact(trace, "format");

	if (trace->start_ns >= trace->end_ns ||
		(format != NULL && strcmp(format, LOG_FORMAT_NAME) == 0 &&
			trace_find_fact(trace, "clock") == NULL))
		return;
	*first_ns = trace->start_ns;
	*last_ns = trace->end_ns;
}

bool census_finish(struct census *census)
{
	int64_t end_ns = census->last_ns;

	census->start_ns = census->first_ns;
	census_window(census->trace, &census->start_ns, &end_ns);
	census->span_ns = distance(census->start_ns, end_ns);
	return census_count_tracks(census, census->trace);
}
