/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_stack.h"

#include <assert.h>
#include <string.h>

#include "trace/event.h"
#include "base/memory.h"
#include "perfetto/pftrace_args.h"

/* Lines in addition to those needed for depth. */
#define LINES_MAX 64

/* The innermost range's line, or the first. */
static uint32_t inner_line(const struct pftrace_stack *stack)
{
	return stack->depth == 0 ? 0 : stack->ranges[stack->depth - 1].line;
}

uint64_t pftrace_stack_track(const struct pftrace_track *track)
{
	const struct pftrace_stack *stack = &track->stack;

	if (!track->has_ranges)
		return track->uuid;
	return stack->lines[inner_line(stack)].uuid;
}

bool pftrace_stack_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track)
{
	struct pftrace_packets *packets = tracks->packets;
	struct pftrace_stack *stack = &track->stack;
	struct buffer *out;

	if (!stack->is_held)
		return true;
	if (stack->held.failed)
		return false;
	stack->is_held = false;
	out = pftrace_event_begin(packets, PFTRACE_SLICE_BEGIN,
		stack->lines[inner_line(stack)].uuid, stack->held_ns);
	pftrace_args_add_site(packets, out, stack->held_site);
	buffer_add(out, stack->held.bytes, stack->held.used);
	pftrace_event_end(packets);
	return true;
}

static bool reach(struct pftrace_stack *stack)
{
	uint32_t room = stack->range_room == 0 ? 16 : stack->range_room * 2;
	struct pftrace_range *ranges;

	if (stack->depth < stack->range_room)
		return true;
	if (stack->range_room > UINT32_MAX / 4)
		return false;
	ranges = memory_resize_array(stack->ranges, room, sizeof(*ranges));
	if (ranges == NULL)
		return false;
	memset(ranges + stack->range_room, 0,
		(room - stack->range_room) * sizeof(*ranges));
	stack->ranges = ranges;
	stack->range_room = room;
	return true;
}

static bool is_free(
	const struct pftrace_stack *stack, uint32_t line, int64_t start_ns)
{
	return line < stack->line_count && stack->lines[line].open == 0 &&
	       stack->lines[line].free_ns <= start_ns;
}

/* Finds the line for a range that begins at `start_ns`: the enclosing range's,
 * if it nests there, or else a free one. */
static bool find_line(struct pftrace_tracks *tracks,
	struct pftrace_track *track, int64_t start_ns, uint32_t *line)
{
	struct pftrace_stack *stack = &track->stack;
	uint32_t inner = inner_line(stack);
	uint32_t most = LINES_MAX + stack->depth / PFTRACE_DEPTH;

	*line = inner;
	if (stack->line_count > 0 && stack->lines[inner].open < PFTRACE_DEPTH &&
		stack->lines[inner].free_ns <= start_ns)
		return true;
	*line = inner + 1;
	if (is_free(stack, *line, start_ns))
		return true;
	for (*line = 0; *line < stack->line_count && *line < LINES_MAX; ++*line)
		if (is_free(stack, *line, start_ns))
			return true;
	*line = stack->line_count;
	if (*line < most)
		return pftrace_track_add_line(tracks, track);
	trace_lose(tracks->trace, LOSS_DEEP_RANGES, 1);
	*line = inner;
	return true;
}

static void use_line(struct pftrace_line *line, int64_t time_ns)
{
	if (time_ns > line->free_ns)
		line->free_ns = time_ns;
}

bool pftrace_stack_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event)
{
	struct pftrace_stack *stack = &track->stack;
	bool is_clipped = event->shift_ns > 0;
	uint32_t line;

	if (!pftrace_stack_flush(tracks, track) || !reach(stack) ||
		!find_line(tracks, track, event->time_ns, &line))
		return false;
	stack->lines[line].open += !is_clipped;
	use_line(&stack->lines[line], event->time_ns);
	track->has_ranges = true;
	stack->ranges[stack->depth].line = line;
	stack->ranges[stack->depth].is_clipped = is_clipped;
	stack->ranges[stack->depth].late.used = 0;
	stack->depth++;
	if (is_clipped)
		return true;
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
	return stack->is_held ? &stack->held
			      : &stack->ranges[stack->depth - 1].late;
}

bool pftrace_stack_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event)
{
	struct pftrace_packets *packets = tracks->packets;
	struct pftrace_stack *stack = &track->stack;
	int64_t end_ns = event_end(event);
	const struct pftrace_range *range;
	struct buffer *out;

	pftrace_args_add(packets, pftrace_stack_fields(track), event);
	if (!pftrace_stack_flush(tracks, track))
		return false;
	range = &stack->ranges[--stack->depth];
	if (range->late.failed)
		return false;
	if (range->is_clipped)
		return true;
	stack->lines[range->line].open--;
	use_line(&stack->lines[range->line], end_ns);
	out = pftrace_event_begin(packets, PFTRACE_SLICE_END,
		stack->lines[range->line].uuid, end_ns);
	buffer_add(out, range->late.bytes, range->late.used);
	pftrace_event_end(packets);
	return true;
}
