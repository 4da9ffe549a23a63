/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed all at once: a translation unit allocates names, tokens
 * and macros by the hundred thousand and frees them together.
 *
 * There is no error to handle: a compiler without memory cannot continue, so
 * these end the program. A library must not do that.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena_block;

/* All zero is an empty arena. */
struct arena {
	struct arena_block *first;
	struct arena_block *at;
	size_t used; /* bytes of `at` */
};

/* Ownership: the arena's, until arena_reset() or arena_clear(). */
void *arena_alloc(struct arena *arena, size_t bytes);

/* Copies `length` bytes and appends a NUL. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* Frees all allocations but keeps the memory for reuse. */
void arena_reset(struct arena *arena);

void arena_clear(struct arena *arena);

/* realloc() of `count` items of `size` bytes that ends the program if out of
 * memory. Ownership: the caller's; free() it. */
void *memory_resize(void *memory, size_t count, size_t size);

#endif
