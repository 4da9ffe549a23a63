/* SPDX-License-Identifier: MIT */
/*
 * Deflate blocks of bytes with long repetitions, for the ids of events: sequences
 * of calls repeat. A library's search for all repetitions takes twice the time, and
 * makes these ids 7 % smaller (doc/benchmarks/2026-11-28.md).
 */
#ifndef REPEATS_H
#define REPEATS_H

#include <stdbool.h>
#include <stddef.h>

struct huffman_block;

#define REPEATS_BYTES_MAX ((size_t)65535)

/*
 * Whether a sample of the bytes has repetitions. If calls depend on data, only
 * runs of ends repeat, and the search is for nothing.
 * Source: measured by bench_pack. In a compiler's calls, which a search makes 23 %
 * smaller, 57 to 283 of 512 sequences repeat; in those of bench_graph.h, which it
 * makes 2 % smaller, 1 to 57.
 */
bool repeats_expected(const void *bytes, size_t size);

/*
 * Packs at most REPEATS_BYTES_MAX bytes as deflate blocks, none of which is the
 * last, and which end like those of huffman_pack(), with the codes of `block` if they fit.
 * Returns the size; 0 if `room`
 * is less than repeats_bound(), or the bytes are more.
 */
size_t repeats_pack(struct huffman_block *block, const void *bytes, size_t size,
	void *out, size_t room);

/* Upper bound of repeats_pack()'s output. */
size_t repeats_bound(size_t size);

#endif
