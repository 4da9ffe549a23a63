/* SPDX-License-Identifier: MIT */
/* Records of the registry as blocks of the log: sites, tracks, modules. */
#ifndef PACK_REGISTRY_H
#define PACK_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "log/log.h"
#include "pack/chunk.h"

/* The long record at words[at]; false if there is none (yet), or it does not
 * lie in the chunk, or is shorter than its kind needs. */
bool pack_registry_find(
	const struct chunk *chunk, uint32_t at, struct chunk_head *head);

/*
 * Replaces `bytes` by the block that the record at words[at] becomes, with the
 * sites that follow it if it is one. Through `kind` that of the block;
 * LOG_BLOCK_KINDS: it becomes none. Returns how many words that was.
 */
uint32_t pack_registry_add(struct buffer *bytes, const struct chunk *chunk,
	uint32_t at, enum log_block *kind);

#endif
