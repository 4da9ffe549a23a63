/* SPDX-License-Identifier: MIT */
#include "chrome_read/slice_stack.h"

#include <string.h>

#include "base/memory.h"

/* A call may outlive fewer ranges than this, so that a deep stack is not
 * searched for each call. */
#define OUTLIVED_MAX 64

struct frame {
	int64_t start_ns; /* of a call */
	int64_t limit_ns; /* end, no later than the frame below's */
	uint64_t end_order;
	uint32_t calls; /* number of adjacent calls down from this frame */
	bool range;
	bool cut;
};

struct slice_stack {
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
};

void slice_stacks_init(
	struct slice_stacks *stacks, struct trace *trace, uint64_t rounding_ns)
{
	*stacks = (struct slice_stacks){
		.trace = trace, .rounding_ns = rounding_ns};
}

void slice_stacks_clear(struct slice_stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->room; i++)
		memory_free(stacks->stacks[i].frames);
	memory_free(stacks->stacks);
}

bool slice_stacks_ensure_track(struct slice_stacks *stacks, uint32_t track)
{
	uint32_t room = stacks->trace->track_count;
	struct slice_stack *more;

	if (track < stacks->room)
		return true;
	more = memory_resize_array(stacks->stacks, room, sizeof(*more));
	if (more == NULL)
		return false;
	memset(more + stacks->room, 0, (room - stacks->room) * sizeof(*more));
	stacks->stacks = more;
	stacks->room = room;
	return true;
}

/* Pops the innermost slice and makes its end, at this time, the event; shift_ns
 * is the distance to its real end. */
static void pop_frame(struct slice_stacks *stacks, uint32_t track,
	int64_t time_ns, struct event *event)
{
	struct slice_stack *stack = &stacks->stacks[track];
	int64_t end_ns = stack->frames[--stack->depth].limit_ns;

	*event = (struct event){.kind = EVENT_END,
		.track = track,
		.site = TRACE_NONE,
		.time_ns = time_ns,
		.shift_ns = (uint64_t)end_ns - (uint64_t)time_ns,
		.device = -1};
}

static bool is_over(const struct frame *frame, int64_t time_ns, uint64_t order)
{
	return frame->limit_ns < time_ns ||
	       (frame->limit_ns == time_ns && frame->end_order <= order);
}

bool slice_stacks_pop(struct slice_stacks *stacks, uint32_t track,
	int64_t time_ns, uint64_t order, struct event *event)
{
	struct slice_stack *stack = &stacks->stacks[track];
	const struct frame *last;

	if (stack->depth == 0)
		return false;
	last = &stack->frames[stack->depth - 1];
	if (!is_over(last, time_ns, order))
		return false;
	if (last->range)
		trace_lose(stacks->trace, LOSS_CLOSED_RANGES, 1);
	pop_frame(stacks, track, last->limit_ns, event);
	return true;
}

bool slice_stacks_overlaps(
	const struct slice_stacks *stacks, uint32_t track, int64_t end_ns)
{
	const struct slice_stack *stack = &stacks->stacks[track];

	return stack->depth > 0 &&
	       end_ns > stack->frames[stack->depth - 1].limit_ns;
}

int64_t slice_stacks_limit(const struct slice_stacks *stacks, uint32_t track)
{
	const struct slice_stack *stack = &stacks->stacks[track];

	return stack->frames[stack->depth - 1].limit_ns;
}

/* Checks only two frames, however many must be cut: the range has to be inside
 * the first frame below the calls on top. */
bool slice_stacks_cut(struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *range, struct event *event)
{
	struct slice_stack *stack = &stacks->stacks[track];
	uint32_t calls;
	bool is_counted;

	if (!slice_stacks_overlaps(stacks, track, range->end_ns))
		return false;
	calls = stack->frames[stack->depth - 1].calls;
	is_counted = stack->frames[stack->depth - 1].cut;
	if (calls == 0 ||
		(calls < stack->depth &&
			stack->frames[stack->depth - calls - 1].limit_ns <
				range->end_ns))
		return false;
	pop_frame(stacks, track, range->start_ns, event);
	if (!is_counted)
		trace_lose(stacks->trace, LOSS_CUT_CALLS, 1);
	return true;
}

bool slice_stacks_round(struct slice_stacks *stacks, uint32_t track,
	struct chrome_read_slice *slice, struct event *event)
{
	uint64_t limit_ns;
	uint64_t overlap_ns;
	uint64_t overrun_ns;
	bool is_next;

