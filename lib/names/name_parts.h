/* SPDX-License-Identifier: MIT */
/*
 * Finds which of many short texts a name contains, ignoring case. A pass over
 * the name records its pairs of adjacent characters: most texts have a pair that
 * the name lacks, so that the name is not searched for them. The names of a
 * GPU's kernels have hundreds of characters.
 */
#ifndef NAME_PARTS_H
#define NAME_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#define NAME_PARTS_WORDS 16

struct name_parts {
	const char *name; /* borrowed */
	/* A bit for each pair, made of five bits of each character, which are
	 * equal for small and capital letters. */
	uint64_t pairs[NAME_PARTS_WORDS];
};

void name_parts_init(struct name_parts *parts, const char *name);

/* Whether the name contains the text, which is in ASCII. */
bool name_parts_has(const struct name_parts *parts, const char *text);

#endif
