/* SPDX-License-Identifier: MIT */
/* The truth: a record of the fake CUDA's work, for the comparison. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdbool.h>

#include "fake_link.h"

/* Writes a line, if FAKE_TRUTH names a file. Threads: any. A child after a fork
 * writes nothing: the file is its parent's. */
void truth_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The innermost range of the calling thread. Borrowed. */
void truth_range(const char *name, int64_t instance);

/* Writes an activity, and whether CUPTI has a record of it. `captured`: the
 * range in which a graph's node was captured, or NULL. */
void truth_activity(const struct fake_activity *activity, bool recorded,
	const char *captured);

/* The last name passed to truth_range() on this thread; "" if none. */
const char *truth_range_name(void);

#endif
