/* SPDX-License-Identifier: MIT */
/*
 * Events are first accepted in their order: functions get their numbers, and
 * what cannot be counted is left out. Then calls are counted, here or, for many
 * events, by other threads.
 */
#include "profile/replay.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/thread.h"
#include "names/function_name.h"
#include "profile/call_workers.h"
#include "profile/calls.h"
#include "profile/device_calls.h"
#include "profile/profile.h"

/* Events accepted at once. */
#define CHUNK CALL_WORKERS_ROOM

/* Below, threads cost more than they save. */
#define LEAST_EVENTS (UINT64_C(256) * 1024)

/* Before some events, all calls must be counted, and more such events probably
 * follow: the next calls are not given to threads. */
#define EVENTS_ALONE 65536

struct replay {
	struct trace *trace;
	struct replay_options options;
	struct calls calls;
	struct call_track *tracks;
	uint32_t track_count;
	/* By site + 1: as in struct call_run; 0: not seen yet. The first is
	 * CALL_END, at TRACE_NONE + 1. */
	uint32_t *begins;
	uint32_t begin_room;
	struct function_match match; /* only with options.joined */
	struct device_calls device;
	struct call_workers *workers; /* NULL: not needed, or not yet */
	unsigned threads;             /* that may count */
	uint64_t run_events;
	uint32_t alone; /* EVENTS_ALONE that are left */
};

struct replay *replay_new(struct trace *trace, struct replay_options options)
{
	struct replay *replay = memory_new_zeroed(1, sizeof(*replay));

	if (replay == NULL)
		return NULL;
	replay->trace = trace;
	replay->options = options;
	if (options.losses == NULL)
		replay->options.losses = trace->losses;
	replay->calls.options = (struct calls_options){
		.tree = options.tree,
		.no_edges = options.no_edges,
		.all_edge_times = options.all_edge_times,
		.no_times = options.device == REPLAY_DEVICE,
	};
	if (!options.tree)
		replay->threads = thread_half(trace->request.jobs);
	replay->calls.profile = profile_new();
	if (replay->calls.profile == NULL ||
		!device_calls_init(&replay->device, trace) ||
		(options.joined &&
			!function_match_init(&replay->match, options.match))) {
		profile_free(replay->calls.profile);
		memory_free(replay);
		return NULL;
	}
	replay->device.losses = replay->options.losses;
	return replay;
}

void replay_free(struct replay *replay)
{
	if (replay == NULL)
		return;
	call_workers_free(replay->workers);
	for (uint32_t i = 0; i < replay->track_count; i++) {
		call_stack_clear(&replay->tracks[i].stack);
		memory_free(replay->tracks[i].open);
	}
	memory_free(replay->tracks);
	memory_free(replay->begins);
	function_match_clear(&replay->match);
	device_calls_clear(&replay->device);
	calls_clear(&replay->calls);
	profile_free(replay->calls.profile);
	memory_free(replay);
}

static inline struct call_track *find_track(
	struct replay *replay, uint32_t track)
{
	return array_ensure_index(&replay->tracks, track, &replay->track_count,
		       sizeof(*replay->tracks))
		       ? &replay->tracks[track]
		       : NULL;
}

/* PyTorch's profiler puts file and line of Python into the name. */
static uint32_t add_python(
	struct replay *replay, const char *name, struct function_place place)
{
	char *file = memory_resize_array(NULL, place.file_size + 1, 1);
	uint32_t function;

	if (file == NULL)
		return PROFILE_NONE;
	memcpy(file, name, place.file_size);
	file[place.file_size] = '\0';
	function = profile_add_function(
		replay->calls.profile, place.name, file, place.line);
	memory_free(file);
	return function;
}

static uint32_t add_function(struct replay *replay, uint32_t site)
{
	const struct trace *trace = replay->trace;
	const char *name = trace_site_name(trace, site);
	const char *category =
		strtab_text(trace->text, trace->sites[site].category, NULL);
	struct function_place place;

	if (trace->sites[site].file == 0 &&
		strcmp(category, "python_function") == 0 &&
		function_name_find_place(name, &place))
		return add_python(replay, name, place);
	return profile_add_function(replay->calls.profile, name,
		trace_site_file(trace, site), trace->sites[site].line);
}

