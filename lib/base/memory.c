/* SPDX-License-Identifier: MIT */
/*
 * The allocator's size of a piece is counted, so that pieces need no header.
 * The counters order nothing, so relaxed atomics suffice.
 */
#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16

static struct {
	_Atomic uint64_t used;
	_Atomic uint64_t limit;    /* 0: none */
	_Atomic uint64_t expected; /* bytes of inputs */
	_Atomic bool is_usual;
	_Atomic bool refused;
} memory;

static void set_limit(uint64_t bytes, bool is_usual)
{
	atomic_store_explicit(&memory.limit, bytes, memory_order_relaxed);
	atomic_store_explicit(&memory.is_usual, is_usual, memory_order_relaxed);
}

void memory_set_limit(uint64_t bytes)
{
	set_limit(bytes, false);
}

void memory_set_usual_limit(uint64_t bytes)
{
	set_limit(bytes, true);
}

void memory_divide_usual_limit(uint64_t processes)
{
	if (atomic_load_explicit(&memory.is_usual, memory_order_relaxed) &&
		processes != 0)
		set_limit(memory.limit / processes, true);
}

void memory_expect(uint64_t bytes)
{
	uint64_t before =
		atomic_load_explicit(&memory.expected, memory_order_relaxed);
	uint64_t after;

	do {
		if (__builtin_add_overflow(before, bytes, &after))
			after = UINT64_MAX;
	} while (!atomic_compare_exchange_weak_explicit(&memory.expected,
		&before, after, memory_order_relaxed, memory_order_relaxed));
}

/* The limit that fits the size of the inputs; UINT64_MAX: no limit. */
static uint64_t limit_by_size(void)
{
	uint64_t expected =
		atomic_load_explicit(&memory.expected, memory_order_relaxed);
	uint64_t bytes;

	if (expected == 0 ||
		!atomic_load_explicit(&memory.is_usual, memory_order_relaxed))
		return UINT64_MAX;
	if (__builtin_mul_overflow(expected, MEMORY_FOR_EACH_BYTE, &bytes) ||
		__builtin_add_overflow(bytes, MEMORY_FOR_ANY_INPUT, &bytes))
		return UINT64_MAX;
	return bytes;
}

bool memory_limit_is_by_size(void)
{
	return limit_by_size() <
	       atomic_load_explicit(&memory.limit, memory_order_relaxed);
}

uint64_t memory_limit(void)
{
	uint64_t limit =
		atomic_load_explicit(&memory.limit, memory_order_relaxed);
	uint64_t by_size = limit_by_size();

	return by_size < limit ? by_size : limit;
}

bool memory_was_refused(void)
{
	return atomic_load_explicit(&memory.refused, memory_order_relaxed);
}

/* Whether `size` bytes may be allocated when `old` bytes are freed. */
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

bool array_grow(void *array, size_t *room, size_t size)
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

bool array_grow32(void *array, uint32_t *room, size_t size)
{
	size_t more = *room;

	if (more > UINT32_MAX / 2 || !array_grow(array, &more, size))
		return false;
	*room = (uint32_t)more;
	return true;
}

bool array_extend(void *array, uint32_t index, uint32_t *room, size_t size)
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

char *memory_copy_text(const char *text, size_t size)
{
	char *copy = memory_new(size + 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

void memory_free(void *piece)
{
	uncount(malloc_usable_size(piece));
	free(piece);
}
