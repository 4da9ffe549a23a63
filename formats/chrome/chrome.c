/* SPDX-License-Identifier: MIT */
/*
 * The writer. Events are written as they arrive, in memory that does not grow
 * with their number. Nested ranges: chrome_stack.h. Slices that arrive with
 * their duration and cannot nest on their row go to further rows: lanes.h.
 * Numbers and names of rows: chrome_rows.h. Devices: chrome_device.h.
 *
 * Times are microseconds with three decimals since baseTimeNanoseconds, which
 * is left out if unknown. The facts about the recording and the losses come
 * last, in "otherData", because they are known last.
 */
#include "chrome/chrome.h"

#include "chrome/chrome_device.h"
#include "chrome/chrome_event.h"
#include "chrome/chrome_facts.h"
#include "chrome/chrome_stack.h"
#include "chrome/chrome_track.h"
#include "format.h"
#include "json/json.h"
#include "base/memory.h"
#include "timeline/json_args.h"

struct chrome {
	struct timeline_writer writer; /* first: callers hold a pointer to it */
	struct trace *trace;
	struct json json;
	struct json_names names;
	struct chrome_tracks tracks;
	struct chrome_device device;
	struct chrome_events events;
	const char *title;
	bool begun;
};

static void begin_file(struct chrome *chrome)
{
	struct json *json = &chrome->json;

	chrome->begun = true;
	json_begin(json, '{');
	json_key(json, "schemaVersion");
	json_int(json, 1);
	chrome_facts_write_own(json);
	if (chrome->trace->base_realtime_ns != 0) {
		json_key(json, "baseTimeNanoseconds");
		json_int(json, chrome->trace->base_realtime_ns);
	}
	json_key(json, "traceEvents");
	json_begin(json, '[');
}

static int64_t time_in_file(const struct chrome_track *track, int64_t time_ns)
{
	int64_t since_ns;

	if (__builtin_sub_overflow(time_ns, track->epoch_ns, &since_ns))
		return INT64_MIN;
	return since_ns;
}

/* The event, its time corrected if it went backwards. */
static struct event in_order(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	struct event mended = *event;

	mended.time_ns = time_in_file(track, event->time_ns);
	if (mended.time_ns < track->stack.last_ns) {
		chrome->trace->losses[LOSS_BACKWARD_TIMES]++;
		mended.time_ns = track->stack.last_ns;
	}
	track->stack.last_ns = mended.time_ns;
	return mended;
}

static bool open_ranges(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	if (track->ranges_row != NULL)
		return true;
	track->epoch_ns =
		trace_track_epoch(chrome->trace, event->track, event->time_ns);
	return chrome_track_open_ranges(&chrome->tracks, track);
}

static bool add_begin(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	struct event mended;

	if (!open_ranges(chrome, track, event))
		return false;
	mended = in_order(chrome, track, event);
	if (track->stack.depth >= CHROME_DEPTH_SHOWN)
		chrome->trace->losses[LOSS_DEEP_RANGES]++;
	return chrome_stack_begin(&track->stack, &mended);
}

/* Ends the innermost range; if its real end is later, it overlaps others. */
static bool end_range(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	const struct chrome_row *row;
	struct chrome_track *calls;
	struct event call;
	uint32_t lane;

	if (!chrome_stack_is_longer(&track->stack, event, &call))
		return chrome_stack_end(&track->stack, event);
	if (chrome_stack_is_begun(&track->stack)) {
		trace_lose(chrome->trace, LOSS_NOT_SHOWN, 1);
		return chrome_stack_end(&track->stack, event);
	}
	calls = chrome_track_calls(&chrome->tracks, track);
	if (calls == NULL)
		return false;
	row = chrome_track_lane(&chrome->tracks, calls, &call, &lane);
	return row != NULL &&
	       chrome_stack_end_call(&track->stack, event, &call, row);
}

static bool add_end(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	struct event mended;

	if (track->stack.depth == 0) {
		chrome->trace->losses[LOSS_STRAY_ENDS]++;
		return true;
	}
	mended = in_order(chrome, track, event);
	return end_range(chrome, track, &mended);
}

