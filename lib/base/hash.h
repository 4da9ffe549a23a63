/* SPDX-License-Identifier: MIT */
/*
 * Hashes for tables with keys from an input. They differ between processes, so
 * no output may depend on them.
 *
 * The author of an input knows this code but not the seed, which is drawn when
 * the process starts, after the input was written. A universal family of hashes
 * is sufficient against that. This one is proved to be universal, whereas other
 * fast hashes only pass statistical tests. Two numbers have the same hash for
 * one seed in 2^64, two texts of up to 256 bytes for one in 2^63, and texts of
 * a megabyte for one in 2^46. Tables therefore need neither a bound on probes
 * nor a fallback hash. SipHash would also resist an author who sees hashes, but
 * they are never visible, and it is slower.
 *
 * Source: for numbers the upper half of (a x + b) mod 2^128, Dietzfelbinger,
 * "Universal hashing and k-wise independent random variables via integer
 * arithmetic without primes" (1996). For texts NH, Black and others, "UMAC:
 * fast and secure message authentication" (1999). The blocks of long texts are
 * the coefficients of a polynomial modulo 2^61 - 1: Carter and Wegman, "New
 * hash functions and their use in authentication and set equality" (1981).
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_WORDS 3
#define HASH_PAIRS 16

__extension__ typedef unsigned __int128 hash_wide;

/* Set before main() and never again. */
struct hash_seed {
	hash_wide factors[HASH_WORDS];
	hash_wide start;
	uint64_t keys[2 * HASH_PAIRS];
	uint64_t point; /* below 2^60: point at which polynomials are
			 * evaluated */
};

extern struct hash_seed hash_seed;

/* Ids and addresses are often arithmetic progressions. Their products are, too,
 * and may fill runs of slots. A bijection breaks the progression without
 * affecting the proof. */
static inline uint64_t hash_end(hash_wide sum)
{
	uint64_t hash = (uint64_t)(sum >> 64);

	return (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t hash_word(uint64_t word)
{
	return hash_end(hash_seed.factors[0] * word + hash_seed.start);
}

static inline uint64_t hash_pair(uint64_t first, uint64_t second)
{
	return hash_end(hash_seed.factors[0] * first +
			hash_seed.factors[1] * second + hash_seed.start);
}

static inline uint64_t hash_triple(
	uint64_t first, uint64_t second, uint64_t third)
{
	return hash_end(hash_seed.factors[0] * first +
			hash_seed.factors[1] * second +
			hash_seed.factors[2] * third + hash_seed.start);
}

uint64_t hash_bytes(const void *bytes, size_t size);

/* A keyed hash: without the key, hashes cannot be reversed or guessed. Source:
 * Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012),
 * SipHash-2-4. */
struct siphash_key {
	uint64_t first;
	uint64_t second;
};

uint64_t siphash(const struct siphash_key *key, const void *bytes, size_t size);

#endif