/* The site's item of `begins`; 0 if out of memory. */
static uint32_t make_function(struct replay *replay, uint32_t site)
{
	const struct trace *trace = replay->trace;
	uint32_t function;

	if (!array_ensure_index(&replay->begins, site + 1, &replay->begin_room,
		    sizeof(*replay->begins)))
		return 0;
	function = add_function(replay, site);
	if (function != PROFILE_NONE && replay->options.joined)
		function = function_match_find(
			&replay->match, replay->calls.profile, function);
	if (function == PROFILE_NONE)
		return 0;
	replay->begins[site + 1] = function + 1;
	if (trace_site_is_api(trace, site))
		replay->begins[site + 1] |= CALL_API;
	if (trace_site_is_python(trace, site))
		replay->calls.profile->no_root = true;
	return replay->begins[site + 1];
}

static inline uint32_t begin_of(struct replay *replay, uint32_t site)
{
	if (site + 1 < replay->begin_room && replay->begins[site + 1] != 0)
		return replay->begins[site + 1];
	return make_function(replay, site);
}

static int64_t standing_time(
	struct replay *replay, struct call_track *track, int64_t time_ns)
{
	if (!track->used) {
		track->used = true;
		replay->calls.profile->thread_count++;
	} else if (time_ns < track->last_ns) {
		replay->options.losses[LOSS_BACKWARD_TIMES]++;
		return track->last_ns;
	}
	track->last_ns = time_ns;
	return time_ns;
}

/* Begins and ends of a track. */
struct events {
	const uint32_t *sites;
	const int64_t *times_ns;
	uint32_t count; /* at most CHUNK */
};

enum accepted { ACCEPTED, LEFT_OUT, NO_MEMORY };

/*
 * Accepts an event, and sets its begin (or CALL_END) and its time. Ends without a
 * begin are left out. Times that go back are clamped, so no duration is negative
 * and no child is longer than its parent.
 */
static inline enum accepted accept_one(struct replay *replay,
	struct call_track *track, uint32_t site, uint32_t *begin,
	int64_t *time_ns)
{
	if (site != TRACE_NONE) {
		*begin = begin_of(replay, site);
		if (*begin == 0)
			return NO_MEMORY;
		track->open[track->depth++] = *begin;
	} else if (track->depth == 0) {
		replay->options.losses[LOSS_STRAY_ENDS]++;
		return LEFT_OUT;
	} else {
		*begin = CALL_END;
		track->depth--;
	}
	*time_ns = standing_time(replay, track, *time_ns);
	return ACCEPTED;
}

/* Accepts events, and returns their number in `to`; UINT32_MAX if out of memory.
 */
static uint32_t accept_any(struct replay *replay, struct call_track *track,
	const struct events *events, const struct call_room *to)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < events->count; i++) {
		enum accepted accepted;

		to->times_ns[count] = events->times_ns[i];
		accepted = accept_one(replay, track, events->sites[i],
			&to->begins[count], &to->times_ns[count]);
		if (accepted == NO_MEMORY)
			return UINT32_MAX;
		count += accepted == ACCEPTED;
	}
	return count;
}

/*
 * The same for most events: known sites, ends with their begins, and times that
 * do not go back. Returns their number before the first other event; what it
 * wrote beyond does no harm. Begins and ends cannot be predicted, so there are
 * no branches for them.
 */
static uint32_t accept_known(const struct replay *replay,
	struct call_track *track, const struct events *events,
	const struct call_room *to)
{
	const uint32_t *known = replay->begins;
	const struct events from = *events;
	const struct call_room room = *to;
	uint32_t *open = track->open;
	int64_t last_ns = track->last_ns;
	uint32_t depth = track->depth;
	uint32_t count;

	for (count = 0; count < from.count; count++) {
		const uint32_t site = from.sites[count];
		const int64_t time_ns = from.times_ns[count];
		const uint32_t begin = known[(uint32_t)(site + 1)];
		const uint32_t is_end = site == TRACE_NONE;

		if (((begin == 0) > is_end) | (is_end > depth) |
			(time_ns < last_ns))
			break;
		last_ns = time_ns;
		open[depth] = begin;
		depth += 1 - 2 * is_end;
		room.begins[count] = begin;
		room.times_ns[count] = time_ns;
	}
	track->depth = depth;
	track->last_ns = last_ns;
	return count;
}

