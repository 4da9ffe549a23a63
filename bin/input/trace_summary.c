/* SPDX-License-Identifier: MIT */
#include "input/trace_summary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "input/devices.h"
#include "log/log.h"
#include "base/memory.h"
#include "profile/profile.h"

#define EVENTS_PER_TICK 65536

/* The number of open ranges on a track; NULL if out of memory. */
static uint64_t *depth_of(struct trace_summary *summary, uint32_t track)
{
	return array_ensure_index(&summary->depth, track, &summary->depth_room,
		       sizeof(*summary->depth))
		       ? &summary->depth[track]
		       : NULL;
}

static void update_span(
	struct trace_summary *summary, const struct event *event)
{
	int64_t end = event->time_ns;

	if ((event->kind == EVENT_COMPLETE || event->kind == EVENT_ACTIVITY) &&
		__builtin_add_overflow(event->time_ns, event->dur_ns, &end))
		end = INT64_MAX;
	if (summary->event_count == 0 || event->time_ns < summary->first_ns)
		summary->first_ns = event->time_ns;
	if (summary->event_count == 0 || end > summary->last_ns)
		summary->last_ns = end;
	summary->event_count++;
}

/* False if out of memory. */
static bool count_range(struct trace_summary *summary,
	const struct trace *trace, const struct event *event)
{
	uint64_t *depth;

	if (event->kind == EVENT_COMPLETE) {
		if (trace->tracks[event->track].kind == TRACE_STREAM)
			summary->device_other++;
		else
			summary->ranges++;
		return true;
	}
	depth = depth_of(summary, event->track);
	if (depth == NULL)
		return false;
	if (event->kind == EVENT_BEGIN) {
		summary->ranges++;
		summary->open_ranges++;
		++*depth;
	} else if (*depth > 0) {
		summary->open_ranges--;
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

static void count_activity(struct trace_summary *summary, struct trace *trace,
	const struct event *event)
{
	const struct trace_track *track = &trace->tracks[event->track];
	uint64_t launch_ns;
	uint64_t before_ns;

	if (track->kind == TRACE_CALLS) {
		summary->calls++;
		return;
	}
	if (profile_is_activity(trace, event))
		summary->activities++;
	else
		summary->device_other++;
	/* The driver's overhead may belong to any call, even an unrecorded
	 * one. */
	if (event->id == 0 || is_category(trace, event, "overhead"))
		return;
	if (!correlation_find(
		    summary->launches, track->pid, event->id, &launch_ns)) {
		trace_lose(trace, LOSS_UNMATCHED, 1);
		return;
	}
	summary->matched++;
	before_ns = distance(event->time_ns, (int64_t)launch_ns);
	/* Waits belong to the host and begin by its clock. */
	if (before_ns > summary->skew_ns &&
		!is_category(trace, event, "cuda_sync"))
		summary->skew_ns = before_ns;
}

/* A launch has the start time of its call: no activity starts earlier. */
static bool count_event(struct trace_summary *summary, struct trace *trace,
	const struct event *event)
{
	if (event->kind != EVENT_ARGS)
		update_span(summary, event);
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_COMPLETE:
		return count_range(summary, trace, event);
	case EVENT_ASYNC_BEGIN:
		summary->async++;
		break;
	case EVENT_INSTANT:
		summary->instants++;
		break;
	case EVENT_COUNTER:
		summary->counters++;
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
		summary->memory++;
		break;
	case EVENT_STEP:
		summary->steps++;
		break;
	case EVENT_ACTIVITY:
		count_activity(summary, trace, event);
		break;
	case EVENT_CORRELATION:
		return correlation_add(summary->launches,
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

bool trace_summary_count_tracks(
	struct trace_summary *summary, const struct trace *trace)
{
	size_t size = (size_t)trace->track_count * sizeof(*trace->tracks);
	struct trace_track *tracks = memory_new(size + 1);
	struct devices devices;

	if (tracks == NULL || !devices_find(&devices, trace)) {
		memory_free(tracks);
		return false;
	}
	summary->devices = devices.count;
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

		summary->processes += !device && !same_pid;
		summary->threads += !device && !same_tid;
	}
	memory_free(tracks);
	return true;
}

void trace_summary_window(
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

static enum ctp_status finish(struct trace_summary *summary,
	const struct trace *trace, struct ctp_error *err)
{
	int64_t end_ns = summary->last_ns;

	summary->start_ns = summary->first_ns;
	trace_summary_window(trace, &summary->start_ns, &end_ns);
	summary->span_ns = distance(summary->start_ns, end_ns);
	memory_free(summary->depth);
	summary->depth = NULL;
	correlation_free(summary->launches);
	summary->launches = NULL;
	if (!trace_summary_count_tracks(summary, trace))
		return ctp_no_memory(err);
	return CTP_OK;
}

/* A profile has no events, but the calls of its functions were ranges. */
static enum ctp_status count_profile(struct trace_summary *summary,
	struct event_source *source, struct ctp_error *err)
{
	struct profile *profile;
	enum ctp_status status = source->read_profile(source, &profile, err);

	if (status != CTP_OK)
		return status;
	for (uint32_t i = 0; i < profile->function_count; i++)
		summary->ranges += profile->functions[i].cost.ncalls;
	profile_free(profile);
	return CTP_OK;
}

/* Counts the event for the cost of recording, if the recorder measured that of
 * a range. */
static enum ctp_status add_cost(struct trace_summary *summary,
	struct trace *trace, const struct event *event, struct ctp_error *err)
{
	bool first = !summary->has_begun;

	summary->has_begun = true;
	if (first && trace_find_fact(trace, RECORDING_COST_FACT) != NULL) {
		summary->replay = replay_new(
			trace, (struct replay_options){.device = REPLAY_HOST});
		if (summary->replay == NULL)
			return ctp_no_memory(err);
	}
	if (summary->replay == NULL || event->kind == EVENT_ACTIVITY ||
		event->kind == EVENT_CORRELATION)
		return CTP_OK;
	return replay_add(summary->replay, event, err);
}

/* The replay's own losses are not those of the file. */
static enum ctp_status finish_cost(struct trace_summary *summary,
	struct trace *trace, struct ctp_error *err)
{
	static const enum trace_loss own[] = {
		LOSS_STRAY_ENDS, LOSS_OPEN_RANGES, LOSS_BACKWARD_TIMES};
	struct profile *profile = NULL;
	enum ctp_status status = CTP_OK;

	if (summary->replay != NULL)
		status = replay_finish(summary->replay, &profile, err);
	for (size_t i = 0;
		summary->replay != NULL && i < sizeof(own) / sizeof(own[0]);
		i++)
		trace->losses[own[i]] = 0;
	recording_cost_find(&summary->cost, trace, profile);
	profile_free(profile);
	replay_free(summary->replay);
	summary->replay = NULL;
	return status;
}

enum ctp_status trace_summary_read(struct trace_summary *summary,
	struct event_source *source,
	void (*progress)(void *user, uint64_t position), void *user,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct event event;

	*summary = (struct trace_summary){
		.launches = correlation_new(CORRELATION_LIMIT)};
	if (summary->launches == NULL)
		status = ctp_no_memory(err);
	else if (source->read_profile != NULL)
		status = count_profile(summary, source, err);
	while (status == CTP_OK) {
		status = source->next(source, &event, err);
		if (status == CTP_OK &&
			!count_event(summary, source->trace, &event))
			status = ctp_no_memory(err);
		if (status == CTP_OK)
			status = add_cost(summary, source->trace, &event, err);
		if (progress != NULL &&
			summary->event_count % EVENTS_PER_TICK == 0)
			progress(user, source->position(source));
	}
	if (status == CTP_END) {
		status = finish_cost(summary, source->trace, err);
		if (status == CTP_OK)
			return finish(summary, source->trace, err);
	}
	replay_free(summary->replay);
	summary->replay = NULL;
	(void)finish(summary, source->trace, NULL);
	return status;
}
