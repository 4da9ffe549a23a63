/* SPDX-License-Identifier: MIT */
/*
 * Memory with a limit. An input may ask for any amount: a few bytes of a log
 * unpack to a thousand times as many, and each of those may be a name. So all
 * tables that grow with an input are allocated and counted here.
 *
 * Threads: any.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Like malloc(), calloc(), realloc(), reallocarray() and free(); NULL also
 * where the limit would be passed. */
void *memory_new(size_t size);
void *memory_new_zeroed(size_t count, size_t size);
void *memory_resize(void *old, size_t size);
void *memory_resize_array(void *old, size_t count, size_t size);
void memory_free(void *memory);

/* For the three below, which call these only where there is no room. */
bool array_grow(void *array, size_t *room, size_t size);
bool array_grow32(void *array, uint32_t *room, size_t size);
bool array_extend(void *array, uint32_t index, uint32_t *room, size_t size);

/*
 * Makes room for one more in an array that is full: `array` is the address of
 * the pointer to it, which may be NULL at first; `room` is in items of `size`
 * bytes. False, with nothing changed, if out of memory.
 */
static inline bool array_reserve(
	void *array, size_t count, size_t *room, size_t size)
{
	return count < *room || array_grow(array, room, size);
}

/* The same where places are 32-bit numbers, of which there may be no more. */
static inline bool array_reserve32(
	void *array, uint32_t count, uint32_t *room, size_t size)
{
	return count < *room || array_grow32(array, room, size);
}

/* Makes room for the item `index`, and for more, which are all zero. */
static inline bool array_ensure_index(
	void *array, uint32_t index, uint32_t *room, size_t size)
{
	return index < *room || array_extend(array, index, room, size);
}

/* Limits the memory in use from now on to `bytes`; 0: no limit. */
void memory_set_limit(uint64_t bytes);
uint64_t memory_limit(void);

/*
 * The same where nobody asked for a limit: then inputs may not take more, as
 * well, than fits their size. Streams take little however long they are; what
 * is kept are names, threads and what is open, each of which has its bytes in
 * the file. Packed by gzip they may be a thousandth of that, so that a few
 * megabytes could take all of the machine.
 * Source: measured: of gzip'd traces of PyTorch's of 1 MB to 3 MB, profiles and
 * traces take 4 to 22 bytes for each of theirs, 10 MB of which they always take.
 */
#define MEMORY_FOR_ANY_INPUT (UINT64_C(1) << 30)
#define MEMORY_FOR_EACH_BYTE 64
void memory_set_usual_limit(uint64_t bytes);

/* Announces an input of `bytes` bytes; UINT64_MAX: unknown. The sizes of all
 * inputs so far are added up. */
void memory_expect(uint64_t bytes);

/* Is the limit what fits the size of the inputs? */
bool memory_limit_is_by_size(void);

/* Was anything refused because of the limit? */
bool memory_was_refused(void);

#endif
