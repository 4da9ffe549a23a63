/* SPDX-License-Identifier: MIT */
/* The lines of gprof's report: GNU, BSD and Darwin. */
#ifndef GPROF_LINE_H
#define GPROF_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* A line of the call graph, or of the flat profile if it has these fields. */
struct gprof_line {
	const char *name; /* borrowed from the line */
	uint32_t index;   /* 0: of the flat profile */
	uint32_t cycle;   /* 0: none */
	bool has_calls;
	bool is_cycle;       /* "<cycle 1 as a whole>" */
	uint64_t calls;      /* of a function: without recursive calls */
	uint64_t self_calls; /* of a function: recursive calls */
	uint64_t self_ns;
	uint64_t children_ns;
};

/* Each parses a line, modifying it; false if it is not of this kind: a
 * function's own line, which begins with its index; a caller's or callee's; and
 * a function's in the flat profile. */
bool gprof_line_primary(char *text, struct gprof_line *line);
bool gprof_line_reference(char *text, struct gprof_line *line);

/* `unit_ns`: unit of the times per call; 0: no usable ones. */
bool gprof_line_flat(char *text, uint64_t unit_ns, struct gprof_line *line);

#endif
