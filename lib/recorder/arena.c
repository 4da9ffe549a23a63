/* SPDX-License-Identifier: MIT */
#include "recorder/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK_BYTES ((size_t)256 * 1024)

static struct {
	uint8_t *at;
	size_t left;
} arena;

static void *alloc(size_t size, size_t align)
{
	size_t pad = (align - (uintptr_t)arena.at % align) % align;
	void *allocated;

	if (arena.left < pad || size > arena.left - pad) {
		size_t bytes = size > BLOCK_BYTES ? (size + BLOCK_BYTES) &
							    ~(BLOCK_BYTES - 1)
						  : BLOCK_BYTES;
		void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (block == MAP_FAILED)
			return NULL;
		arena.at = block;
		arena.left = bytes;
		pad = 0;
	}
	allocated = arena.at + pad;
	arena.at += pad + size;
	arena.left -= pad + size;
	return allocated;
}

void *arena_alloc(size_t size)
{
	return alloc(size, 64);
}

char *arena_copy(const char *text, size_t size)
{
	char *copy = alloc(size + 1, 1);

	if (copy != NULL) {
		memcpy(copy, text, size);
		copy[size] = '\0';
	}
	return copy;
}
