/* SPDX-License-Identifier: MIT */
/* The names in a callgrind profile: "(2) name" defines "(2)" from then on,
 * separately for files, objects and functions. */
#ifndef CALLGRIND_NAMES_H
#define CALLGRIND_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"

struct callgrind_names {
	struct strtab *text;
	struct strtab *numbers; /* as they are written */
	uint32_t *meanings;     /* by entry of `numbers`; 0: none */
	uint32_t room;
	uint64_t unknown; /* numbers used before their definition */
};

/* False if out of memory; call callgrind_names_clear() in either case. */
bool callgrind_names_init(struct callgrind_names *names);
void callgrind_names_clear(struct callgrind_names *names);

/* A name as it is written. */
struct callgrind_name {
	uint32_t text;   /* in `text`; STRTAB_NONE if out of memory */
	uint32_t number; /* in `numbers`; STRTAB_NONE: without number */
	bool said;       /* defines the number's name */
};

/* Looks up the text after "fl=" and the like. An undefined number is itself a
 * name. */
struct callgrind_name callgrind_names_find(
	struct callgrind_names *names, const char *written);

#endif
