/* SPDX-License-Identifier: MIT */
/* Costs of lines of source files, of all functions together. */
#ifndef PROFILE_LINES_H
#define PROFILE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"

struct profile_line {
	const char *file; /* borrowed from the profile's text */
	uint32_t line;
	uint64_t calls;     /* made by the line */
	uint64_t self_ns;   /* of the line itself */
	uint64_t callee_ns; /* of the calls */
};

struct profile_lines {
	struct profile_line *rows;
	uint32_t count;
	uint32_t room;      /* private, and */
	struct index index; /* without entries if sorted */
};

struct profile_lines *profile_lines_new(void); /* NULL: out of memory */
void profile_lines_free(struct profile_lines *lines);

/* The row of a line, added if new; NULL if out of memory. Valid until the next
 * call. Not after profile_lines_sort(). */
struct profile_line *profile_lines_add(
	struct profile_lines *lines, const char *file, uint32_t line);

/* Sorts by file and line. */
void profile_lines_sort(struct profile_lines *lines);

/* The number of the first row of `file` from `line` on, or of what follows. The
 * lines are sorted. */
uint32_t profile_lines_find(
	const struct profile_lines *lines, const char *file, uint32_t line);

#endif