static bool add_args(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	if (track->stack.depth == 0) {
		chrome->trace->losses[LOSS_NOT_SHOWN]++;
		return true;
	}
	return chrome_stack_args(&track->stack, event);
}

/* Writes a slice, with `args` (may be NULL), into the first free lane; returns
 * its row, or NULL if out of memory. */
static const struct chrome_row *add_slice(struct chrome *chrome,
	struct chrome_track *track, const struct event *event,
	const struct json_args *args)
{
	const struct json_site *site =
		json_names_site(&chrome->names, event->site);
	const struct chrome_row *row;
	uint32_t lane = 0;

	if (site == NULL)
		return NULL;
	row = chrome_track_lane(&chrome->tracks, track, event, &lane);
	if (row == NULL)
		return NULL;
	if (lane > 0)
		chrome->trace->losses[LOSS_OVERLAPS]++;
	chrome_stack_write_slice(
		&chrome->json, row, site, args, event->time_ns, event->dur_ns);
	return row;
}

static bool add_complete(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	if (event->arg_count == 0)
		return add_slice(chrome, track, event, NULL) != NULL;
	return chrome_events_set_args(&chrome->events, event) &&
	       add_slice(chrome, track, event, &chrome->events.args) != NULL;
}

static bool add_unclipped_call(struct chrome *chrome,
	struct chrome_track *track, const struct event *event)
{
	struct chrome_track *calls = NULL;

	if (open_ranges(chrome, track, event))
		calls = chrome_track_calls(&chrome->tracks, track);
	return calls != NULL && add_complete(chrome, calls, event);
}

static bool add_activity(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	struct chrome_flow flow = {.phase = 'f', .time_ns = event->time_ns};
	struct json_args *args = &chrome->events.args;
	const struct chrome_row *row;
	struct chrome_cause cause;

	if (!chrome_events_set_args(&chrome->events, event) ||
		!chrome_device_args(&chrome->device, event, args, &cause))
		return false;
	if (chrome->trace->tracks[event->track].kind == TRACE_STREAM &&
		chrome_device_is_host(&chrome->device, event))
		track = chrome_track_host(&chrome->tracks, track);
	if (track == NULL)
		return false;
	row = add_slice(chrome, track, event, args);
	if (row == NULL)
		return false;
	flow.id = cause.flow;
	if (cause.known)
		chrome_row_write_flow(&chrome->json, row, flow);
	return true;
}

static bool add_async(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	return chrome_events_async(&chrome->events, &track->row, event);
}

static bool add_instant(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	return chrome_events_instant(&chrome->events, &track->row, event);
}

static bool add_flow(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	return chrome_events_flow(&chrome->events, &track->row, event);
}

static bool add_counter(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	return chrome_events_counter(&chrome->events, &track->row, event);
}

static bool add_memory(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	return chrome_events_memory(&chrome->events, &track->row, event);
}

static bool add_step(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	return chrome_events_step(&chrome->events, &track->row, event);
}

static bool add_correlation(struct chrome *chrome, struct chrome_track *track,
	const struct event *event)
{
	if (track->stack.depth == 0) {
		chrome->trace->losses[LOSS_NOT_SHOWN]++;
		return true;
	}
	return chrome_device_call(&chrome->device, &track->stack, event);
}

/* Events of a kind without a function are counted as not shown. */
static bool (*const adders[EVENT_KINDS])(struct chrome *chrome,
	struct chrome_track *track, const struct event *event) = {
	[EVENT_BEGIN] = add_begin,
	[EVENT_END] = add_end,
	[EVENT_ARGS] = add_args,
	[EVENT_COMPLETE] = add_complete,
	[EVENT_UNCLIPPED_CALL] = add_unclipped_call,
	[EVENT_ASYNC_BEGIN] = add_async,
	[EVENT_ASYNC_END] = add_async,
	[EVENT_INSTANT] = add_instant,
	[EVENT_COUNTER] = add_counter,
	[EVENT_ALLOC] = add_memory,
	[EVENT_FREE] = add_memory,
	[EVENT_STEP] = add_step,
	[EVENT_CORRELATION] = add_correlation,
	[EVENT_ACTIVITY] = add_activity,
	[EVENT_FLOW] = add_flow,
};

