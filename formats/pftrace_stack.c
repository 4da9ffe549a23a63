/* SPDX-License-Identifier: MIT */
#include "pftrace_stack.h"

#include <assert.h>
#include <string.h>

#include "memory.h"
#include "pftrace_args.h"
#include "protobuf.h"

uint64_t pftrace_stack_track(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	if (!track->has_ranges)
		return track->uuid;
	return pftrace_track_level(tracks, track, track->stack.depth);
}

bool pftrace_stack_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	struct pftrace_packets *packets = tracks->packets;
	struct pftrace_stack *stack = &track->stack;
	struct buffer *out;
	uint64_t uuid;

	if (!stack->is_held)
		return true;
	uuid = pftrace_track_level(tracks, track, stack->depth - 1);
	if (uuid == 0 || stack->held.failed)
		return false;
	stack->is_held = false;
	out = pftrace_event_begin(
		packets, PFTRACE_SLICE_BEGIN, uuid, stack->held_ns);
	pftrace_args_add_site(packets, out, stack->held_site);
	buffer_add(out, stack->held.bytes, stack->held.used);
	pftrace_event_end(packets);
	return true;
}

static bool reach(struct pftrace_stack *stack)
{
	uint32_t room = stack->late_room == 0 ? 16 : stack->late_room * 2;
	struct buffer *late;

	if (stack->depth < stack->late_room)
		return true;
	if (stack->late_room > UINT32_MAX / 4)
		return false;
	late = memory_resize_array(stack->late, room, sizeof(*late));
	if (late == NULL)
		return false;
	memset(late + stack->late_room, 0,
		(room - stack->late_room) * sizeof(*late));
	stack->late = late;
	stack->late_room = room;
	return true;
}

bool pftrace_stack_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event)
{
	struct pftrace_stack *stack = &track->stack;

	if (!pftrace_stack_flush(tracks, track) || !reach(stack))
		return false;
	track->has_ranges = true;
	stack->late[stack->depth].used = 0;
	stack->depth++;
	stack->is_held = true;
	stack->held_ns = event->time_ns;
	stack->held_site = event->site;
	stack->held.used = 0;
	pftrace_args_add(tracks->packets, &stack->held, event);
	return true;
}

struct buffer *pftrace_stack_fields(struct pftrace_track *track)
{
	struct pftrace_stack *stack = &track->stack;

	assert(stack->depth > 0);
	return stack->is_held ? &stack->held : &stack->late[stack->depth - 1];
}

bool pftrace_stack_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event)
{
	struct pftrace_packets *packets = tracks->packets;
	struct pftrace_stack *stack = &track->stack;
	const struct buffer *late;
	struct buffer *out;

	pftrace_args_add(packets, pftrace_stack_fields(track), event);
	if (!pftrace_stack_flush(tracks, track))
		return false;
	late = &stack->late[--stack->depth];
	if (late->failed)
		return false;
	out = pftrace_event_begin(packets, PFTRACE_SLICE_END,
		pftrace_track_level(tracks, track, stack->depth),
		event->time_ns);
	buffer_add(out, late->bytes, late->used);
	pftrace_event_end(packets);
	return true;
}