static uint32_t accept(struct replay *replay, struct call_track *track,
	const struct events *events, const struct call_room *to)
{
	const uint32_t known =
		track->used ? accept_known(replay, track, events, to) : 0;
	const struct events others = {events->sites + known,
		events->times_ns + known, events->count - known};
	const struct call_room room = {
		to->begins + known, to->times_ns + known};
	const uint32_t count = accept_any(replay, track, &others, &room);

	return count == UINT32_MAX ? count : known + count;
}

/* Makes room for what accept() writes; false if out of memory. */
static bool prepare(
	struct replay *replay, struct call_track *track, uint32_t count)
{
	return array_ensure_index(&replay->begins, replay->trace->site_count,
		       &replay->begin_room, sizeof(*replay->begins)) &&
	       array_ensure_index(&track->open, track->depth + count,
		       &track->room, sizeof(*track->open));
}

/* Has other threads count calls, if that is useful from now on. */
static void start_workers(struct replay *replay, uint32_t count)
{
	replay->run_events += count;
	if (replay->threads == 0 || replay->workers != NULL ||
		(replay->trace->request.jobs == 0 &&
			replay->run_events < LEAST_EVENTS))
		return;
	replay->workers =
		call_workers_new(replay->calls.options, replay->threads);
	if (replay->workers == NULL)
		replay->threads = 0;
}

/* Waits until all accepted calls are counted; false if out of memory. */
static bool count_all(struct replay *replay)
{
	if (replay->workers == NULL)
		return true;
	replay->alone = EVENTS_ALONE;
	return call_workers_finish(
		replay->workers, &replay->calls, replay->tracks);
}

static bool add_one(struct replay *replay, struct call_track *track,
	uint32_t site, int64_t time_ns)
{
	uint32_t begin;

	replay->alone -= replay->alone > 0;
	switch (accept_one(replay, track, site, &begin, &time_ns)) {
	case ACCEPTED:
		break;
	case LEFT_OUT:
		return true;
	case NO_MEMORY:
		return false;
	}
	if (begin != CALL_END)
		return calls_begin(
			&replay->calls, &track->stack, begin, time_ns);
	calls_end(&replay->calls, &track->stack, time_ns);
	return true;
}

static bool add_alone(struct replay *replay, struct call_track *track,
	const struct events *events)
{
	uint32_t begins[CHUNK];
	int64_t times_ns[CHUNK];
	const struct call_room room = {begins, times_ns};
	struct call_run run = {.begins = begins, .times_ns = times_ns};

	replay->alone -=
		events->count < replay->alone ? events->count : replay->alone;
	run.count = accept(replay, track, events, &room);
	return run.count != UINT32_MAX &&
	       calls_add(&replay->calls, &track->stack, &run, 0);
}

static bool add_for_workers(
	struct replay *replay, uint32_t number, const struct events *events)
{
	struct call_workers *workers = replay->workers;
	struct call_track *track = &replay->tracks[number];
	struct call_room room;
	uint32_t count;

	if (!call_workers_give(
		    workers, number, &replay->calls, replay->tracks) ||
		!call_workers_room(workers, number, track, &room))
		return false;
	count = accept(replay, track, events, &room);
	if (count == UINT32_MAX)
		return false;
	call_workers_added(workers, count);
	return true;
}

static bool add_events(
	struct replay *replay, uint32_t number, const struct events *events)
{
	struct call_track *track = find_track(replay, number);

	if (track == NULL || !prepare(replay, track, events->count))
		return false;
	if (replay->workers != NULL && replay->alone == 0 &&
		!call_workers_are_useful(replay->workers, track) &&
		!count_all(replay))
		return false;
	return replay->workers == NULL || replay->alone > 0
		       ? add_alone(replay, track, events)
		       : add_for_workers(replay, number, events);
}

static bool begin_or_end(struct replay *replay, const struct event *event)
{
	const uint32_t site =
		event->kind == EVENT_BEGIN ? event->site : TRACE_NONE;
	const struct events events = {&site, &event->time_ns, 1};
	struct call_track *track;

	if (replay->workers != NULL && replay->alone == 0)
		return add_events(replay, event->track, &events);
	track = find_track(replay, event->track);
	return track != NULL &&
	       array_reserve32(&track->open, track->depth, &track->room,
		       sizeof(*track->open)) &&
	       add_one(replay, track, site, event->time_ns);
}

/* Adds a range that does not nest as a root call, unless it is the span of a
 * recording. */
