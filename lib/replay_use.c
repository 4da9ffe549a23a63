/* SPDX-License-Identifier: MIT */
/*
 * What calls use beside time. Memory is counted where it is taken and given
 * back, and goes up to the callers as each call ends: O(1) for a record,
 * whatever the depth, and nothing where there is none.
 */
#include "replay_private.h"
#include "saturate.h"

/* Sums are the input's, which may be anything: they wrap. */
static void add_bytes(int64_t *to, int64_t bytes)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)bytes);
}

static const struct stack *find_stack(
	const struct replay *replay, uint32_t track)
{
	if (track >= replay->stack_count || replay->stacks[track].depth == 0)
		return NULL;
	return &replay->stacks[track];
}

bool replay_is_open(const struct replay *replay, uint32_t track)
{
	return find_stack(replay, track) != NULL;
}

void replay_memory(struct replay *replay, const struct event *event)
{
	const struct stack *stack = find_stack(replay, event->track);
	enum profile_place place =
		event->device < 0 ? PROFILE_ON_HOST : PROFILE_ON_DEVICE;
	uint64_t bytes =
		event->kind == EVENT_FREE ? -event->bytes : event->bytes;
	struct profile *profile = replay->profile;
	struct frame *frame = &stack->frames[stack->depth - 1];

	replay->has_memory = true;
	profile->memory_count++;
	add_bytes(&frame->bytes[place], (int64_t)bytes);
	add_bytes(&profile->functions[frame->function].use.self_bytes[place],
		(int64_t)bytes);
}

void replay_flops(struct replay *replay, uint32_t track, uint64_t flops)
{
	const struct stack *stack = find_stack(replay, track);
	const struct frame *frame = &stack->frames[stack->depth - 1];
	uint64_t *sum = &replay->profile->functions[frame->function].use.flops;

	*sum = saturate_sum(*sum, flops);
}

void replay_pop_memory(struct replay *replay, const struct frame *frame,
	struct frame *caller, bool primitive)
{
	struct profile_use *use =
		&replay->profile->functions[frame->function].use;

	for (int place = 0; place < PROFILE_PLACES; place++) {
		if (primitive)
			add_bytes(
				&use->total_bytes[place], frame->bytes[place]);
		if (caller != NULL)
			add_bytes(&caller->bytes[place], frame->bytes[place]);
	}
}
