/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <endian.h>
#include <string.h>
#include <sys/auxv.h>

struct sip_state {
	uint64_t v[4];
};

static uint64_t rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static void sip_rounds(struct sip_state *state, int rounds)
{
	uint64_t *v = state->v;

	for (; rounds > 0; rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void sip_add(struct sip_state *state, uint64_t word)
{
	state->v[3] ^= word;
	sip_rounds(state, 2);
	state->v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *key, const void *bytes, size_t size)
{
	struct sip_state state = {{key->first ^ UINT64_C(0x736f6d6570736575),
		key->second ^ UINT64_C(0x646f72616e646f6d),
		key->first ^ UINT64_C(0x6c7967656e657261),
		key->second ^ UINT64_C(0x7465646279746573)}};
	const uint8_t *at = bytes;
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < size; i++) {
		word |= (uint64_t)at[i] << 8 * (i % 8);
		if (i % 8 < 7)
			continue;
		sip_add(&state, word);
		word = 0;
	}
	sip_add(&state, word | (uint64_t)size << 56);
	state.v[2] ^= 0xff;
	sip_rounds(&state, 4);
	return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}

#define PAIR_BYTES 16
#define BLOCK_BYTES ((size_t)HASH_PAIRS * PAIR_BYTES)
#define PRIME_BITS 61

struct hash_seed hash_seed;

/*
 * The kernel gives each program 16 random bytes; reading them needs no call
 * that could fail, be forbidden or block. The C library's stack guard uses the
 * same bytes; SipHash does not disclose them. The seed cannot be set by a
 * variable or option, because it would be known then.
 */
__attribute__((constructor)) static void draw_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	struct siphash_key key = {(uintptr_t)&key, (uintptr_t)&hash_seed};
	uint64_t words[sizeof(hash_seed) / sizeof(uint64_t)];

	if (random != NULL)
		memcpy(&key, random, sizeof(key));
	for (uint64_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = siphash(&key, &i, sizeof(i));
	memcpy(&hash_seed, words, sizeof(hash_seed));
	hash_seed.point >>= 64 - (PRIME_BITS - 1);
}

static uint64_t load(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/* Loads up to seven bytes. */
static uint64_t load_few(const unsigned char *bytes, size_t size)
{
	uint32_t first;
	uint32_t last;

	if (size == 0)
		return 0;
	if (size < 4)
		return bytes[0] | (uint64_t)bytes[size / 2] << 8 |
		       (uint64_t)bytes[size - 1] << 16;
	memcpy(&first, bytes, sizeof(first));
	memcpy(&last, bytes + size - 4, sizeof(last));
	return first | (uint64_t)last << 32;
}

/* NH of `count` pairs of words. */
static inline hash_wide add_pairs(const unsigned char *at, size_t count)
{
	const uint64_t *keys = hash_seed.keys;
	const uint64_t *end = keys + 2 * count;
	hash_wide sum = 0;

	for (; keys < end; keys += 2, at += PAIR_BYTES)
		sum += (hash_wide)(load(at) + keys[0]) *
		       (load(at + 8) + keys[1]);
	return sum;
}

/* The result is not reduced completely, but is below 2^63, since the point is
 * below 2^60, and equal for equal texts. */
static uint64_t add_word(uint64_t value, uint64_t word)
{
	hash_wide product = (hash_wide)value * hash_seed.point;
	uint64_t prime = (UINT64_C(1) << PRIME_BITS) - 1;

	return ((uint64_t)product & prime) + (uint64_t)(product >> PRIME_BITS) +
	       word;
}

/* Adds the sum of a block, in words below the modulus. */
static uint64_t add_block(uint64_t value, const unsigned char *at)
{
	hash_wide sum = add_pairs(at, BLOCK_BYTES / PAIR_BYTES);
	uint64_t mask = UINT64_MAX >> 8;

	value = add_word(value, (uint64_t)sum & mask);
	value = add_word(value, (uint64_t)(sum >> 56) & mask);
	return add_word(value, (uint64_t)(sum >> 112));
}

/* The last pair may overlap the one before it, so that no pair needs padding.
 * The size is the first coefficient: texts of different sizes differ in it. */
static __attribute__((noinline)) uint64_t hash_long(
	const unsigned char *at, size_t size)
{
	const uint64_t *last = hash_seed.keys + 2 * (HASH_PAIRS - 1);
	size_t left = size;
	uint64_t value = size;
	hash_wide sum;

	for (; left > BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES)
		value = add_block(value, at);
	sum = add_pairs(at, (left - 1) / PAIR_BYTES);
	at = at + left - PAIR_BYTES;
	sum += (hash_wide)(load(at) + last[0]) * (load(at + 8) + last[1]);
	return hash_triple(value, (uint64_t)sum, (uint64_t)(sum >> 64));
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	if (size < 8)
		return hash_pair(size, load_few(at, size));
	if (size <= PAIR_BYTES)
		return hash_triple(size, load(at), load(at + size - 8));
	return hash_long(at, size);
}
