/* SPDX-License-Identifier: MIT */
#include "base/siphash.h"

struct state {
	uint64_t v[4];
};

static uint64_t rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static void run(struct state *state, int rounds)
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

static void add(struct state *state, uint64_t word)
{
	state->v[3] ^= word;
	run(state, 2);
	state->v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *key, const void *bytes, size_t size)
{
	struct state state = {{key->first ^ UINT64_C(0x736f6d6570736575),
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
		add(&state, word);
		word = 0;
	}
	add(&state, word | (uint64_t)size << 56);
	state.v[2] ^= 0xff;
	run(&state, 4);
	return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}
