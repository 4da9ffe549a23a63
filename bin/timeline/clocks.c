/* SPDX-License-Identifier: MIT */
#include "timeline/clocks.h"

#include <stdlib.h>

#include "cli/command.h"
#include "cli/diag.h"

#define SECOND_NS INT64_C(1000000000)

static int64_t subtract(int64_t from, int64_t what)
{
	int64_t rest;

	if (!__builtin_sub_overflow(from, what, &rest))
		return rest;
	return what < 0 ? INT64_MAX : INT64_MIN;
}

static int64_t base_ns_of(const struct clock *clock)
{
	return clock->trace->base_realtime_ns;
}

/* The earliest base; without a base, the second in which the earliest trace
 * begins. */
static int64_t find_base(const struct clock *clocks, size_t count)
{
	int64_t base_ns = 0;
	int64_t start_ns = TRACE_WALL_MAX_NS;

	for (size_t i = 0; i < count; i++) {
		const struct trace *trace = clocks[i].trace;

		if (!clocks[i].has_events || !trace_is_wall(trace))
			continue;
		if (trace->base_realtime_ns == 0 && trace->start_ns < start_ns)
			start_ns = trace->start_ns;
		if (trace->base_realtime_ns != 0 &&
			(base_ns == 0 || trace->base_realtime_ns < base_ns))
			base_ns = trace->base_realtime_ns;
	}
	if (base_ns == 0 && start_ns < TRACE_WALL_MAX_NS)
		base_ns = start_ns - start_ns % SECOND_NS;
	return base_ns;
}

static int solve_wall(struct clock *clocks, size_t count, int64_t *base_ns)
{
	size_t used = 0;
	int status = EXIT_DONE;

	*base_ns = find_base(clocks, count);
	for (size_t i = 0; i < count; i++)
		used += clocks[i].has_events;
	for (size_t i = 0; i < count; i++) {
		struct clock *clock = &clocks[i];

		clock->shift_ns = 0;
		clock->timeline_shift_ns = 0;
		if (trace_is_wall(clock->trace))
			clock->shift_ns = subtract(base_ns_of(clock), *base_ns);
		if (!clock->has_events || used == 1 ||
			trace_is_wall(clock->trace))
			continue;
		diag("%s: has no recording time, so its clock cannot be "
		     "aligned with the others; see --align",
			clock->name);
		status = EXIT_INPUT;
	}
	return status;
}

/* The common base; 0 if they differ. */
static int solve_none(struct clock *clocks, size_t count, int64_t *base_ns)
{
	*base_ns = base_ns_of(&clocks[0]);
	for (size_t i = 0; i < count; i++) {
		clocks[i].shift_ns = 0;
		clocks[i].timeline_shift_ns = 0;
		if (base_ns_of(&clocks[i]) != *base_ns)
			*base_ns = 0;
	}
	return EXIT_DONE;
}

/* Puts the reference clock first, followed by the others in order. */
static size_t sort_clocks(
	struct clock *clocks, size_t count, struct clock **sorted)
{
	size_t used = 0;
	size_t first = 0;
	struct clock *swap;

	for (size_t i = 0; i < count; i++) {
		if (!clocks[i].has_events)
			continue;
		sorted[used] = &clocks[i];
		if (sorted[used]->order < sorted[first]->order)
			first = used;
		used++;
	}
	if (used > 0) {
		swap = sorted[0];
		sorted[0] = sorted[first];
		sorted[first] = swap;
	}
	return used;
}

static int diag_no_match(const struct clock *clock, enum clocks_align align)
{
	if (align == CLOCKS_RANGE)
		diag("%s: has no range of that name, so its clock cannot be "
		     "aligned with the others",
			clock->name);
	else if (clock->marks.count == 0)
		diag("%s: has no collective operations, so its clock cannot be "
		     "aligned with the others",
			clock->name);
	else
		diag("%s: shares no collective operation with the others, so "
		     "its clock cannot be aligned with them",
			clock->name);
	return EXIT_INPUT;
}

/* A timeline with wall-clock times keeps its alignment. */
static void set_shift(struct clock *clock, const struct clock *first,
	const struct align_shift *shift)
{
	clock->shift_ns = shift->shift_ns;
	clock->timeline_shift_ns = shift->shift_ns;
	if (base_ns_of(clock) != 0 && base_ns_of(first) != 0)
		clock->timeline_shift_ns = subtract(shift->shift_ns,
			subtract(base_ns_of(clock), base_ns_of(first)));
	clock->matched = shift->matched;
	clock->spread_ns = shift->spread_ns;
}

/* `count` is not 0 and is the size of `marks` and `shifts`. */
static int apply_marks(struct clock **sorted, size_t count,
	enum clocks_align align, struct align_marks *marks,
	struct align_shift *shifts)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < count; i++)
		marks[i] = sorted[i]->marks;
	if (!align_solve(marks, (uint32_t)count, shifts))
		return diag_no_memory(NULL);
	for (size_t i = 0; i < count; i++)
		if (!shifts[i].known || (marks[i].count == 0 && count > 1))
			status = diag_no_match(sorted[i], align);
		else
			set_shift(sorted[i], sorted[0], &shifts[i]);
	return status;
}

static int solve_marks(struct clock *clocks, size_t count,
	enum clocks_align align, int64_t *base_ns)
{
	struct clock **sorted = calloc(count + 1, sizeof(*sorted));
	struct align_marks *marks = calloc(count + 1, sizeof(*marks));
	struct align_shift *shifts = calloc(count + 1, sizeof(*shifts));
	int status = EXIT_LIMIT;
	size_t used;

	*base_ns = 0;
	if (sorted == NULL || marks == NULL || shifts == NULL) {
		diag_no_memory(NULL);
	} else {
		used = sort_clocks(clocks, count, sorted);
		status = EXIT_DONE;
		if (used > 0) {
			*base_ns = base_ns_of(sorted[0]);
			status =
				apply_marks(sorted, used, align, marks, shifts);
		}
	}
	free(sorted);
	free(marks);
	free(shifts);
	return status;
}

int clocks_solve(struct clock *clocks, size_t count, enum clocks_align align,
	int64_t *base_ns)
{
	if (align == CLOCKS_WALL)
		return solve_wall(clocks, count, base_ns);
	if (align == CLOCKS_NONE)
		return solve_none(clocks, count, base_ns);
	return solve_marks(clocks, count, align, base_ns);
}
