/* SPDX-License-Identifier: MIT */
/* The names in a callgrind profile: "(2) name" says what "(2)" means from then
 * on, of files, objects and functions each. */
#ifndef CALLGRIND_NAMES_H
#define CALLGRIND_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "strtab.h"

struct callgrind_names {
	struct strtab *text;
	struct strtab *numbers; /* as they are written */
	uint32_t *meanings;     /* by entry of `numbers`; 0: none */
	uint32_t room;
	uint64_t unknown; /* numbers that were not said before */
};

/* False if out of memory; call callgrind_names_clear() in either case. */
bool callgrind_names_init(struct callgrind_names *names);
void callgrind_names_clear(struct callgrind_names *names);

/*
 * Takes what is written behind "fn=" and the like apart: *written becomes the
 * name, "" if there is a number only; *meaning what the number stands for,
 * which is 0 at first and the caller's to set; NULL if there is no number.
 * False if out of memory.
 */
bool callgrind_names_split(struct callgrind_names *names, const char **written,
	uint32_t **meaning);

/* The number of a name in `text`, as written behind "fl=" and the like. A
 * number that means nothing is a name itself. STRTAB_NONE if out of memory. */
uint32_t callgrind_names_find(
	struct callgrind_names *names, const char *written);

#endif