static enum ctp_status complete(
	struct replay *replay, const struct event *event)
{
	uint64_t dur_ns =
		replay->options.device == REPLAY_DEVICE ? 0 : event->dur_ns;
	struct profile_function *function;
	uint32_t begin;
	uint32_t number;

	if (trace_site_is_span(replay->trace, event->site)) {
		replay->options.losses[LOSS_LEFT_OUT]++;
		return CTP_OK;
	}
	begin = begin_of(replay, event->site);
	if (begin == 0)
		return CTP_ERR_NOMEM;
	number = call_function(begin);
	function = &replay->calls.profile->functions[number];
	calls_cost(&function->cost, dur_ns, dur_ns, true, true);
	calls_cost(&function->root, dur_ns, dur_ns, true, true);
	replay->calls.profile->total_ns += dur_ns;
	if (replay->options.tree) {
		uint32_t node = profile_children_find(&replay->calls.children,
			replay->calls.profile, 0, number);

		if (node == PROFILE_NONE)
			return CTP_ERR_NOMEM;
		replay->calls.profile->nodes[node].ncalls++;
		replay->calls.profile->nodes[node].self_ns += dur_ns;
	}
	return CTP_OK;
}

/* ---- what devices did ---- */

/*
 * Device activities become calls of separate functions, made by the range that
 * launched them: not the API call, but its caller. That range may have ended by
 * then, and others like it may be open, so a launch keeps its whole context
 * (the path of open functions) as a node of the profile's tree. A profile
 * without a tree has only the nodes needed for this, with the device time; from
 * them the device time below each function is computed at the end.
 */

/* The launching frame: the innermost that is not an API call; if all are, the
 * innermost. The stack is not empty. */
static uint32_t launcher_of(const struct call_stack *stack)
{
	for (uint32_t i = stack->depth; i-- > 0;)
		if (!stack->frames[i].api)
			return i;
	return stack->depth - 1;
}

/* Returns a track's stack of open calls, after count_all(); NULL if it is empty.
 */
static struct call_stack *used_stack(
	const struct replay *replay, uint32_t track)
{
	if (track >= replay->track_count ||
		replay->tracks[track].stack.depth == 0)
		return NULL;
	return &replay->tracks[track].stack;
}

static enum ctp_status correlate(
	struct replay *replay, const struct event *event)
{
	struct call_stack *stack;
	uint32_t context = 0;

	if (replay->options.device == REPLAY_HOST)
		return CTP_OK;
	if (!count_all(replay))
		return CTP_ERR_NOMEM;
	stack = used_stack(replay, event->track);
	if (stack != NULL)
		context = calls_context(
			&replay->calls, stack, launcher_of(stack));
	return context != PROFILE_NONE &&
			       device_calls_add_launch(
				       &replay->device, event, context)
		       ? CTP_OK
		       : CTP_ERR_NOMEM;
}

/* The arguments of a range may list graph nodes that it captured. */
static enum ctp_status args(struct replay *replay, const struct event *event)
{
	const struct call_stack *stack;

	if (!device_calls_is_capture(&replay->device, event))
		return CTP_OK;
	if (!count_all(replay))
		return CTP_ERR_NOMEM;
	stack = used_stack(replay, event->track);
	if (stack == NULL)
		return CTP_OK;
	return device_calls_add_captures(&replay->device, event,
		       stack->frames[launcher_of(stack)].function)
		       ? CTP_OK
		       : CTP_ERR_NOMEM;
}

/* Adds the time to a leaf of the function below its context or, without a tree,
 * to the context itself. */
static bool add_to_node(struct replay *replay, uint32_t function,
	uint32_t context, uint64_t time_ns)
{
	struct profile *profile = replay->calls.profile;
	uint32_t node = context;

	if (replay->options.tree) {
		node = profile_children_find(
			&replay->calls.children, profile, context, function);
		if (node == PROFILE_NONE)
			return false;
		profile->nodes[node].ncalls++;
	}
	if (node != 0)
		profile->nodes[node].self_ns += time_ns;
	return true;
}

