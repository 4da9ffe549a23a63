/* SPDX-License-Identifier: MIT */
#include "profile/call_batch.h"

#include <string.h>

#include "base/memory.h"

bool call_batch_init(struct call_batch *batch)
{
	*batch = (struct call_batch){
		.begins = memory_new_zeroed(
			CALL_BATCH_EVENTS, sizeof(*batch->begins)),
		.times_ns = memory_new_zeroed(
			CALL_BATCH_EVENTS, sizeof(*batch->times_ns)),
	};
	return batch->begins != NULL && batch->times_ns != NULL;
}

void call_batch_clear(struct call_batch *batch)
{
	memory_free(batch->begins);
	memory_free(batch->times_ns);
	memory_free(batch->open);
	memory_free(batch->segments);
	memory_free(batch->ended);
	memory_free(batch->left);
	memory_free(batch->edges);
	*batch = (struct call_batch){0};
}

void call_batch_reset(struct call_batch *batch)
{
	batch->count = 0;
	batch->open_count = 0;
	batch->segment_count = 0;
	batch->ended_count = 0;
	batch->left_count = 0;
	batch->edge_count = 0;
}

bool call_batch_continues(const struct call_batch *batch, uint32_t number)
{
	const uint32_t count = batch->segment_count;

	return count > 0 && batch->segments[count - 1].track == number;
}

bool call_batch_begin(struct call_batch *batch, uint32_t number,
	const struct call_track *track)
{
	const uint32_t depth = track->depth;

	if (!array_reserve32(&batch->segments, batch->segment_count,
		    &batch->segment_room, sizeof(*batch->segments)) ||
		!array_ensure_index(&batch->open, batch->open_count + depth,
			&batch->open_room, sizeof(*batch->open)))
		return false;
	if (depth > 0)
		memcpy(batch->open + batch->open_count, track->open,
			depth * sizeof(*batch->open));
	batch->segments[batch->segment_count++] = (struct call_segment){
		.track = number,
		.first = batch->count,
		.open_first = batch->open_count,
		.open_count = depth,
	};
	batch->open_count += depth;
	return true;
}

/* Adds the end of the innermost call, which was open before the segment. */
static bool end_outer(struct call_batch *batch, struct calls *calls,
	struct call_stack *stack, int64_t end_ns)
{
	if (!array_reserve32(&batch->ended, batch->ended_count,
		    &batch->ended_room, sizeof(*batch->ended)))
		return false;
	batch->ended[batch->ended_count++] = (struct call_ended){
		.end_ns = end_ns,
		.children_ns = stack->frames[stack->depth - 1].children_ns,
	};
	calls_drop(calls, stack);
	return true;
}

/* Lists the calls that are open after the segment, of which the lowest `kept`
 * were open before it. */
static bool list_left(struct call_batch *batch, struct call_segment *segment,
	const struct call_stack *stack, uint32_t kept)
{
	const uint32_t count = stack->depth - kept;

	segment->left_first = batch->left_count;
	segment->left_count = count;
	if (kept > 0)
		segment->children_ns = stack->frames[kept - 1].children_ns;
	if (!array_ensure_index(&batch->left, batch->left_count + count,
		    &batch->left_room, sizeof(*batch->left)))
		return false;
	for (uint32_t i = kept; i < stack->depth; i++) {
		const struct call_frame *frame = &stack->frames[i];

		batch->left[batch->left_count++] = (struct call_left){
			.start_ns = frame->start_ns,
			.children_ns = frame->children_ns,
			.begin = (frame->function + 1) |
				 (frame->api ? CALL_API : 0),
		};
	}
	return true;
}

static bool count_segment(struct call_batch *batch,
	struct call_segment *segment, struct calls *calls,
	struct call_stack *stack)
{
	struct call_run run = {
		.begins = batch->begins + segment->first,
		.times_ns = batch->times_ns + segment->first,
		.count = segment->count,
	};
	uint32_t kept = segment->open_count;

	for (uint32_t i = 0; i < kept; i++)
		if (!calls_begin(calls, stack,
			    batch->open[segment->open_first + i], 0))
			return false;
	segment->ended_first = batch->ended_count;
	for (;;) {
		if (!calls_add(calls, stack, &run, kept))
			return false;
		if (run.at == run.count)
			break;
		if (!end_outer(batch, calls, stack, run.times_ns[run.at++]))
			return false;
		kept--;
	}
	segment->ended_count = segment->open_count - kept;
	if (!list_left(batch, segment, stack, kept))
		return false;
	while (stack->depth > 0)
		calls_drop(calls, stack);
	return true;
}

/* Lists the edges that this thread has not seen before. */
static bool list_edges(
	struct call_batch *batch, const struct profile *profile, uint32_t first)
{
	const uint32_t count = profile->edge_count - first;

	if (!array_ensure_index(&batch->edges, count, &batch->edge_room,
		    sizeof(*batch->edges)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		batch->edges[i] = (struct call_edge){
			.caller = profile->edges[first + i].caller,
			.callee = profile->edges[first + i].callee,
		};
	batch->edge_count = count;
	return true;
}

void call_batch_count(struct call_batch *batch, struct calls *calls)
{
	struct profile *profile = calls->profile;
	const uint32_t first_edge = profile->edge_count;
	struct call_stack stack = {0};
	bool good =
		array_ensure_index(&profile->functions, batch->function_count,
			&profile->function_room, sizeof(*profile->functions));

	for (uint32_t i = 0; i < batch->segment_count && good; i++)
		good = count_segment(batch, &batch->segments[i], calls, &stack);
	batch->failed = !good || !list_edges(batch, profile, first_edge);
	call_stack_clear(&stack);
}

static bool apply_segment(const struct call_batch *batch,
	const struct call_segment *segment, struct calls *calls,
	struct call_stack *stack)
{
	for (uint32_t i = 0; i < segment->ended_count; i++) {
		const struct call_ended *ended =
			&batch->ended[segment->ended_first + i];

		stack->frames[stack->depth - 1].children_ns +=
			ended->children_ns;
		calls_end(calls, stack, ended->end_ns);
	}
	if (stack->depth > 0)
		stack->frames[stack->depth - 1].children_ns +=
			segment->children_ns;
	for (uint32_t i = 0; i < segment->left_count; i++) {
		const struct call_left *left =
			&batch->left[segment->left_first + i];

		if (!calls_begin(calls, stack, left->begin, left->start_ns))
			return false;
		stack->frames[stack->depth - 1].children_ns = left->children_ns;
	}
	return true;
}

bool call_batch_apply(const struct call_batch *batch, struct calls *calls,
	struct call_track *tracks)
{
	if (batch->failed)
		return false;
	for (uint32_t i = 0; i < batch->edge_count; i++)
		if (calls_edge(calls, batch->edges[i].caller,
			    batch->edges[i].callee) == PROFILE_NONE)
			return false;
	for (uint32_t i = 0; i < batch->segment_count; i++) {
		const struct call_segment *segment = &batch->segments[i];

		if (!apply_segment(batch, segment, calls,
			    &tracks[segment->track].stack))
			return false;
	}
	return true;
}
