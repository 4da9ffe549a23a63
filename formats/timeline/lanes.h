/* SPDX-License-Identifier: MIT */
/*
 * The rows of a track in a timeline's output, and their names. Slices, with
 * known ends and possibly overlapping, are put into lanes in which they nest.
 *
 * Viewers sort a lane's slices by start, ties in file order, and require each
 * to be inside or outside every other; [start, end) are half-open. Slices are
 * placed in one pass, in order of arrival; in order of start or of end, this
 * fills the lanes optimally. A late slice, out of order, is placed only where
 * it certainly fits, because few past slices are stored: between the slices of
 * a lane, or around whole trees of them. Otherwise it gets another lane, even
 * if it might have fitted.
 *
 * Memory: bounded by LANES_MAX times (depth of open slices + a constant).
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/trace.h"

/* The last lane takes every slice that fits nowhere else. */
#define LANES_MAX 64
#define LANES_NONE UINT32_MAX

struct lanes;

/* NULL if out of memory; free with lanes_free(). With `keep_apart`, no slice
 * ends exactly where an earlier-placed one begins: for formats of separate
 * begins and ends, in which events at the same time stay in file order. */
struct lanes *lanes_new(bool keep_apart);
void lanes_free(struct lanes *lanes);

/*
 * The lane, 0 … LANES_MAX - 1, for the next slice in file order; LANES_NONE if
 * out of memory.
 */
uint32_t lanes_place(struct lanes *lanes, int64_t start_ns, uint64_t dur_ns);

/* Rows: a track's first; one for its nested ranges if slices use the first.
 * Lanes: from 0 on for slices, from LANES_HOST on for host time on a stream,
 * from LANES_CALLS on for calls that overlap ranges. */
#define LANES_MAIN (-2)
#define LANES_RANGES (-1)
#define LANES_HOST LANES_MAX
#define LANES_CALLS (2 * LANES_MAX)
#define LANES_ALL (3 * LANES_MAX)

/* The stream's number; -1 for a track of a whole device. */
int64_t lanes_stream(const struct trace_track *track);

/* Adds the name of a row of the track: a lane or one of the above. */
void lanes_add_row_name(struct buffer *name, const struct trace *trace,
	uint32_t number, int32_t lane);

/* Adds the name of the track's process, or of its device. */
void lanes_add_process_name(
	struct buffer *name, const struct trace *trace, uint32_t number);

/* Adds `text`, and the number in decimal. */
void lanes_add_number(struct buffer *name, const char *text, int64_t id);

#endif
