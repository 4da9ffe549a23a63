/* SPDX-License-Identifier: MIT */
/*
 * Where the tokens of a JSON text begin: brackets, colons, commas, both quotes
 * of each string, and the first byte of each number or word. 64 bytes are
 * looked at at a time, without a branch for any of them; nothing is checked.
 * Source: G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per Second",
 * section 3.1 (2019).
 */
#ifndef JSON_INDEX_H
#define JSON_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define JSON_INDEX_STEP 64

/* What goes on from one step to the next; begin with zeros. */
struct json_index {
	uint64_t escaped; /* 1: the next byte is, by a backslash */
	uint64_t string;  /* all ones: the next byte lies in a string */
	uint64_t scalar;  /* 1: the byte before belongs to a number or word */
};

/*
 * Looks at bytes[from] up to bytes[to], a multiple of JSON_INDEX_STEP further.
 * Writes the tokens' positions to `tokens`, which has room for one per byte;
 * returns how many.
 */
size_t json_index_add(struct json_index *index, const uint8_t *bytes,
	uint32_t from, uint32_t to, uint32_t *tokens);

#endif
