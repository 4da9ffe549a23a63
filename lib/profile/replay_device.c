/* SPDX-License-Identifier: MIT */
/*
 * What devices did becomes calls of functions of their own, made by the range
 * that launched them: not the call of the API, but what called that. The range
 * may be over by then, and more of its kind open, so a launch keeps its whole
 * context - the path of open functions - as a node of the profile's tree. A
 * profile without a tree has those nodes only that are needed for this, and in
 * them the device's time; they say in the end which is below which function.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "profile/activity_kind.h"
#include "base/memory.h"
#include "profile/profile_private.h"
#include "profile/replay_private.h"

void replay_device_clear(struct replay *replay)
{
	correlation_free(replay->launches);
	correlation_free(replay->captures);
	memory_free(replay->device_hints);
	memory_free(replay->device_files);
}

uint32_t replay_node(
	struct replay *replay, uint32_t parent, const struct frame *frame)
{
	uint32_t count = replay->profile->node_count;
	uint32_t node = replay_nodes_find(
		&replay->nodes, replay->profile, parent, frame->function);

	if (node < count || node == PROFILE_NONE || frame->repeats == 0)
		return node;
	if (!memory_reach(&replay->repeats, node, &replay->repeat_room,
		    sizeof(*replay->repeats)))
		return PROFILE_NONE;
	replay->repeats[node] = frame->repeats;
	return node;
}

/* The context of a frame. What is above it is not asked for, and what is below
 * it is mostly known already. PROFILE_NONE if out of memory. */
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
		node = replay_node(replay, node, &frames[i]);
		if (node == PROFILE_NONE)
			return PROFILE_NONE;
		frames[i].node = node;
	}
	return node;
}

/* The frame that launches: the innermost that is no call of the API; if all
 * are, the innermost. The stack is not empty. */
static uint32_t launcher_of(const struct stack *stack)
{
	for (uint32_t i = stack->depth; i-- > 0;)
		if (!stack->frames[i].api)
			return i;
	return stack->depth - 1;
}

enum ctp_status replay_correlate(
	struct replay *replay, const struct event *event)
{
	struct stack *stack = event->track < replay->stack_count
				      ? &replay->stacks[event->track]
				      : NULL;
	uint32_t node = 0;

	if (replay->options.device == REPLAY_HOST)
		return CTP_OK;
	if (replay->launches == NULL)
		replay->launches = correlation_new(CORRELATION_LIMIT);
	if (replay->launches == NULL)
		return CTP_ERR_NOMEM;
	if (stack != NULL && stack->depth > 0)
		node = context_of(replay, stack, launcher_of(stack));
	if (node == PROFILE_NONE ||
		!correlation_add(replay->launches,
			replay->trace->tracks[event->track].pid, event->id,
			node))
		return CTP_ERR_NOMEM;
	return CTP_OK;
}

/* Writes "<gpu:0 NAME>" to `out`, or "<gpu:0>" if no name is known. */
static void add_file(struct buffer *out, const struct trace *trace,
	const struct trace_track *track)
{
	const struct trace_device *device =
		trace_find_device(trace, track->pid, track->device);
	char number[32];

	(void)snprintf(number, sizeof(number), "<gpu:%" PRIu32, track->device);
	buffer_add_text(out, number);
	for (uint32_t i = 0; device != NULL && i < device->arg_count; i++) {
		const struct event_arg *arg = &device->args[i];

		if (arg->kind != ARG_TEXT ||
			strcmp(strtab_text(trace->text, arg->key, NULL),
				"name") != 0)
			continue;
		buffer_add_byte(out, ' ');
		buffer_add(out, arg->value.text.bytes, arg->value.text.size);
		break;
	}
	buffer_add_byte(out, '>');
}

/* What stands for the file of a track's functions: the same for all of them,
 * whatever is learnt later. NULL if out of memory. */
static const char *file_of(struct replay *replay, uint32_t track)
{
	struct trace *trace = replay->trace;
	struct buffer text = BUFFER_INIT;
	uint32_t file = STRTAB_NONE;

	if (!memory_reach(&replay->device_files, track,
		    &replay->device_file_room, sizeof(*replay->device_files)))
		return NULL;
	if (replay->device_files[track] == 0) {
		add_file(&text, trace, &trace->tracks[track]);
		if (!text.failed)
			file = strtab_add(
				trace->text, (char *)text.bytes, text.used);
		buffer_clear(&text);
		if (file == STRTAB_NONE)
			return NULL;
		replay->device_files[track] = file;
	}
	return strtab_text(trace->text, replay->device_files[track], NULL);
}

/* Finds or makes the function that this is a call of. */
static enum ctp_status make_function(
	struct replay *replay, const struct event *event, uint32_t *function)
{
	const struct trace *trace = replay->trace;
	const struct trace_track *track = &trace->tracks[event->track];
	enum profile_kind kind = activity_kind_of(trace, event->site);
	struct profile_device *device;
	const char *file;

	*function = PROFILE_NONE;
	if (track->kind != TRACE_STREAM || kind == PROFILE_HOST)
		return CTP_OK;
	file = file_of(replay, event->track);
	if (file == NULL)
		return CTP_ERR_NOMEM;
	*function = profile_add_function(
		replay->profile, trace_site_name(trace, event->site), file, 0);
	if (*function == PROFILE_NONE)
		return CTP_ERR_NOMEM;
	device = &replay->profile->functions[*function].device;
	device->kind = kind;
	device->number = track->device;
	return CTP_OK;
}

