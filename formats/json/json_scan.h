/* SPDX-License-Identifier: MIT */
/*
 * Reads JSON of any size token by token in bounded memory. Skipped text is
 * validated too: matching brackets, commas and colons in place, valid numbers
 * and words. NaN, -Infinity and the like are read as texts. It never recurses.
 * Strings may contain any bytes, because trace producers write unchecked text;
 * text is returned unchanged, with its escapes.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "json/json_state.h"

/*
 * Reads from `in`, after `head`, which was already read from it. NULL if out of
 * memory. Ownership: `in` is borrowed; `head` is copied.
 */
struct json_scan *json_scan_new(FILE *in, const void *head, size_t head_size);

/* The size of a UTF-8 byte order mark at the beginning, as Windows programs
 * write it; json_scan_new() skips it. Source: RFC 8259, section 8.1. */
size_t json_scan_mark(const void *head, size_t size);
void json_scan_free(struct json_scan *scan);

/*
 * The next token; CTP_END after the input's single value.
 *
 * Errors: CTP_ERR_FORMAT, with the offset of the invalid byte; CTP_ERR_IO;
 * CTP_ERR_LIMIT if brackets nest too deep, or if pinned text or a single token
 * is over 64 MiB; CTP_ERR_NOMEM. Later calls return the same error.
 */
enum ctp_status json_scan_next(struct json_scan *scan, struct json_token *token,
	struct ctp_error *err);

/* Likewise, with the table of transitions only, for json_key_cache.c. */
enum ctp_status json_scan_next_any(struct json_scan *scan,
	struct json_token *token, struct ctp_error *err);

/* Skips the rest of the innermost open object or array, including its end.
 * Errors: as json_scan_next(). */
enum ctp_status json_scan_skip(struct json_scan *scan, struct ctp_error *err);

/* The number of open brackets. */
uint32_t json_scan_depth(const struct json_scan *scan);

/* Has all of the input been read? */
bool json_scan_is_at_end(const struct json_scan *scan);

/* Did it fail because the input is truncated? */
bool json_scan_is_cut_off(const struct json_scan *scan);

/* Was a word at or after this offset read as a text? Then the text of brackets
 * contains such words; json_value_sanitize() makes them strings. */
bool json_scan_has_words(const struct json_scan *scan, uint64_t from);

/* The end of the last token, including its quote or bracket; the end of pinned
 * text. */
static inline uint64_t json_scan_position(const struct json_scan *scan)
{
	const struct json_window *window = &scan->window;

	return window->base + window->at;
}

static inline const char *json_scan_bytes(
	const struct json_scan *scan, uint64_t from)
{
	const struct json_window *window = &scan->window;

	return (const char *)window->bytes + (from - window->base);
}

/* A token's text; borrowed until the next call, or while pinned. */
static inline const char *json_scan_text(
	const struct json_scan *scan, const struct json_token *token)
{
	/* The token of a missing member has no position. */
	return token->size == 0 ? "" : json_scan_bytes(scan, token->at);
}

/* Pins the text from the last token on, until it is unpinned. */
void json_scan_pin(struct json_scan *scan, const struct json_token *token);
void json_scan_unpin(struct json_scan *scan);

/* Longer texts compare as different. */
#define JSON_SMALLSTR_BYTES 24

/* A short token's text as a few numbers, for fast comparison. */
struct json_smallstr {
	uint64_t begin; /* up to eight first and last bytes, ... */
	uint64_t end;
	uint64_t middle; /* ... and those after the first, if longer */
	uint32_t size;
	uint8_t kind; /* enum json_kind */
	bool has_escapes;
};

/* The scanner's buffer is followed by more than a word of room. */
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

/* A hash table index below `count`; equal texts have the same. */
static inline size_t json_smallstr_place(uint64_t sum, size_t count)
{
	return (size_t)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 32) % count;
}

#endif
