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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Brackets open at once. */
#define JSON_SCAN_DEPTH_MAX (UINT32_C(1) << 20)

enum json_kind {
	JSON_OBJECT, /* begins; its end is JSON_END */
	JSON_ARRAY,  /* likewise */
	JSON_END,
	JSON_KEY,    /* of an object's member, whose value comes next */
	JSON_STRING, /* the text between the quotes */
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_token {
	uint64_t at;      /* the text's offset in the input */
	uint32_t size;    /* what is in memory is not as long */
	uint8_t kind;     /* enum json_kind */
	bool has_escapes; /* JSON_KEY, JSON_STRING */
};

struct json_scan;

/* The part of the input that is in memory. For the inline functions below. */
struct json_window {
	FILE *in;
	uint8_t *
		bytes; /* behind those that are used are JSON_BYTES_ROOM zeros */
	size_t room;
	size_t used;
	size_t at;     /* how far it has been read */
	uint64_t base; /* the input's offset of bytes[0] */
	uint64_t kept; /* text from this offset on stays, or NOT_KEPT */
	bool at_eof;
};

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
 * Text from brackets holds such words then, which json_sanitize() makes texts. */
bool json_scan_has_words(const struct json_scan *scan, uint64_t from);

/* Its window is what it begins with. */
static inline const struct json_window *json_scan_window(
	const struct json_scan *scan)
{
	return (const struct json_window *)(const void *)scan;
}

/* Where the token ends that was read last, its quote or bracket included; what
 * is kept up to there. */
static inline uint64_t json_scan_position(const struct json_scan *scan)
{
	const struct json_window *window = json_scan_window(scan);

	return window->base + window->at;
}

static inline const char *json_scan_bytes(
	const struct json_scan *scan, uint64_t from)
{
	const struct json_window *window = json_scan_window(scan);

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
void json_scan_keep(struct json_scan *scan, const struct json_token *token);
void json_scan_let_go(struct json_scan *scan);

#endif
