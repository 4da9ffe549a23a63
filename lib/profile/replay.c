/* SPDX-License-Identifier: MIT */
/*
 * A stack per track. Bit sets of the open functions and edges determine in O(1)
 * whether a call is primitive. A track borrows a set while it has open calls,
 * so there are as many sets as threads alive at once, not as threads in all.
 */
#include "profile/replay.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "names/function_name.h"
#include "profile/profile.h"
#include "profile/device_calls.h"

#define HINTS 1024

/* Flag in `function_of_site`: a device API call. */
#define API (UINT32_C(1) << 31)

struct frame {
	int64_t start_ns;
	uint64_t children_ns;
	uint32_t function;
	uint32_t edge; /* PROFILE_NONE: a root call, or edges are off */
	uint32_t node; /* 0: not needed yet, only without a tree */
	bool api;
	uint8_t repeats; /* REPEATS_… */
	uint32_t memory; /* list, includes ended callees */
};

/* A bit for each function and edge with open calls. */
struct open_set {
	struct open_set *next; /* in the list of unused sets */
	uint64_t *functions;
	uint32_t function_words;
	uint64_t *edges;
	uint32_t edge_words;
};

struct stack {
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
	int64_t last_ns;
	bool used;
	struct open_set *open; /* NULL while no call is open */
};

struct replay {
	struct trace *trace;
	struct replay_options options;
	struct profile *profile;
	struct stack *stacks; /* by track */
	uint32_t stack_count;
	struct open_set *unused;
	uint32_t *function_of_site; /* + 1, with API; 0: not seen yet */
	uint32_t site_room;
	struct function_match match; /* only with options.joined */
	struct profile_children children;
	uint8_t *repeats; /* by node, as in struct device_calls_sum */
	uint32_t repeat_room;
	uint32_t edge_hints[HINTS];
	bool has_memory; /* there was a memory record, and it counts */
	struct device_calls device;
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
	replay->profile = profile_new();
	if (replay->profile == NULL ||
		!device_calls_init(&replay->device, trace) ||
		(options.joined &&
			!function_match_init(&replay->match, options.match))) {
		profile_free(replay->profile);
		memory_free(replay);
		return NULL;
	}
	replay->device.losses = replay->options.losses;
	return replay;
}

static void open_set_free(struct open_set *set)
{
	if (set == NULL)
		return;
	memory_free(set->functions);
	memory_free(set->edges);
	memory_free(set);
}

void replay_free(struct replay *replay)
{
	if (replay == NULL)
		return;
	for (uint32_t i = 0; i < replay->stack_count; i++) {
		memory_free(replay->stacks[i].frames);
		open_set_free(replay->stacks[i].open);
	}
	while (replay->unused != NULL) {
		struct open_set *set = replay->unused;

		replay->unused = set->next;
		open_set_free(set);
	}
	memory_free(replay->stacks);
	memory_free(replay->function_of_site);
	function_match_clear(&replay->match);
	device_calls_clear(&replay->device);
	profile_children_clear(&replay->children);
	memory_free(replay->repeats);
	profile_free(replay->profile);
	memory_free(replay);
}

static inline struct stack *find_stack(struct replay *replay, uint32_t track)
{
	return array_ensure_index(&replay->stacks, track, &replay->stack_count,
		       sizeof(*replay->stacks))
		       ? &replay->stacks[track]
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
		replay->profile, place.name, file, place.line);
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
	return profile_add_function(replay->profile, name,
		trace_site_file(trace, site), trace->sites[site].line);
}

/* The entry of `function_of_site`; 0 if out of memory. */
static uint32_t make_function(struct replay *replay, uint32_t site)
{
	const struct trace *trace = replay->trace;
	uint32_t function;

	if (!array_ensure_index(&replay->function_of_site, site,
		    &replay->site_room, sizeof(*replay->function_of_site)))
		return 0;
	function = add_function(replay, site);
	if (function != PROFILE_NONE && replay->options.joined)
		function = function_match_find(
			&replay->match, replay->profile, function);
	if (function == PROFILE_NONE)
		return 0;
	replay->function_of_site[site] = function + 1;
	if (trace_site_is_api(trace, site))
		replay->function_of_site[site] |= API;
	if (trace_site_is_python(trace, site))
		replay->profile->no_root = true;
	return replay->function_of_site[site];
}

static inline uint32_t function_of(struct replay *replay, uint32_t site)
{
	if (site < replay->site_room && replay->function_of_site[site] != 0)
		return replay->function_of_site[site];
	return make_function(replay, site);
}

