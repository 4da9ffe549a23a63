/* SPDX-License-Identifier: MIT */
/*
 * Reads JSON of any size, a token at a time, in memory that does not grow with
 * it. All that is passed over is checked as well: brackets that match, commas
 * and colons where they belong, numbers and words as JSON has them. NaN,
 * -Infinity and the like are taken for texts that say so. It never recurses.
 * Bytes within strings may be any, since producers of traces write what they
 * find; text is handed out as it stands, with its escapes.
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
 * Reads from `in`, after `head`, which was read from it already. NULL if out
 * of memory. Ownership: `in` is borrowed; `head` is copied.
 */
struct json_scan *json_scan_new(FILE *in, const void *head, size_t head_size);

/* How many bytes at the beginning are a mark that the text is UTF-8, as
 * programs of Windows write it: json_scan_new() passes over them.
 * Source: RFC 8259, section 8.1. */
size_t json_scan_mark(const void *head, size_t size);
void json_scan_free(struct json_scan *scan);

/*
 * The next token; CTP_END after the one value that the input is.
 *
 * Errors: CTP_ERR_FORMAT, with the offset of the byte that is wrong;
 * CTP_ERR_IO; CTP_ERR_LIMIT if brackets are nested deeper than that, or what
 * is to be kept, or a single token, is over 64 MiB; CTP_ERR_NOMEM. After an
 * error the same comes again.
 */
enum ctp_status json_scan_next(struct json_scan *scan, struct json_token *token,
	struct ctp_error *err);

/* Likewise, by the table of transitions alone, for json_key_cache.c. */
enum ctp_status json_scan_next_any(struct json_scan *scan,
	struct json_token *token, struct ctp_error *err);

/* Passes over the rest of the object or array that is open innermost, its end
 * included. Errors: as json_scan_next(). */
enum ctp_status json_scan_skip(struct json_scan *scan, struct ctp_error *err);

/* How many brackets are open. */
uint32_t json_scan_depth(const struct json_scan *scan);

/* Has all of the input been read? */
bool json_scan_is_at_end(const struct json_scan *scan);

/* Did it fail because the input ends too early? */
bool json_scan_is_cut_off(const struct json_scan *scan);

/* Has a word been read that was taken for a text, at that offset or behind it?
 * Text from brackets holds such words then; json_value_sanitize() makes texts of
 * them. */
bool json_scan_has_words(const struct json_scan *scan, uint64_t from);

/* Where the token ends that was read last, its quote or bracket included; what
 * is kept up to there. */
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

/* A token's text; borrowed until the next call, or while it is kept. */
static inline const char *json_scan_text(
	const struct json_scan *scan, const struct json_token *token)
{
	/* One of a member that was not there has no place either. */
	return token->size == 0 ? "" : json_scan_bytes(scan, token->at);
}

/* Text from the token that was read last on is kept until it is let go. */
void json_scan_pin(struct json_scan *scan, const struct json_token *token);
void json_scan_unpin(struct json_scan *scan);

/* Texts that are longer are like no other. */
#define JSON_SMALLSTR_BYTES 24

/* The text of a token as a few numbers, if it is short, so that it is compared
 * at once. */
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
