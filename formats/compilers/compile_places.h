/* SPDX-License-Identifier: MIT */
/*
 * Where the ranges of compilers' traces belong: which sites they have in the
 * groups, of all traces together. For compile*.c only.
 */
#ifndef COMPILE_PLACES_H
#define COMPILE_PLACES_H

#include "base/buffer.h"
#include "compilers/compile.h"
#include "phases/phase_rules.h"
#include "trace/trace.h"

struct compile_place {
	uint32_t groups; /* bits, and one more: it is known */
	uint32_t phase, set, name;
};

struct compile_places {
	struct trace *sites;         /* only its sites are used */
	uint32_t groups;             /* that are asked for */
	struct phase_sets rules[2];  /* of phases: clang's, nvcc's */
	struct compile_place *known; /* by number in `sites` */
	uint32_t known_room;
	struct buffer text;
	const struct trace *trace; /* at hand */
	uint32_t *numbers; /* in `sites`, by the trace's own; TRACE_NONE */
	uint32_t number_count;
	uint32_t number_room;
};

/* False if out of memory; call compile_places_clear() in either case. */
bool compile_places_init(struct compile_places *places, uint32_t groups);
void compile_places_clear(struct compile_places *places);

/* The sites that come are of this trace, which is borrowed. */
void compile_places_begin(
	struct compile_places *places, const struct trace *trace);

/* Where ranges of a site belong, whose number becomes that in `sites`. NULL if
 * out of memory. Borrowed until the next call. */
const struct compile_place *compile_places_find(
	struct compile_places *places, uint32_t *site);

/* The site in a group; `site` is the number in `sites`. */
uint32_t compile_place_site(
	const struct compile_place *place, unsigned group, uint32_t site);

#endif