static bool borrow_set(struct replay *replay, struct stack *stack)
{
	struct open_set *set = replay->unused;

	if (set != NULL)
		replay->unused = set->next;
	else
		set = memory_new_zeroed(1, sizeof(*set));
	stack->open = set;
	return set != NULL;
}

#define WORD_BITS 64

/* Makes room for the bit; false if out of memory. */
static inline bool ensure_bit(uint64_t **bits, uint32_t number, uint32_t *words)
{
	return array_ensure_index(
		bits, number / WORD_BITS, words, sizeof(**bits));
}

/* Returns whether the bit was set. */
static inline bool add_bit(uint64_t *bits, uint32_t number)
{
	uint64_t *word = &bits[number / WORD_BITS];
	const uint64_t bit = UINT64_C(1) << number % WORD_BITS;
	const bool was_there = (*word & bit) != 0;

	*word |= bit;
	return was_there;
}

static inline void remove_bit(uint64_t *bits, uint32_t number)
{
	bits[number / WORD_BITS] &= ~(UINT64_C(1) << number % WORD_BITS);
}

/* Clamps times of a track that go back, so no duration is negative and no child
 * is longer than its parent. */
static int64_t standing_time(
	struct replay *replay, struct stack *stack, int64_t time_ns)
{
	if (!stack->used) {
		stack->used = true;
		replay->profile->thread_count++;
	} else if (time_ns < stack->last_ns) {
		replay->options.losses[LOSS_BACKWARD_TIMES]++;
		return stack->last_ns;
	}
	stack->last_ns = time_ns;
	return time_ns;
}

/* Returns the edge, usually one of the last used, which is found without a
 * search. PROFILE_NONE if out of memory. */
static inline uint32_t edge_of(
	struct replay *replay, uint32_t caller, uint32_t callee)
{
	uint32_t *hint = &replay->edge_hints[(caller * 31 + callee) % HINTS];
	const struct profile *profile = replay->profile;

	if (*hint < profile->edge_count &&
		profile->edges[*hint].caller == caller &&
		profile->edges[*hint].callee == callee)
		return *hint;
	*hint = profile_add_edge(replay->profile, caller, callee);
	return *hint;
}

/* Returns the node of a frame below its caller's, added if new; PROFILE_NONE if
 * out of memory. */
static uint32_t node_of(
	struct replay *replay, uint32_t parent, const struct frame *frame)
{
	uint32_t count = replay->profile->node_count;
	uint32_t node = profile_children_find(
		&replay->children, replay->profile, parent, frame->function);

	if (node < count || node == PROFILE_NONE || frame->repeats == 0)
		return node;
	if (!array_ensure_index(&replay->repeats, node, &replay->repeat_room,
		    sizeof(*replay->repeats)))
		return PROFILE_NONE;
	replay->repeats[node] = frame->repeats;
	return node;
}

/* Sets the edge and node of a frame in place, above its caller's; false if out
 * of memory. */
static inline bool link_frame(
	struct replay *replay, struct stack *stack, struct frame *frame)
{
	const struct frame *parent = stack->depth == 0 ? NULL : frame - 1;

	if (parent != NULL && !replay->options.no_edges) {
		frame->edge =
			edge_of(replay, parent->function, frame->function);
		if (frame->edge == PROFILE_NONE ||
			!ensure_bit(&stack->open->edges, frame->edge,
				&stack->open->edge_words))
			return false;
		if (add_bit(stack->open->edges, frame->edge))
			frame->repeats |= REPEATS_EDGE;
	}
	if (add_bit(stack->open->functions, frame->function))
		frame->repeats |= REPEATS_FUNCTION;
	if (!replay->options.tree)
		return true;
	frame->node = node_of(replay, parent ? parent->node : 0, frame);
	return frame->node != PROFILE_NONE;
}

/* Opens a call. The frame is filled in place: loads from a copy of it would wait
 * for the narrower stores. */
static inline bool begin_call(struct replay *replay, struct stack *stack,
	uint32_t site, int64_t time_ns)
{
	uint32_t entry = function_of(replay, site);
	uint32_t function = (entry & ~API) - 1;
	struct frame *frame;

	if (entry == 0 || (stack->open == NULL && !borrow_set(replay, stack)) ||
		!ensure_bit(&stack->open->functions, function,
			&stack->open->function_words) ||
		!array_reserve32(&stack->frames, stack->depth, &stack->room,
			sizeof(*stack->frames)))
		return false;
	/* Needed when the call ends. */
	__builtin_prefetch(&replay->profile->functions[function].cost, 1);
	frame = &stack->frames[stack->depth];
	frame->start_ns = standing_time(replay, stack, time_ns);
	frame->children_ns = 0;
	frame->function = function;
	frame->edge = PROFILE_NONE;
	frame->node = 0;
	frame->api = (entry & API) != 0;
	frame->repeats = 0;
	frame->memory = 0;
	if (!link_frame(replay, stack, frame))
		return false;
	stack->depth++;
	return true;
}

