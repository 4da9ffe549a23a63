/* SPDX-License-Identifier: MIT */
/* Long records of a chunk: those of threads as rows of an event block's `extras`,
 * those of the registry as blocks. */
#ifndef PACK_RECORD_H
#define PACK_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "log/log_column.h"
#include "pack/chunk.h"

/* Minimum number of words after the first, by kind; UINT32_MAX for unknown
 * kinds. */
uint32_t pack_record_least_words(enum chunk_long kind);

/* Adds the record, which does not belong to a range, as an event with its
 * row. */
void pack_record_add_row(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns);

/* Finds the long record at words[at]; false if there is none (yet), it exceeds
 * the chunk, or it is too short for its kind. */
bool pack_record_find(
	const struct chunk *chunk, uint32_t at, struct chunk_head *head);

/*
 * Replaces `bytes` by the block that the record at words[at] becomes, with the
 * sites that follow it if it is one. Through `kind` that of the block;
 * LOG_BLOCK_KINDS: it becomes none. Returns how many words that was.
 */
uint32_t pack_record_add_block(struct buffer *bytes, const struct chunk *chunk,
	uint32_t at, enum log_block *kind);

#endif
