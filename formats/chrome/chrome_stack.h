/* SPDX-License-Identifier: MIT */
/*
 * The nested ranges of one row of a Chrome trace, written so that viewers see
 * the same tree.
 *
 * A range becomes one "X" event, written when it ends. Viewers sort a row by
 * start and take ties in file order, so of ranges that start together the outer
 * must come first. An inner one is held back as text until the outer one ends.
 * "B" and "E", which nest by their order in the file, are used where an "X"
 * does not suffice, because [start, end) is half-open:
 * - a range that contains an empty range at its very end or is empty itself
 *   and contains or follows another empty one at the same time;
 * - ranges that start together and need too much held text.
 *
 * A call that was moved to make it nest is shown with its original times on
 * another row.
 *
 * A range that is a device API call starts an arrow to its activity, and the
 * calling range gets an "External id", by which Kineto's readers find it. These
 * look for "cpu_op" only, so that is its category, and its own category is an
 * argument. A Kineto trace that already has these numbers stays unchanged.
 *
 * Memory: per open range, plus CHROME_PENDING_MAX bytes a row.
 */
#ifndef CHROME_STACK_H
#define CHROME_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/json_args.h"
#include "chrome/chrome_rows.h"
#include "json/json.h"

/* Most text held back on one row. */
#define CHROME_PENDING_MAX ((size_t)1024 * 1024)

/* Most levels that Perfetto shows. */
#define CHROME_DEPTH_SHOWN 512

struct chrome_frame;

struct chrome_stack {
	struct json *json;
	struct json_names *names;
	const struct chrome_row *row;
	struct chrome_frame *frames;
	uint32_t depth;
	uint32_t room;
	int64_t last_ns;  /* times do not go below it */
	int64_t empty_ns; /* time of the last empty range */
	size_t pending_bytes;
};

/* All are borrowed. */
void chrome_stack_init(struct chrome_stack *stack, struct json *json,
	struct json_names *names, const struct chrome_row *row);
void chrome_stack_clear(struct chrome_stack *stack);

/* Opens a range; arguments of the event become the range's. The caller must
 * correct times that go backwards. False if out of memory, as for all below. */
bool chrome_stack_begin(struct chrome_stack *stack, const struct event *event);

/* Adds arguments to the innermost range, which must exist. */
bool chrome_stack_args(struct chrome_stack *stack, const struct event *event);

/* Numbers of a call: the correlation with its activity, and the arrow to it. */
struct chrome_call {
	uint64_t correlation; /* 0: the range is not a call but the cause of */
	uint64_t flow;
};

/*
 * Marks the innermost range, which must exist, as this device API call. `*id`
 * becomes the calling range's "External id": its own, or else the given one,
 * which it then gets; 0 without a calling range, or if the trace has its own
 * numbers.
 */
bool chrome_stack_call(
	struct chrome_stack *stack, struct chrome_call call, uint64_t *id);

/* Closes the innermost range, with the event's arguments. */
bool chrome_stack_end(struct chrome_stack *stack, const struct event *event);

/* Closes the innermost range at `time_ns` and marks it as open. */
bool chrome_stack_cut(struct chrome_stack *stack, int64_t time_ns);

/* Was the innermost range longer than up to this end? Then `*call` gets its
 * real time and duration. */
bool chrome_stack_is_longer(const struct chrome_stack *stack,
	const struct event *end, struct event *call);

/* Has the innermost range's begin been written? Then it cannot be moved. */
bool chrome_stack_is_begun(const struct chrome_stack *stack);

/* Closes the innermost range as that call, on that row. */
bool chrome_stack_end_call(struct chrome_stack *stack, const struct event *end,
	const struct event *call, const struct chrome_row *row);

/* Writes one "X" event. `args` may be NULL. */
void chrome_stack_write_slice(struct json *json, const struct chrome_row *row,
	const struct json_site *site, const struct json_args *args,
	int64_t time_ns, uint64_t dur_ns);

#endif