static enum ctp_status begin(struct replay *replay, const struct event *event)
{
	struct stack *stack = find_stack(replay, event->track);

	return stack != NULL && begin_call(replay, stack, event->site,
					event->time_ns)
		       ? CTP_OK
		       : CTP_ERR_NOMEM;
}

static void cost_call(struct profile_cost *cost, uint64_t self_ns,
	uint64_t time_ns, bool primitive, bool add_time)
{
	cost->ncalls++;
	cost->tottime_ns += self_ns;
	if (primitive)
		cost->pcalls++;
	if (add_time)
		cost->cumtime_ns += time_ns;
}

/* At the end of a call, adds its memory to its caller's. */
static void pop_memory(struct replay *replay, const struct frame *frame,
	struct frame *caller, bool primitive)
{
	struct profile *profile = replay->profile;
	struct profile_memory *memory = profile->memory;
	uint32_t *sum = &profile->functions[frame->function].use.memory;

	if (primitive)
		profile_memory_add_list(memory, sum, frame->memory);
	if (caller != NULL && caller->memory == 0) {
		caller->memory = frame->memory;
		return;
	}
	if (caller != NULL)
		profile_memory_add_list(memory, &caller->memory, frame->memory);
	profile_memory_release(memory, frame->memory);
}

static void pop(struct replay *replay, struct stack *stack, int64_t end_ns)
{
	const struct frame *frame = &stack->frames[--stack->depth];
	struct profile *profile = replay->profile;
	uint64_t time_ns = (uint64_t)end_ns - (uint64_t)frame->start_ns;
	uint64_t self_ns = time_ns - frame->children_ns;
	uint64_t child_ns = time_ns;
	bool primitive = (frame->repeats & REPEATS_FUNCTION) == 0;
	bool all = replay->options.all_edge_times;

	if (primitive)
		remove_bit(stack->open->functions, frame->function);
	if (replay->options.device == REPLAY_DEVICE)
		self_ns = time_ns = 0;
	cost_call(&profile->functions[frame->function].cost, self_ns, time_ns,
		primitive, primitive);
	if (frame->edge != PROFILE_NONE) {
		bool first = (frame->repeats & REPEATS_EDGE) == 0;

		if (first)
			remove_bit(stack->open->edges, frame->edge);
		cost_call(&profile->edges[frame->edge].cost, self_ns, time_ns,
			all ? primitive : first, all || first);
	} else if (stack->depth == 0) {
		cost_call(&profile->functions[frame->function].root, self_ns,
			time_ns, true, true);
	}
	if (replay->options.tree) {
		profile->nodes[frame->node].ncalls++;
		profile->nodes[frame->node].self_ns += self_ns;
	}
	profile->total_ns += self_ns;
	if (replay->has_memory)
		pop_memory(replay, frame,
			stack->depth == 0 ? NULL
					  : &stack->frames[stack->depth - 1],
			primitive);
	if (stack->depth > 0) {
		stack->frames[stack->depth - 1].children_ns += child_ns;
	} else {
		stack->open->next = replay->unused;
		replay->unused = stack->open;
		stack->open = NULL;
	}
}

static inline void end_call(
	struct replay *replay, struct stack *stack, int64_t time_ns)
{
	if (stack->depth == 0)
		replay->options.losses[LOSS_STRAY_ENDS]++;
	else
		pop(replay, stack, standing_time(replay, stack, time_ns));
}

static enum ctp_status end(struct replay *replay, const struct event *event)
{
	struct stack *stack = find_stack(replay, event->track);

	if (stack == NULL)
		return CTP_ERR_NOMEM;
	end_call(replay, stack, event->time_ns);
	return CTP_OK;
}

/* Adds a range that does not nest as a root call, unless it is the span of a
 * recording. */
static enum ctp_status complete(
	struct replay *replay, const struct event *event)
{
	uint64_t dur_ns =
		replay->options.device == REPLAY_DEVICE ? 0 : event->dur_ns;
	struct profile_function *function;
	uint32_t entry;
	uint32_t number;

