/* SPDX-License-Identifier: MIT */
/*
 * The rows that a timeline's writer shows for one track, and their names. Slices,
 * whose ends are known and which may overlap, are put into lanes inside each of
 * which they nest.
 *
 * Viewers sort a lane's slices by start, ties in file order, and want each to
 * lie inside or outside every other; [start, end) are half-open. Slices are
 * placed as they come, in one pass: in order of start or of end a lane is
 * filled as well as it can be. One that comes late, out of order, is placed
 * only where it surely fits, since little is remembered of the past: it lies
 * between the slices of a lane, or around whole trees of them. Else it gets
 * another lane, though it might have fitted.
 *
 * Memory: bounded by LANES_MAX times (depth of open slices + a constant).
 */
#ifndef LANES_H
#define LANES_H

#include <stdint.h>

#include "base/buffer.h"
#include "trace/trace.h"

/* The last lane takes all that fits nowhere. */
#define LANES_MAX 64
#define LANES_NONE UINT32_MAX

struct lanes;

/* NULL if out of memory; free with lanes_free(). */
struct lanes *lanes_new(void);
void lanes_free(struct lanes *lanes);

/* From now on, no slice ends where one begins that came before it: for formats
 * that write ends and begins, of which those at the same time stay in the order
 * of the file. */
void lanes_keep_apart(struct lanes *lanes);

/*
 * The lane, 0 … LANES_MAX - 1, for the next slice in file order; LANES_NONE if
 * out of memory.
 */
uint32_t lanes_place(struct lanes *lanes, int64_t start_ns, uint64_t dur_ns);

/* A track's first row; one for its nested ranges if the first is taken by
 * slices; or lane 0 and up for slices, from LANES_HOST on for the host's time
 * on a stream, from LANES_CALLS on for calls that overlap ranges. */
#define LANES_MAIN (-2)
#define LANES_RANGES (-1)
#define LANES_HOST LANES_MAX
#define LANES_CALLS (2 * LANES_MAX)

/* The stream's number; -1 where what stands on the track is of its device as
 * a whole. */
int64_t lanes_stream(const struct trace_track *track);

/* Adds the name of a row of the track: of a lane, or of one of the above. */
void lanes_add_row_name(struct buffer *name, const struct trace *trace,
	uint32_t number, int32_t lane);

/* Adds the name of the track's process, or of its device. */
void lanes_add_process_name(
	struct buffer *name, const struct trace *trace, uint32_t number);

/* Adds `text`, and the number in decimal. */
void lanes_add_number(struct buffer *name, const char *text, int64_t id);

#endif
