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

#include "log/huffman_block.h"

/* How to pack a piece of the input that other pieces follow: by the library, or by
 * our own code, which is faster on columns of events. */
enum deflate_kind {
	DEFLATE_ANY,
	DEFLATE_LITERALS, /* hardly any repetitions, like times */
	DEFLATE_REPEATS   /* at level 1, only long repetitions are looked for */
};

struct deflate_part {
	const void *bytes;
	size_t size;
	enum deflate_kind kind;
};

struct deflater;

/* Units: level 1 (fast) to 9. NULL if out of memory. */
struct deflater *deflater_new(int level);
void deflater_free(struct deflater *deflater);

/* Upper bound of the packed size of `size` bytes. */
size_t deflater_bound(struct deflater *deflater, size_t size);

/* A deflater's state for our own code: its level, and the newest block of each
 * kind. */
#define DEFLATE_KINDS 3
struct deflate_ours {
	int level;
	struct huffman_block blocks[DEFLATE_KINDS];
};

/* Packs the leading parts that are for our own code, and moves `parts` past them;
 * one is left for the library to end the stream with. Returns the packed size. */
size_t deflate_pack_ours(struct deflate_ours *ours,
	const struct deflate_part **parts, size_t *count, void *out,
	size_t room);

/* Upper bound of its output. */
size_t deflate_bound_ours(size_t size);

/* Packs the parts, which are contiguous in memory, as one stream. Returns the
 * packed size; 0 if `room` is too small. */
size_t deflater_pack(struct deflater *deflater,
	const struct deflate_part *parts, size_t count, void *out, size_t room);

/*
 * Packs bytes so that another stream can follow: no block is marked as last, and
 * they end at a whole byte. `room` is at least DEFLATE_OPEN_BYTES more than the
 * bound. Returns the packed size; 0 if out of memory.
 */
size_t deflater_pack_open(struct deflater *deflater, const void *bytes,
	size_t size, void *out, size_t room);

struct inflater;

struct inflater *inflater_new(void);
void inflater_free(struct inflater *inflater);

/* Unpacks a whole stream; false unless it yields exactly `out_size` bytes and
 * uses exactly `size`. */
bool inflater_unpack(struct inflater *inflater, const void *bytes, size_t size,
	void *out, size_t out_size);

uint32_t deflate_crc32(const void *bytes, size_t size);

#endif
