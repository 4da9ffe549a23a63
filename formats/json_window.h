/* SPDX-License-Identifier: MIT */
/* The part of a JSON text that is in memory, in which json_index finds the
 * tokens some way ahead of where they are taken. For json_scan.c only. */
#ifndef JSON_WINDOW_H
#define JSON_WINDOW_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "json_index.h"

#define JSON_WINDOW_NOT_KEPT UINT64_MAX
#define JSON_WINDOW_BYTES_MAX ((size_t)64 << 20)

struct json_window {
	FILE *in;
	uint8_t *bytes; /* with JSON_INDEX_STEP of room behind */
	size_t room;
	size_t used;
	size_t indexed;
	uint64_t base; /* the input's offset of bytes[0] */
	uint64_t kept; /* text from this offset on stays, or NOT_KEPT */
	bool at_eof;
	struct json_index index;
	uint32_t *tokens; /* offsets in `bytes` */
	size_t token_at;  /* the next one */
	size_t token_count;
	size_t token_room;
	uint64_t dropped;          /* tokens before tokens[0] */
	struct json_block *blocks; /* of what is indexed */
	size_t block_room;
	size_t blocks_from; /* offset of what blocks[0] is of */
};

/* The block that the byte is in, which is indexed and not before the next
 * token. */
static inline const struct json_block *json_window_block(
	const struct json_window *window, size_t at)
{
	return &window->blocks[(at - window->blocks_from) / JSON_INDEX_STEP];
}

/* The size of the number or word of a token, behind which is the other one. */
static inline size_t json_window_scalar(
	const struct json_window *window, uint32_t at, size_t end)
{
	const uint8_t *bytes = window->bytes;

	while (bytes[end - 1] == ' ' || bytes[end - 1] == '\n' ||
		bytes[end - 1] == '\t' || bytes[end - 1] == '\r')
		end--;
	return end - at;
}

/* Is there a backslash in text that is in the window? It is mostly short, and
 * more than a word of the window's room is behind it. */
static inline bool json_window_has_backslash(const uint8_t *text, size_t size)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word;

	if (size >= 32)
		return memchr(text, '\\', size) != NULL;
	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, text + i, sizeof(word));
		word ^= ones * '\\';
		/* It may be one behind the text. */
		if (((word - ones) & ~word & ones << 7) != 0)
			return memchr(text + i, '\\', size - i) != NULL;
	}
	return false;
}

/* False if out of memory; call json_window_clear() in either case. */
bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size);
void json_window_clear(struct json_window *window);

/*
 * Makes sure that `count` tokens from token_at on are known; what is before
 * them, and is not kept, may go. CTP_END if the input has not so many.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_LIMIT if that takes more than
 * JSON_WINDOW_BYTES_MAX.
 */
enum ctp_status json_window_need(
	struct json_window *window, size_t count, struct ctp_error *err);

#endif
