/* SPDX-License-Identifier: MIT */
/*
 * Counted is what the allocator says that a piece has, so that no piece needs
 * a header of ours. Nothing is ordered by the counters: relaxed will do.
 */
#include "memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM 16

static struct {
	_Atomic uint64_t used;
	_Atomic uint64_t limit; /* 0: none */
	_Atomic bool refused;
} memory;

void memory_set_limit(uint64_t bytes)
{
	atomic_store_explicit(&memory.limit, bytes, memory_order_relaxed);
}

uint64_t memory_limit(void)
{
	return atomic_load_explicit(&memory.limit, memory_order_relaxed);
}

void memory_set_usual_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page_bytes = sysconf(_SC_PAGESIZE);

	if (pages > 0 && page_bytes > 0)
		memory_set_limit(
			(uint64_t)pages * (uint64_t)page_bytes / 4 * 3);
}

bool memory_was_refused(void)
{
	return atomic_load_explicit(&memory.refused, memory_order_relaxed);
}

/* May `size` bytes be taken, when `old` of those in use are given back? */
static bool is_allowed(uint64_t size, uint64_t old)
{
	uint64_t limit = memory_limit();
	uint64_t used =
		atomic_load_explicit(&memory.used, memory_order_relaxed) - old;

	if (limit == 0 || (used <= limit && size <= limit - used))
		return true;
	atomic_store_explicit(&memory.refused, true, memory_order_relaxed);
	return false;
}

static void *count(void *taken)
{
	(void)atomic_fetch_add_explicit(
		&memory.used, malloc_usable_size(taken), memory_order_relaxed);
	return taken;
}

static void uncount(uint64_t bytes)
{
	(void)atomic_fetch_sub_explicit(
		&memory.used, bytes, memory_order_relaxed);
}

void *memory_new(size_t size)
{
	return is_allowed(size, 0) ? count(malloc(size)) : NULL;
}

void *memory_new_zeroed(size_t number, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(number, size, &bytes) ||
		!is_allowed(bytes, 0))
		return NULL;
	return count(calloc(number, size));
}

void *memory_resize(void *old, size_t size)
{
	uint64_t old_bytes = malloc_usable_size(old);
	void *taken;

	if (!is_allowed(size, old_bytes))
		return NULL;
	taken = realloc(old, size);
	if (taken == NULL)
		return NULL;
	uncount(old_bytes);
	return count(taken);
}

void *memory_resize_array(void *old, size_t number, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(number, size, &bytes)
		       ? NULL
		       : memory_resize(old, bytes);
}

bool memory_enlarge(void *array, size_t *room, size_t size)
{
	size_t more = *room == 0 ? FIRST_ROOM : *room * 2;
	void *items;

	memcpy(&items, array, sizeof(items));
	if (*room > SIZE_MAX / 2)
		return false;
	items = memory_resize_array(items, more, size);
	if (items == NULL)
		return false;
	memcpy(array, &items, sizeof(items));
	*room = more;
	return true;
}

bool memory_enlarge32(void *array, uint32_t *room, size_t size)
{
	size_t more = *room;

	if (more > UINT32_MAX / 2 || !memory_enlarge(array, &more, size))
		return false;
	*room = (uint32_t)more;
	return true;
}

bool memory_extend(void *array, uint32_t index, uint32_t *room, size_t size)
{
	size_t more = 2 * (size_t)index + FIRST_ROOM;
	char *items;

	memcpy(&items, array, sizeof(items));
	if (more > UINT32_MAX)
		more = UINT32_MAX;
	if (more <= index)
		return false;
	items = memory_resize_array(items, more, size);
	if (items == NULL)
		return false;
	memset(items + *room * size, 0, (more - *room) * size);
	memcpy(array, &items, sizeof(items));
	*room = (uint32_t)more;
	return true;
}

void memory_free(void *piece)
{
	uncount(malloc_usable_size(piece));
	free(piece);
}
