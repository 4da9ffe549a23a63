/* SPDX-License-Identifier: MIT */
/*
 * Raw deflate and CRC-32, one block at a time. The build chooses one of two
 * implementations: deflate_libdeflate.c, or deflate_zlib.c without libdeflate.
 */
#ifndef DEFLATE_H
#define DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the input. Columns of times have few repetitions: where such a part
 * comes first, it is packed as literals and not searched for any. */
struct deflate_part {
	const void *bytes;
	size_t size;
	bool literals;
};

struct deflater;

/* Units: level 1 (fast) to 9. NULL if out of memory. */
struct deflater *deflater_new(int level);
void deflater_free(struct deflater *deflater);

/* Upper bound of the packed size of `size` bytes. */
size_t deflater_bound(struct deflater *deflater, size_t size);

/* Packs the parts, which are contiguous in memory, as one stream. Returns the
 * packed size; 0 if `room` is too small. */
size_t deflater_pack(struct deflater *deflater,
	const struct deflate_part *parts, size_t count, void *out, size_t room);

struct inflater;

struct inflater *inflater_new(void);
void inflater_free(struct inflater *inflater);

/* Unpacks a whole stream; false unless it yields exactly `out_size` bytes and
 * uses exactly `size`. */
bool inflater_unpack(struct inflater *inflater, const void *bytes, size_t size,
	void *out, size_t out_size);

uint32_t deflate_crc32(const void *bytes, size_t size);

#endif
