/* SPDX-License-Identifier: MIT */
/*
 * Memory with a limit. An input may need any amount: a few bytes of a log
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

/* Like malloc(), calloc(), realloc(), reallocarray() and free(); NULL also if
 * the limit would be exceeded. */
void *memory_new(size_t size);
void *memory_new_zeroed(size_t count, size_t size);
void *memory_resize(void *old, size_t size);
void *memory_resize_array(void *old, size_t count, size_t size);
void memory_free(void *memory);

/* A copy of the text with a zero byte at its end. */
char *memory_copy_text(const char *text, size_t size);

/* Slow paths of the three functions below. */
bool array_grow(void *array, size_t *room, size_t size);
bool array_grow32(void *array, uint32_t *room, size_t size);
bool array_extend(void *array, uint32_t index, uint32_t *room, size_t size);

/*
 * Makes room for one more item in a full array: `array` is the address of the
 * pointer to it, which may be NULL at first; `room` is in items of `size`
 * bytes. False, with nothing changed, if out of memory.
 */
static inline bool array_reserve(
	void *array, size_t count, size_t *room, size_t size)
{
	return count < *room || array_grow(array, room, size);
}

/* The same for 32-bit indexes, which also limit the number of items. */
static inline bool array_reserve32(
	void *array, uint32_t count, uint32_t *room, size_t size)
{
	return count < *room || array_grow32(array, room, size);
}

/* Makes room for the item `index`; new items are zero. */
static inline bool array_ensure_index(
	void *array, uint32_t index, uint32_t *room, size_t size)
{
	return index < *room || array_extend(array, index, room, size);
}

/* Limits the memory in use from now on to `bytes`; 0: no limit. */
void memory_set_limit(uint64_t bytes);
uint64_t memory_limit(void);

/*
 * Sets the default limit: inputs may also not use more memory than is plausible
 * for their size. Long streams need little; names, threads and open ranges are
 * kept, each of which has some bytes in the file. Packed by gzip these may be a
 * thousandth, so that a few megabytes could use all memory.
 * Source: measured: for gzip'd PyTorch traces of 1 MB to 3 MB, profiles and
 * traces take 4 to 22 bytes per byte, of which 10 MB are constant.
 */
#define MEMORY_FOR_ANY_INPUT (UINT64_C(1) << 30)
#define MEMORY_FOR_EACH_BYTE 64
void memory_set_usual_limit(uint64_t bytes);
/* Divides that limit among processes, unless another one was set. */
void memory_divide_usual_limit(uint64_t processes);

/* Announces an input of `bytes` bytes; UINT64_MAX: unknown. The sizes of all
 * inputs are added up. */
void memory_expect(uint64_t bytes);

/* Whether the limit is derived from the size of the inputs. */
bool memory_limit_is_by_size(void);

/* Whether an allocation was refused because of the limit. */
bool memory_was_refused(void);

#endif
