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

/*
 * Pending text, to be written after the range that holds it back: a list of
 * pieces in file order, which is joined with another in constant time. So a
 * chain of ranges that start together costs no more than other ranges.
 */
struct pending_text {                /* all zero: nothing */
	struct pending_piece *first; /* NULL: nothing */
	struct pending_piece *last;
};

struct chrome_frame {
	int64_t start_ns;
	uint32_t site;
	bool begun;       /* "B" is written: it ends with "E" */
	bool is_clipped;  /* its EVENT_UNCLIPPED_CALL is written instead */
	bool has_flow;    /* `flow` starts here */
	bool is_op;       /* its category is "cpu_op" */
	bool is_numbered; /* numbered as a call by us */
	uint64_t flow;
	uint64_t id;            /* "External id"; 0: none */
	struct json_args *args; /* NULL: none */
	struct pending_text pending;
};

void chrome_stack_clear_frame(void *frame);

/* The innermost range, which must exist, as for all below but the first. */
struct chrome_frame *chrome_stack_top(const struct chrome_track *track);

/* Opens a range, in a frame that the track has; arguments of the event become
 * the range's. The row for ranges must be open. False if out of memory, as for
 * all below. */
bool chrome_stack_begin(struct chrome_track *track, const struct event *event);

/* Adds arguments to the innermost range. */
bool chrome_stack_args(struct chrome_track *track, const struct event *event);

/* Numbers of a call: the correlation with its activity, and the arrow to it. */
struct chrome_call {
	uint64_t correlation; /* 0: the range is not a call but the cause of */
	uint64_t flow;
};

/*
 * Marks the innermost range as this device API call. `*id` becomes the calling
 * range's "External id": its own, or else the given one, which it then gets; 0
 * without a calling range, or if the trace has its own numbers.
 */
bool chrome_stack_call(
	struct chrome_track *track, struct chrome_call call, uint64_t *id);

/* Closes the innermost range, with the event's arguments: on its own row
 * (NULL), or with its real end on another one, if its begin is not written. */
bool chrome_stack_end(struct chrome_track *track, const struct event *event,
	const struct chrome_row *row);

/* Adds the argument of ranges without an end. */
bool chrome_stack_mark_open(struct chrome_track *track);

/* Writes one "X" event. `args` may be NULL. */
void chrome_stack_write_slice(struct json *json, const struct chrome_row *row,
	const struct json_site *site, const struct json_args *args,
	int64_t time_ns, uint64_t dur_ns);

#endif
