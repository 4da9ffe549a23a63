/* SPDX-License-Identifier: MIT */
/*
 * The nested ranges of one row of a Chrome trace, written so that viewers see
 * the same tree.
 *
 * A range becomes one "X" event, written when it ends. Viewers sort a row by
 * start and take ties in file order, so of ranges that start together the
 * outer must stand first: one that ends inside a range that started with it is
 * held back as text until that ends. What an "X" cannot say, since [start,
 * end) are half-open, is said with "B" and "E", which nest by their order in
 * the file:
 * - a range that contains an empty range at its very end or is empty itself
 *   and contains or follows another empty one at the same time;
 * - ranges that start together and of which too much text is held.
 *
 * A call that was moved, so that it nests, is shown as it was, on another row.
 *
 * A range that is the call of a device's API starts an arrow to what it
 * caused, and the range that it was made in gets an "External id", by which
 * Kineto's readers find it; these look among "cpu_op" only, so that is its
 * category, and its own is an argument. Where the trace was Kineto's and has
 * these numbers already, it stays what it was.
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

/* The most text held back on one row. */
#define CHROME_PENDING_MAX ((size_t)1024 * 1024)

/* Perfetto shows no more levels than this. */
#define CHROME_DEPTH_SHOWN 512

struct chrome_frame;

struct chrome_stack {
	struct json *json;
	struct json_names *names;
	const struct chrome_row *row;
	struct chrome_frame *frames;
	uint32_t depth;
	uint32_t room;
	int64_t last_ns;  /* times never go below it */
	int64_t empty_ns; /* when the last empty range was */
	size_t pending_bytes;
};

/* All are borrowed. */
void chrome_stack_init(struct chrome_stack *stack, struct json *json,
	struct json_names *names, const struct chrome_row *row);
void chrome_stack_clear(struct chrome_stack *stack);

/* Opens a range; arguments of the event become the range's. Times that go back
 * are the caller's to mend. False if out of memory, like all below. */
bool chrome_stack_begin(struct chrome_stack *stack, const struct event *event);

/* Adds arguments to the innermost range; there must be one. */
bool chrome_stack_args(struct chrome_stack *stack, const struct event *event);

/* Numbers of a call: what ties it to what it caused, and the arrow there. */
struct chrome_call {
	uint64_t correlation; /* 0: the range is no call, but what caused */
	uint64_t flow;
};

/*
 * The innermost range, which there must be, is this call of a device's API.
 * `*id` is the "External id" of the range that it was
 * made in: that range's, if it has one; else the one given, which it gets; 0
 * if the call is in no range, or if the trace has such numbers of its own.
 */
bool chrome_stack_call(
	struct chrome_stack *stack, struct chrome_call call, uint64_t *id);

/* Closes the innermost range, with the event's arguments. */
bool chrome_stack_end(struct chrome_stack *stack, const struct event *event);

/* Closes the innermost range at `time_ns` and marks it as still open then. */
bool chrome_stack_cut(struct chrome_stack *stack, int64_t time_ns);

/* Was the innermost range longer than its beginning and this end say? Then
 * `*call` has the time and length that it had. */
bool chrome_stack_is_longer(const struct chrome_stack *stack,
	const struct event *end, struct event *call);

/* Is the innermost range's beginning written? Then it cannot be moved. */
bool chrome_stack_is_begun(const struct chrome_stack *stack);

/* Closes the innermost range as that call, on that row. */
bool chrome_stack_end_call(struct chrome_stack *stack, const struct event *end,
	const struct event *call, const struct chrome_row *row);

/* Writes one "X" event. `args` may be NULL. */
void chrome_stack_write_slice(struct json *json, const struct chrome_row *row,
	const struct json_site *site, const struct json_args *args,
	int64_t time_ns, uint64_t dur_ns);

#endif
