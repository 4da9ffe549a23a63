/* SPDX-License-Identifier: MIT */
/* Which brackets of a JSON text are open: a stack of bits. For json_scan.c
 * only. */
#ifndef JSON_BRACKETS_H
#define JSON_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "base/memory.h"

struct json_brackets {
	uint32_t depth;
	uint64_t *arrays; /* a bit for each: is it of an array? */
	size_t words;
};

/* Is there room for one more without memory for it? */
static inline bool json_brackets_has_room(const struct json_brackets *open)
{
	return open->depth / 64 < open->words;
}

/* CTP_ERR_LIMIT if they are JSON_SCAN_DEPTH_MAX; CTP_ERR_NOMEM. */
static inline enum ctp_status json_brackets_push(
	struct json_brackets *open, bool array)
{
	size_t word = open->depth / 64;
	uint64_t bit = UINT64_C(1) << open->depth % 64;

	if (open->depth == JSON_SCAN_DEPTH_MAX)
		return CTP_ERR_LIMIT;
	if (!json_brackets_has_room(open)) {
		size_t words = open->words == 0 ? 1 : 2 * open->words;
		uint64_t *arrays =
			memory_resize(open->arrays, words * sizeof(*arrays));

		if (arrays == NULL)
			return CTP_ERR_NOMEM;
		open->arrays = arrays;
		open->words = words;
	}
	open->arrays[word] =
		array ? open->arrays[word] | bit : open->arrays[word] & ~bit;
	open->depth++;
	return CTP_OK;
}

/* Is the innermost one of an array? */
static inline bool json_brackets_in_array(const struct json_brackets *open)
{
	uint32_t last = open->depth - 1;

	return (open->arrays[last / 64] >> last % 64 & 1) != 0;
}

#endif
