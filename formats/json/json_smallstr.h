/* SPDX-License-Identifier: MIT */
/* The text of a token as a few numbers, if it is short, so that it is compared
 * at once. */
#ifndef JSON_SMALLSTR_H
#define JSON_SMALLSTR_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "json/json_scan.h"

/* Texts that are longer are like no other. */
#define JSON_SMALLSTR_BYTES 24

struct json_smallstr {
	uint64_t
		begin; /* its first bytes and its last, up to eight each, ... */
	uint64_t end;
	uint64_t middle; /* ... and those behind the first, if it has more */
	uint32_t size;
	uint8_t kind; /* enum json_kind */
	bool has_escapes;
};

/* More than a word of room is behind what the scanner has. */
static inline uint64_t json_smallstr_load(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return le64toh(word);
}

static inline struct json_smallstr json_smallstr(
	const struct json_scan *scan, const struct json_token *token)
{
	const char *text = json_scan_text(scan, token);
	struct json_smallstr this = {.size = token->size,
		.kind = token->kind,
		.has_escapes = token->has_escapes};

	if (token->size >= 8) {
		this.begin = json_smallstr_load(text);
		this.end = json_smallstr_load(text + token->size - 8);
	} else if (token->size > 0) {
		this.begin = json_smallstr_load(text) << (64 - 8 * token->size);
	}
	if (token->size > 16)
		this.middle = json_smallstr_load(text + 8);
	return this;
}

static inline bool json_smallstr_is(
	const struct json_smallstr *a, const struct json_smallstr *b)
{
	return a->size <= JSON_SMALLSTR_BYTES && a->size == b->size &&
	       a->kind == b->kind && a->has_escapes == b->has_escapes &&
	       a->begin == b->begin && a->end == b->end &&
	       a->middle == b->middle;
}

/* Where it is, of as many as this; equal ones are at the same place. */
static inline size_t json_smallstr_place(uint64_t sum, size_t count)
{
	return (size_t)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 32) % count;
}

#endif
