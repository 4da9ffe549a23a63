/* SPDX-License-Identifier: MIT */
/*
 * A chain of blocks that is filled from the front. A reset keeps the chain,
 * so that a worker stops asking the kernel for pages after its first units.
 */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)1 << 20)
#define ALIGNMENT ((size_t)16)

struct arena_block {
	struct arena_block *next;
	size_t room;
	_Alignas(16) char bytes[];
};

static void out_of_memory(void)
{
	fputs("cindex: out of memory\n", stderr);
	exit(1);
}

void *memory_resize(void *memory, size_t count, size_t size)
{
	void *resized = NULL;

	if (count <= SIZE_MAX / size)
		resized = realloc(memory, count * size);
	if (resized == NULL)
		out_of_memory();
	return resized;
}

/* Appends a block with `room` bytes and makes it the current one. */
static void add_block(struct arena *arena, size_t room)
{
	struct arena_block *block;

	if (room > SIZE_MAX - sizeof(*block))
		out_of_memory();
	block = malloc(sizeof(*block) + room);
	if (block == NULL)
		out_of_memory();
	block->room = room;
	if (arena->at == NULL) {
		block->next = arena->first;
		arena->first = block;
	} else {
		block->next = arena->at->next;
		arena->at->next = block;
	}
	arena->at = block;
	arena->used = 0;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	void *memory;

	if (bytes > SIZE_MAX - ALIGNMENT)
		out_of_memory();
	bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	while (arena->at == NULL || bytes > arena->at->room - arena->used) {
		struct arena_block *next =
			arena->at == NULL ? arena->first : arena->at->next;

		if (next == NULL || next->room < bytes) {
			add_block(arena,
				bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
			continue;
		}
		arena->at = next;
		arena->used = 0;
	}
	memory = arena->at->bytes + arena->used;
	arena->used += bytes;
	return memory;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void arena_reset(struct arena *arena)
{
	arena->at = NULL;
	arena->used = 0;
}

void arena_clear(struct arena *arena)
{
	while (arena->first != NULL) {
		struct arena_block *next = arena->first->next;

		free(arena->first);
		arena->first = next;
	}
	arena_reset(arena);
}