/* Adds a call to the function and to its edge or root. */
static enum ctp_status add_work(struct replay *replay, uint32_t function,
	uint32_t context, const struct event *event)
{
	struct profile *profile = replay->calls.profile;
	struct profile_device work = {.self_ns = event->dur_ns,
		.total_ns = event->dur_ns,
		.min_ns = event->dur_ns,
		.max_ns = event->dur_ns,
		.bytes = event->bytes};
	struct profile_function *entry = &profile->functions[function];

	if (!add_to_node(replay, function, context, event->dur_ns))
		return CTP_ERR_NOMEM;
	if (context == 0) {
		calls_cost(
			&entry->root, event->dur_ns, event->dur_ns, true, true);
	} else if (!replay->options.no_edges) {
		uint32_t edge = calls_edge(&replay->calls,
			profile->nodes[context].function, function);

		if (edge == PROFILE_NONE)
			return CTP_ERR_NOMEM;
		calls_cost(&profile->edges[edge].cost, event->dur_ns,
			event->dur_ns, true, true);
	}
	work.kind = entry->device.kind;
	work.number = entry->device.number;
	if (entry->cost.ncalls == 0)
		entry->device = work;
	else
		profile_device_add(&entry->device, &work);
	calls_cost(&entry->cost, event->dur_ns, event->dur_ns, true, true);
	profile->total_ns += event->dur_ns;
	return CTP_OK;
}

static enum ctp_status activity(
	struct replay *replay, const struct event *event)
{
	enum ctp_status status;
	uint32_t function;
	uint32_t context;

	if (replay->options.device == REPLAY_HOST)
		return CTP_OK;
	if (!count_all(replay))
		return CTP_ERR_NOMEM;
	status = device_calls_find(
		&replay->device, replay->calls.profile, event, &function);
	if (status != CTP_OK || function == PROFILE_NONE)
		return status;
	context = device_calls_find_context(
		&replay->device, replay->calls.profile, event);
	device_calls_count_captured(
		&replay->device, replay->calls.profile, event);
	return add_work(replay, function, context, event);
}

/* Completes a profile, the replay's own or its copy: adds the device time to
 * the host functions and removes a tree that was not requested. False if out of
 * memory. */
static bool sum_device(struct replay *replay, struct profile *profile)
{
	const struct replay_options *options = &replay->options;
	const struct device_calls_sum how = {
		.has_leaves = options->tree,
		.as_time = options->device == REPLAY_DEVICE,
		.all_edge_times = options->all_edge_times,
		.repeats = replay->calls.repeats,
		.repeat_count = replay->calls.repeat_room,
	};

	if (profile_has_device(profile) && !device_calls_sum(profile, &how))
		return false;
	if (!options->tree)
		profile_clear_nodes(profile);
	return true;
}

/* ---- all events ---- */

enum ctp_status replay_add(
	struct replay *replay, const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (event->kind == EVENT_BEGIN || event->kind == EVENT_END)
		status = begin_or_end(replay, event) ? CTP_OK : CTP_ERR_NOMEM;
	else if (event->kind == EVENT_COMPLETE)
		status = complete(replay, event);
	else if (event->kind == EVENT_CORRELATION)
		status = correlate(replay, event);
	else if (event->kind == EVENT_ACTIVITY)
		status = activity(replay, event);
	else if (event->kind == EVENT_ARGS)
		status = args(replay, event);
	if (status != CTP_OK)
		return ctp_fail(err, status, "out of memory");
	return CTP_OK;
}

