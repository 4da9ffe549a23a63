/* SPDX-License-Identifier: MIT */
/*
 * What calls use beside time. Memory is counted where it is taken and given
 * back, and goes up to the callers as each call ends: O(1) for a record,
 * whatever the depth, and nothing where there is none.
 */
#include "profile/replay_private.h"
#include "base/saturate.h"

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

bool replay_memory(struct replay *replay, const struct replay_memory *memory)
{
	const struct stack *stack = find_stack(replay, memory->track);
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
	/* In all it is this much; of a function that is so with its call. */
	amount.self_bytes = amount.total_bytes;
	profile_memory_add(
		profile->memory, &profile->memory->all, owner, amount);
	amount = (struct profile_amount){.self_bytes = amount.self_bytes};
	profile_memory_add(profile->memory, own, owner, amount);
	return !profile->memory->failed;
}

bool replay_memory_is_whole(const struct replay *replay)
{
	const struct profile_memory *memory = replay->profile->memory;

	return memory == NULL || !memory->failed;
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