	if (!slice_stacks_overlaps(stacks, track, slice->end_ns))
		return false;
	limit_ns = (uint64_t)slice_stacks_limit(stacks, track);
	overlap_ns = limit_ns - (uint64_t)slice->start_ns;
	overrun_ns = (uint64_t)slice->end_ns - limit_ns;
	is_next = overlap_ns < overrun_ns;
	if ((is_next ? overlap_ns : overrun_ns) > stacks->rounding_ns ||
		stacks->rounding_ns == 0)
		return false;
	trace_lose(stacks->trace, LOSS_ROUNDED_RANGES, 1);
	if (is_next) {
		pop_frame(stacks, track, slice->start_ns, event);
		event->shift_ns = 0; /* its end was no more exact */
	} else {
		slice->end_ns = (int64_t)limit_ns;
	}
	return is_next;
}

bool slice_stacks_outlives(const struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *call, int64_t *time_ns)
{
	const struct slice_stack *stack = &stacks->stacks[track];
	uint32_t count = 0;
	bool outlives = false;

	for (; count < stack->depth && count < OUTLIVED_MAX; count++) {
		const struct frame *frame =
			&stack->frames[stack->depth - count - 1];

		if (frame->limit_ns >= call->end_ns)
			break;
		/* In an incomplete file, the frame may be a callee of this
		 * call. */
		if (frame->calls > 0 && frame->start_ns == call->start_ns)
			continue;
		/* An empty slice is still open at its time. */
		if (frame->calls > 0 || frame->limit_ns <= call->start_ns)
			return false;
		*time_ns = frame->limit_ns;
		outlives = true;
	}
	return outlives && count < OUTLIVED_MAX;
}

static bool push(struct slice_stack *stack, struct frame frame)
{
	if (!array_reserve32(&stack->frames, stack->depth, &stack->room,
		    sizeof(*stack->frames)))
		return false;
	stack->frames[stack->depth++] = frame;
	return true;
}

bool slice_stacks_open(struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *slice)
{
	struct slice_stack *stack = &stacks->stacks[track];
	struct frame frame = {.start_ns = slice->start_ns,
		.limit_ns = slice->end_ns,
		.end_order = slice->end_order,
		.cut = slice->cut};

	if (slice->call)
		frame.calls =
			1 +
			(stack->depth > 0
					? stack->frames[stack->depth - 1].calls
					: 0);
	return push(stack, frame);
}

bool slice_stacks_open_range(
	struct slice_stacks *stacks, uint32_t track, int64_t start_ns)
{
	struct slice_stack *stack = &stacks->stacks[track];
	int64_t limit_ns = INT64_MAX;

	if (stack->depth > 0)
		limit_ns = stack->frames[stack->depth - 1].limit_ns;
	return push(stack,
		(struct frame){.limit_ns = limit_ns,
			.end_order =
				limit_ns == start_ns ? SLICE_STACK_MOMENT : 0,
			.range = true});
}

bool slice_stacks_flush(struct slice_stacks *stacks, struct event *event)
{
	for (; stacks->flushed < stacks->room; stacks->flushed++) {
		struct slice_stack *stack = &stacks->stacks[stacks->flushed];

		if (stack->depth > 0 &&
			stack->frames[stack->depth - 1].limit_ns < INT64_MAX &&
			slice_stacks_pop(stacks, stacks->flushed, INT64_MAX,
				SLICE_STACK_NO_ORDER, event))
			return true;
	}
	return false;
}

void deferred_calls_clear(struct deferred_calls *calls)
{
	for (uint32_t i = 0; i < calls->count; i++)
		memory_free((void *)(uintptr_t)calls->records[i].bytes);
	memory_free(calls->records);
	memory_free(calls->taken);
}

void *deferred_calls_add(
	struct deferred_calls *calls, const struct extsort_record *record)
{
	uint32_t at = calls->count;
	void *bytes;

	if (!array_reserve32(&calls->records, calls->count, &calls->room,
		    sizeof(*calls->records)))
		return NULL;
	bytes = memory_new(record->size);
	if (bytes == NULL)
		return NULL;
	while (at > 0 && calls->records[at - 1].time_ns <= record->time_ns)
		at--;
	memmove(&calls->records[at + 1], &calls->records[at],
		(calls->count - at) * sizeof(*calls->records));
	calls->records[at] = *record;
	calls->records[at].bytes = bytes;
	calls->count++;
	calls->bytes += record->size;
	return bytes;
}

struct extsort_record deferred_calls_pop(struct deferred_calls *calls)
{
	struct extsort_record record = calls->records[--calls->count];

	memory_free(calls->taken);
	calls->bytes -= record.size;
	calls->taken = (void *)(uintptr_t)record.bytes;
	return record;
}