	if (trace_site_is_span(replay->trace, event->site)) {
		replay->options.losses[LOSS_LEFT_OUT]++;
		return CTP_OK;
	}
	entry = function_of(replay, event->site);
	if (entry == 0)
		return CTP_ERR_NOMEM;
	number = (entry & ~API) - 1;
	function = &replay->profile->functions[number];
	cost_call(&function->cost, dur_ns, dur_ns, true, true);
	cost_call(&function->root, dur_ns, dur_ns, true, true);
	replay->profile->total_ns += dur_ns;
	if (replay->options.tree) {
		uint32_t node = profile_children_find(
			&replay->children, replay->profile, 0, number);

		if (node == PROFILE_NONE)
			return CTP_ERR_NOMEM;
		replay->profile->nodes[node].ncalls++;
		replay->profile->nodes[node].self_ns += dur_ns;
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

/* Returns the context of a frame; those of its callers are usually known.
 * PROFILE_NONE if out of memory. */
static uint32_t context_of(
	struct replay *replay, struct stack *stack, uint32_t number)
{
	struct frame *frames = stack->frames;
	uint32_t first = number + 1;
	uint32_t node = 0;

	while (first > 0 && frames[first - 1].node == 0)
		first--;
	if (first > 0)
		node = frames[first - 1].node;
	for (uint32_t i = first; i <= number; i++) {
		node = node_of(replay, node, &frames[i]);
		if (node == PROFILE_NONE)
			return PROFILE_NONE;
		frames[i].node = node;
	}
	return node;
}

/* The launching frame: the innermost that is not an API call; if all are, the
 * innermost. The stack is not empty. */
static uint32_t launcher_of(const struct stack *stack)
{
	for (uint32_t i = stack->depth; i-- > 0;)
		if (!stack->frames[i].api)
			return i;
	return stack->depth - 1;
}

static enum ctp_status correlate(
	struct replay *replay, const struct event *event)
{
	struct stack *stack = event->track < replay->stack_count
				      ? &replay->stacks[event->track]
				      : NULL;
	uint32_t context = 0;

	if (replay->options.device == REPLAY_HOST)
		return CTP_OK;
	if (stack != NULL && stack->depth > 0)
		context = context_of(replay, stack, launcher_of(stack));
	return context != PROFILE_NONE &&
			       device_calls_add_launch(
				       &replay->device, event, context)
		       ? CTP_OK
		       : CTP_ERR_NOMEM;
}

/* The arguments of a range may list graph nodes that it captured. */
static enum ctp_status args(struct replay *replay, const struct event *event)
{
	const struct stack *stack = event->track < replay->stack_count
					    ? &replay->stacks[event->track]
					    : NULL;

	if (stack == NULL || stack->depth == 0 ||
		!device_calls_is_capture(&replay->device, event))
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
	struct profile *profile = replay->profile;
	uint32_t node = context;

	if (replay->options.tree) {
		node = profile_children_find(
			&replay->children, profile, context, function);
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
	struct profile *profile = replay->profile;
	struct profile_device work = {.self_ns = event->dur_ns,
		.total_ns = event->dur_ns,
		.min_ns = event->dur_ns,
		.max_ns = event->dur_ns,
		.bytes = event->bytes};
	struct profile_function *entry = &profile->functions[function];

	if (!add_to_node(replay, function, context, event->dur_ns))
		return CTP_ERR_NOMEM;
	if (context == 0) {
		cost_call(
			&entry->root, event->dur_ns, event->dur_ns, true, true);
	} else if (!replay->options.no_edges) {
		uint32_t edge = edge_of(
			replay, profile->nodes[context].function, function);

		if (edge == PROFILE_NONE)
			return CTP_ERR_NOMEM;
		cost_call(&profile->edges[edge].cost, event->dur_ns,
			event->dur_ns, true, true);
	}
	work.kind = entry->device.kind;
	work.number = entry->device.number;
	if (entry->cost.ncalls == 0)
		entry->device = work;
	else
		profile_device_add(&entry->device, &work);
	cost_call(&entry->cost, event->dur_ns, event->dur_ns, true, true);
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
	status = device_calls_find(
		&replay->device, replay->profile, event, &function);
	if (status != CTP_OK || function == PROFILE_NONE)
		return status;
	context = device_calls_find_context(
		&replay->device, replay->profile, event);
	device_calls_count_captured(&replay->device, replay->profile, event);
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
		.repeats = replay->repeats,
		.repeat_count = replay->repeat_room,
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

	if (event->kind == EVENT_BEGIN)
		status = begin(replay, event);
	else if (event->kind == EVENT_END)
		status = end(replay, event);
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
	struct stack *stack = find_stack(replay, run->track);

	if (stack == NULL)
		return ctp_no_memory(err);
	for (uint32_t i = 0; i < run->count; i++) {
		if (run->sites[i] == TRACE_NONE)
			end_call(replay, stack, run->times_ns[i]);
		else if (!begin_call(replay, stack, run->sites[i],
				 run->times_ns[i]))
			return ctp_no_memory(err);
	}
	return CTP_OK;
}

void replay_restart(struct replay *replay)
{
	for (uint32_t i = 0; i < replay->stack_count; i++) {
		assert(replay->stacks[i].depth == 0);
		replay->stacks[i].used = false;
	}
}

/* Closes a track's open calls at the known end of its recording; returns that
 * time. */
static int64_t close_stack(struct replay *replay, uint32_t track)
{
	struct stack *stack = &replay->stacks[track];
	int64_t end_ns = trace_track_end(replay->trace, track);

	if (end_ns < stack->last_ns)
		end_ns = stack->last_ns;
	replay->profile->open_calls += stack->depth;
	while (stack->depth > 0)
		pop(replay, stack, end_ns);
	return end_ns;
}

/* Undoes close_stack(), except what it added to the profile. */
static void reopen_stack(struct replay *replay, struct stack *stack,
	uint32_t depth, int64_t end_ns)
{
	/* The last set returned is the stack's own. */
	stack->open = replay->unused;
	replay->unused = stack->open->next;
	stack->depth = depth;
	for (uint32_t i = 0; i < depth; i++) {
		const struct frame *frame = &stack->frames[i];

		(void)add_bit(stack->open->functions, frame->function);
		if (frame->edge != PROFILE_NONE)
			(void)add_bit(stack->open->edges, frame->edge);
		if (i > 0)
			stack->frames[i - 1].children_ns -=
				(uint64_t)end_ns - (uint64_t)frame->start_ns;
	}
}

enum ctp_status replay_snapshot(
	struct replay *replay, struct profile **out, struct ctp_error *err)
{
	struct profile *own = replay->profile;
	struct profile *copy = profile_copy(own);

	if (copy == NULL)
		return ctp_no_memory(err);
	replay->profile = copy;
	replay->has_memory = false;
	for (uint32_t i = 0; i < replay->stack_count; i++) {
		struct stack *stack = &replay->stacks[i];
		uint32_t depth = stack->depth;

		if (depth > 0)
			reopen_stack(
				replay, stack, depth, close_stack(replay, i));
	}
	replay->profile = own;
	replay->has_memory = own->memory != NULL;
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
	const struct profile_memory *memory = replay->profile->memory;

	return memory == NULL || !memory->failed;
}

enum ctp_status replay_finish(
	struct replay *replay, struct profile **out, struct ctp_error *err)
{
	for (uint32_t i = 0; i < replay->stack_count; i++)
		if (replay->stacks[i].depth > 0)
			(void)close_stack(replay, i);
	replay->options.losses[LOSS_OPEN_RANGES] += replay->profile->open_calls;
	if (replay->options.tree && replay->profile->node_count == 0 &&
		profile_add_node(replay->profile, 0, PROFILE_NONE) ==
			PROFILE_NONE)
		return ctp_no_memory(err);
	if (!sum_device(replay, replay->profile) || !memory_is_whole(replay))
		return ctp_no_memory(err);
	*out = replay->profile;
	replay->profile = NULL;
	return CTP_OK;
}

/* ---- what calls use beside time ---- */

/*
 * Memory is counted for the innermost call and added to its caller when the
 * call ends: O(1) per record at any depth, and free without records.
 */
static const struct stack *used_stack(
	const struct replay *replay, uint32_t track)
{
	if (track >= replay->stack_count || replay->stacks[track].depth == 0)
		return NULL;
	return &replay->stacks[track];
}

bool replay_is_open(const struct replay *replay, uint32_t track)
{
	return used_stack(replay, track) != NULL;
}

bool replay_memory(struct replay *replay, const struct replay_memory *memory)
{
	const struct stack *stack = used_stack(replay, memory->track);
	struct frame *frame = &stack->frames[stack->depth - 1];
	struct profile *profile = replay->profile;
	struct profile_amount amount = {.failed = memory->failed};
	uint32_t *own = &profile->functions[frame->function].use.memory;
	uint32_t owner;

	if (profile->memory == NULL)
		profile->memory = profile_memory_new();
	if (profile->memory == NULL)
		return false;
	owner = profile_memory_find(profile->memory, memory->owner);
	if (owner == UINT32_MAX)
		return false;
	replay->has_memory = true;
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

void replay_flops(struct replay *replay, uint32_t track, uint64_t flops)
{
	const struct stack *stack = used_stack(replay, track);
	const struct frame *frame = &stack->frames[stack->depth - 1];
	uint64_t *sum = &replay->profile->functions[frame->function].use.flops;

	*sum = saturate_sum(*sum, flops);
}