static enum ctp_status add(struct timeline_writer *writer,
	const struct event *event, struct ctp_error *err)
{
	struct chrome *chrome = (struct chrome *)writer;
	struct chrome_track *track;

	if (!chrome->begun)
		begin_file(chrome);
	if (adders[event->kind] == NULL) {
		trace_lose(chrome->trace, LOSS_NOT_SHOWN, 1);
		return CTP_OK;
	}
	track = chrome_tracks_find(&chrome->tracks, event->track);
	if (track == NULL || !adders[event->kind](chrome, track, event))
		return ctp_no_memory(err);
	return CTP_OK;
}

static bool cut_ranges(struct chrome *chrome, uint32_t number)
{
	struct chrome_track *track = chrome->tracks.tracks[number];
	int64_t end_ns;

	if (track == NULL || track->ranges_row == NULL)
		return true;
	end_ns = time_in_file(track, trace_track_end(chrome->trace, number));
	if (end_ns < track->stack.last_ns)
		end_ns = track->stack.last_ns;
	while (track->stack.depth > 0) {
		chrome->trace->losses[LOSS_OPEN_RANGES]++;
		if (!chrome_stack_cut(&track->stack, end_ns))
			return false;
	}
	return true;
}

static bool end_file(struct chrome *chrome)
{
	struct json *json = &chrome->json;

	json_raw_text(json, "\n");
	json_end(json, ']');
	if (!chrome_device_write(&chrome->device, json) ||
		!chrome_facts_write_members(json, chrome->trace))
		return false;
	json_key(json, "otherData");
	json->replaced += chrome->names.scratch.replaced;
	if (!chrome_facts_write(json, chrome->trace, chrome->title))
		return false;
	json_end(json, '}');
	json_raw_text(json, "\n");
	json_flush(json);
	return !json->failed;
}

static enum ctp_status finish(
	struct timeline_writer *writer, struct ctp_error *err)
{
	struct chrome *chrome = (struct chrome *)writer;
	bool done = true;

	if (!chrome->begun)
		begin_file(chrome);
	for (uint32_t i = 0; i < chrome->tracks.count && done; i++)
		done = cut_ranges(chrome, i);
	if (!done || !chrome_tracks_rename(&chrome->tracks) ||
		!end_file(chrome))
		return ctp_no_memory(err);
	return CTP_OK;
}

static uint64_t pending(const struct timeline_writer *writer)
{
	return ((const struct chrome *)writer)->json.used;
}

static void chrome_free(struct timeline_writer *writer)
{
	struct chrome *chrome = (struct chrome *)writer;

	if (chrome == NULL)
		return;
	chrome_events_clear(&chrome->events);
	chrome_device_clear(&chrome->device);
	chrome_tracks_clear(&chrome->tracks);
	json_names_clear(&chrome->names);
	json_clear(&chrome->json);
	memory_free(chrome);
}

enum ctp_status chrome_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	struct chrome *chrome = memory_new_zeroed(1, sizeof(*chrome));
	bool done;

	if (chrome == NULL)
		return ctp_no_memory(err);
	chrome->writer = (struct timeline_writer){
		.add = add,
		.finish = finish,
		.free = chrome_free,
		.pending = pending,
	};
	chrome->trace = trace;
	chrome->title = options == NULL ? NULL : options->title;
	chrome->events = (struct chrome_events){
		.trace = trace, .json = &chrome->json, .names = &chrome->names};
	/* Initialize all, so that all can be cleared. */
	done = json_init(&chrome->json, out);
	done = json_names_init(&chrome->names, trace) && done;
	done = chrome_events_init(&chrome->events) && done;
	done = chrome_device_init(&chrome->device, trace, &chrome->names) &&
	       done;
	done = chrome_tracks_init(
		       &chrome->tracks, &chrome->json, &chrome->names) &&
	       done;
	if (!done) {
		chrome_free(&chrome->writer);
		return ctp_no_memory(err);
	}
	*writer = &chrome->writer;
	return CTP_OK;
}
