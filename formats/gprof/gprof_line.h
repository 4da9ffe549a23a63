/* SPDX-License-Identifier: MIT */
/* The lines of gprof's report, of GNU's, BSD's and Darwin's. */
#ifndef GPROF_LINE_H
#define GPROF_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* A line of the call graph, or of the flat profile, where it says them. */
struct gprof_line {
	const char *name; /* borrowed from the line */
	uint32_t index;   /* 0: of the flat profile */
	uint32_t cycle;   /* 0: none */
	bool has_calls;
	bool is_cycle;       /* "<cycle 1 as a whole>" */
	uint64_t calls;      /* of a function: without those by itself */
	uint64_t self_calls; /* of a function: by itself */
	uint64_t self_ns;
	uint64_t children_ns;
};

/* Each takes a line apart, which ends up changed; false if it is none such:
 * a function's own line, which begins with its index; a caller's or callee's;
 * and a function's in the flat profile. */
bool gprof_line_primary(char *text, struct gprof_line *line);
bool gprof_line_reference(char *text, struct gprof_line *line);

/* `unit_ns`: of the times for each call; 0: there are none that say much. */
bool gprof_line_flat(char *text, uint64_t unit_ns, struct gprof_line *line);

#endif
