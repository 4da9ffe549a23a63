/* SPDX-License-Identifier: MIT */
/*
 * Blocks of an array's objects, cut from the text of a scanner and scanned
 * apart, by any thread. They are cut where an object seems to end, because the
 * next one begins with the same key. If a block's scan ends there, the next
 * block is right, too. Otherwise the scanner continues after the last object
 * that was complete.
 */
#ifndef JSON_BLOCK_H
#define JSON_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/json_scan.h"

/* Limit of the text from an object's brace to its first key's end. */
#define JSON_BLOCK_MARK_MAX 48

struct json_blocks {
	struct json_scan *scan; /* borrowed */
	uint8_t mark[JSON_BLOCK_MARK_MAX];
	size_t mark_size;
	uint64_t next; /* start of the next block */
};

/* A block, and the scanner of its text. Zero-initialize. */
struct json_block {
	struct json_scan scan;
};

/*
 * Begins after an object of an array. False if no object of the usual form
 * follows. Until json_blocks_end(), the scanner keeps the text from the oldest
 * block on, and must not be used.
 */
bool json_blocks_begin(struct json_blocks *blocks, struct json_scan *scan);

/* The scanner continues at this position, which is after an object. */
void json_blocks_end(struct json_blocks *blocks, uint64_t position);

/* Text before this position is no longer needed. */
void json_blocks_release(struct json_blocks *blocks, uint64_t position);

/* Cuts the next block, of about `size` bytes. False if no end was found, the
 * text cannot be read, or out of memory. */
bool json_blocks_cut(
	struct json_blocks *blocks, struct json_block *block, size_t size);

/* Were all of the block's objects read? */
static inline bool json_block_is_done(const struct json_block *block)
{
	return block->scan.window.at == block->scan.window.used;
}

void json_block_clear(struct json_block *block);

#endif
