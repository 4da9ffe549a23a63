/* SPDX-License-Identifier: MIT */
/* Passes over what is open in a JSON text, as long as that is as usual. For
 * json_scan.c only. */
#ifndef JSON_PASS_H
#define JSON_PASS_H

#include <stdbool.h>
#include <stdint.h>

/* Between two items or members, or before the first. */
struct json_place {
	const uint8_t *text;
	bool is_first;
	unsigned depth;  /* brackets open, of those that are passed over */
	uint64_t arrays; /* a bit for each, the lowest is the innermost */
};

/*
 * Goes on behind the bracket that closes the outermost one, and has no depth
 * then; or to where the first item or member is that is not all there before
 * `end`, or wrong, or to be read in another way. JSON_BYTES_ROOM bytes behind
 * the end may be read.
 */
void json_pass(struct json_place *place, const uint8_t *end);

#endif