/* As make_function(); mostly one of the last met, found without a search. */
static enum ctp_status find_function(
	struct replay *replay, const struct event *event, uint32_t *function)
{
	uint32_t number = (event->site * 31 + event->track) % REPLAY_HINTS;
	struct device_hint *hint;
	enum ctp_status status;

	if (replay->device_hints == NULL)
		replay->device_hints = memory_new_zeroed(
			REPLAY_HINTS, sizeof(*replay->device_hints));
	if (replay->device_hints == NULL)
		return CTP_ERR_NOMEM;
	hint = &replay->device_hints[number];
	if (!hint->used || hint->site != event->site ||
		hint->track != event->track) {
		status = make_function(replay, event, function);
		if (status != CTP_OK)
			return status;
		*hint = (struct device_hint){
			event->site, event->track, *function, true};
	}
	*function = hint->function;
	return CTP_OK;
}

static void add_call(struct profile_cost *cost, uint64_t time_ns)
{
	cost->ncalls++;
	cost->pcalls++;
	cost->tottime_ns += time_ns;
	cost->cumtime_ns += time_ns;
}

/* The tree has a leaf for the function below its context; without a tree the
 * time is the context's. */
static bool add_to_node(struct replay *replay, uint32_t function,
	uint32_t context, uint64_t time_ns)
{
	struct profile *profile = replay->profile;
	uint32_t node = context;

	if (replay->options.tree) {
		node = replay_nodes_find(
			&replay->nodes, profile, context, function);
		if (node == PROFILE_NONE)
			return false;
		profile->nodes[node].ncalls++;
	}
	if (node != 0)
		profile->nodes[node].self_ns += time_ns;
	return true;
}

/* Adds a call to the function and to where it was called from. */
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
		add_call(&entry->root, event->dur_ns);
	} else if (!replay->options.no_edges) {
		uint32_t edge = replay_edge(
			replay, profile->nodes[context].function, function);

		if (edge == PROFILE_NONE)
			return CTP_ERR_NOMEM;
		add_call(&profile->edges[edge].cost, event->dur_ns);
	}
	work.kind = entry->device.kind;
	work.number = entry->device.number;
	if (entry->cost.ncalls == 0)
		entry->device = work;
	else
		profile_device_add(&entry->device, &work);
	add_call(&entry->cost, event->dur_ns);
	profile->total_ns += event->dur_ns;
	return CTP_OK;
}

enum ctp_status replay_args(struct replay *replay, const struct event *event)
{
	const struct stack *stack = event->track < replay->stack_count
					    ? &replay->stacks[event->track]
					    : NULL;

	if (stack == NULL || stack->depth == 0)
		return CTP_OK;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		if (arg->key != replay->capture_key || arg->kind != ARG_INT)
			continue;
		if (replay->captures == NULL)
			replay->captures = correlation_new(CORRELATION_LIMIT);
		if (replay->captures == NULL ||
			!correlation_add(replay->captures,
				replay->trace->tracks[event->track].pid,
				(uint64_t)arg->value.integer,
				stack->frames[launcher_of(stack)].function))
			return CTP_ERR_NOMEM;
	}
	return CTP_OK;
}

/* Work of a node counts for the function that captured it, too. */
static void count_captured(struct replay *replay, const struct event *event)
{
	int64_t pid = replay->trace->tracks[event->track].pid;
	uint64_t function;

	for (uint32_t i = 0; replay->captures != NULL && i < event->arg_count;
		i++) {
		const struct event_arg *arg = &event->args[i];

		if (arg->key == replay->capture_key && arg->kind == ARG_INT &&
			correlation_find(replay->captures, pid,
				(uint64_t)arg->value.integer, &function))
			replay->profile->functions[function]
				.device.captured_ns += event->dur_ns;
	}
}

enum ctp_status replay_activity(
	struct replay *replay, const struct event *event)
{
	uint64_t context = 0;
	enum ctp_status status;
	uint32_t function;

	if (replay->options.device == REPLAY_HOST)
		return CTP_OK;
	status = find_function(replay, event, &function);
	if (status != CTP_OK || function == PROFILE_NONE)
		return status;
	if (replay->launches == NULL ||
		!correlation_find(replay->launches,
			replay->trace->tracks[event->track].pid, event->id,
			&context)) {
		replay->profile->unmatched++;
		trace_lose(replay->trace, LOSS_UNMATCHED, 1);
	}
	count_captured(replay, event);
	return add_work(replay, function, (uint32_t)context, event);
}

bool replay_sum_device(struct replay *replay, struct profile *profile)
{
	const struct replay_options *options = &replay->options;
	const struct profile_device_sum how = {
		.has_leaves = options->tree,
		.as_time = options->device == REPLAY_DEVICE,
		.document_edges = options->document_edges,
		.repeats = replay->repeats,
		.repeat_count = replay->repeat_room,
	};

	if (profile_has_device(profile) && !profile_device_sum(profile, &how))
		return false;
	if (!options->tree)
		profile_clear_nodes(profile);
	return true;
}
