/* SPDX-License-Identifier: MIT */
/*
 * Puts slices of one track, whose ends are known and which may overlap, into
 * lanes inside each of which they nest.
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

#endif
