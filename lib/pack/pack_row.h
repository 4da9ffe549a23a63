/* SPDX-License-Identifier: MIT */
/* Long records of a chunk as rows of an event block's `extras`. */
#ifndef PACK_ROW_H
#define PACK_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/log_column.h"
#include "pack/chunk.h"

/* Words after the first that each kind has at least; UINT32_MAX if there is no
 * such kind. */
uint32_t pack_row_least_words(enum chunk_long kind);

/* The bytes of text that end a long record, whose text begins after `skip`
 * words; false if the record contradicts itself. */
bool pack_row_text(struct chunk_head head, const uint64_t *record,
	uint32_t skip, const char **text, size_t *size);

/* Adds the record, which does not belong to a range, as an event with its
 * row. */
void pack_row_add(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns);

#endif