enum ctp_status replay_add_run(struct replay *replay,
	const struct event_run *run, struct ctp_error *err)
{
	start_workers(replay, run->count);
	for (uint32_t at = 0; at < run->count; at += CHUNK) {
		const uint32_t left = run->count - at;
		const struct events events = {run->sites + at,
			run->times_ns + at, left < CHUNK ? left : CHUNK};

		if (!add_events(replay, run->track, &events))
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

void replay_restart(struct replay *replay)
{
	for (uint32_t i = 0; i < replay->track_count; i++) {
		assert(replay->tracks[i].depth == 0);
		replay->tracks[i].used = false;
	}
}

/* Closes a track's open calls at the known end of its recording; returns that
 * time. */
static int64_t close_calls(struct replay *replay, uint32_t number)
{
	struct call_track *track = &replay->tracks[number];
	struct call_stack *stack = &track->stack;
	int64_t end_ns = trace_track_end(replay->trace, number);

	if (end_ns < track->last_ns)
		end_ns = track->last_ns;
	replay->calls.profile->open_calls += stack->depth;
	while (stack->depth > 0)
		calls_end(&replay->calls, stack, end_ns);
	return end_ns;
}

/* Completes the profile with what other threads counted; false if out of
 * memory. */
static bool collect(struct replay *replay)
{
	return replay->workers == NULL ||
	       (count_all(replay) &&
		       call_workers_collect(replay->workers, &replay->calls));
}

enum ctp_status replay_snapshot(
	struct replay *replay, struct profile **out, struct ctp_error *err)
{
	struct profile *own = replay->calls.profile;
	struct profile *copy = collect(replay) ? profile_copy(own) : NULL;

	if (copy == NULL)
		return ctp_no_memory(err);
	replay->calls.profile = copy;
	replay->calls.has_memory = false;
	for (uint32_t i = 0; i < replay->track_count; i++) {
		struct call_stack *stack = &replay->tracks[i].stack;
		uint32_t depth = stack->depth;

		if (depth > 0)
			calls_reopen(&replay->calls, stack, depth,
				close_calls(replay, i));
	}
	replay->calls.profile = own;
	replay->calls.has_memory = own->memory != NULL;
	if (!sum_device(replay, copy)) {
		profile_free(copy);
		return ctp_no_memory(err);
	}
	*out = copy;
	return CTP_OK;
}

/* Whether all memory was counted. */
static bool memory_is_whole(const struct replay *replay)
{
	const struct profile_memory *memory = replay->calls.profile->memory;

	return memory == NULL || !memory->failed;
}

enum ctp_status replay_finish(
	struct replay *replay, struct profile **out, struct ctp_error *err)
{
	if (!collect(replay))
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < replay->track_count; i++)
		if (replay->tracks[i].stack.depth > 0)
			(void)close_calls(replay, i);
	replay->options.losses[LOSS_OPEN_RANGES] +=
		replay->calls.profile->open_calls;
	if (replay->options.tree && replay->calls.profile->node_count == 0 &&
		profile_add_node(replay->calls.profile, 0, PROFILE_NONE) ==
			PROFILE_NONE)
		return ctp_no_memory(err);
	if (!sum_device(replay, replay->calls.profile) ||
		!memory_is_whole(replay))
		return ctp_no_memory(err);
	*out = replay->calls.profile;
	replay->calls.profile = NULL;
	return CTP_OK;
}

/* ---- what calls use beside time ---- */

/*
 * Memory is counted for the innermost call and added to its caller when the
 * call ends: O(1) per record at any depth, and free without records.
 */
bool replay_is_open(const struct replay *replay, uint32_t track)
{
	return track < replay->track_count && replay->tracks[track].depth > 0;
}

bool replay_memory(struct replay *replay, const struct replay_memory *memory)
{
	const struct call_stack *stack;
	struct call_frame *frame;
	struct profile *profile = replay->calls.profile;
	struct profile_amount amount = {.failed = memory->failed};
	uint32_t *own;
	uint32_t owner;

	if (!count_all(replay))
		return false;
	stack = used_stack(replay, memory->track);
	frame = &stack->frames[stack->depth - 1];
	own = &profile->functions[frame->function].use.memory;
	if (profile->memory == NULL)
		profile->memory = profile_memory_new();
	if (profile->memory == NULL)
		return false;
	owner = profile_memory_find(profile->memory, memory->owner);
	if (owner == UINT32_MAX)
		return false;
	replay->calls.has_memory = true;
	if (!memory->failed) {
		profile->memory->owners[owner].records++;
		amount.total_bytes = memory->bytes;
	}
	profile_memory_add(profile->memory, &frame->memory, owner, amount);
	/* Add it to the grand total; a function's total is added when its call
	 * ends. */
	amount.self_bytes = amount.total_bytes;
	profile_memory_add(
		profile->memory, &profile->memory->all, owner, amount);
	amount = (struct profile_amount){.self_bytes = amount.self_bytes};
	profile_memory_add(profile->memory, own, owner, amount);
	return !profile->memory->failed;
}

bool replay_flops(struct replay *replay, uint32_t track, uint64_t flops)
{
	const struct call_stack *stack;
	uint64_t *sum;

	if (!count_all(replay))
		return false;
	stack = used_stack(replay, track);
	sum = &replay->calls.profile
		       ->functions[stack->frames[stack->depth - 1].function]
		       .use.flops;
	*sum = saturate_sum(*sum, flops);
	return true;
}
