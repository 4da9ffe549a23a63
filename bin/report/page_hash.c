/* SPDX-License-Identifier: MIT */
#include "report/page_hash.h"

#include <string.h>

#define ROUNDS 64
#define SIZE_AT 56 /* of the size in the last block */
#define DIGEST 32

/* clang-format off */
static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
/* clang-format on */

static uint32_t turn(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void expand(const unsigned char *block, uint32_t words[ROUNDS])
{
	for (size_t i = 0; i < 16; i++, block += 4)
		words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
			   (uint32_t)block[2] << 8 | block[3];
	for (size_t i = 16; i < ROUNDS; i++) {
		uint32_t near = words[i - 2];
		uint32_t far = words[i - 15];

		words[i] = words[i - 16] + words[i - 7] +
			   (turn(far, 7) ^ turn(far, 18) ^ far >> 3) +
			   (turn(near, 17) ^ turn(near, 19) ^ near >> 10);
	}
}

static void add_block(struct page_hash *hash)
{
	uint32_t words[ROUNDS];
	uint32_t s[8];

	expand(hash->block, words);
	memcpy(s, hash->state, sizeof(s));
	for (size_t i = 0; i < ROUNDS; i++) {
		uint32_t first =
			s[7] +
			(turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
			((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] +
			words[i];
		uint32_t second =
			(turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
			((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(&s[1], &s[0], 7 * sizeof(s[0]));
		s[4] += first;
		s[0] = first + second;
	}
	for (size_t i = 0; i < 8; i++)
		hash->state[i] += s[i];
}

void page_hash_init(struct page_hash *hash)
{
	*hash = (struct page_hash){
		.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void page_hash_add(struct page_hash *hash, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		hash->block[hash->size++ % PAGE_HASH_BLOCK] =
			(unsigned char)text[i];
		if (hash->size % PAGE_HASH_BLOCK == 0)
			add_block(hash);
	}
}

static void put_base64(const unsigned char *bytes, char text[PAGE_HASH_TEXT])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < DIGEST; i += 3) {
		uint32_t bits = (uint32_t)bytes[i] << 16 |
				(uint32_t)bytes[i + 1] << 8 |
				(i + 2 < DIGEST ? bytes[i + 2] : 0U);

		for (unsigned shift = 24; shift > 0; shift -= 6)
			*text++ = digits[bits >> (shift - 6) & 63];
	}
	text[-1] = '=';
	*text = '\0';
}

void page_hash_end(struct page_hash *hash, char text[PAGE_HASH_TEXT])
{
	uint64_t bits = hash->size * 8;
	unsigned char digest[DIGEST];
	char size[8];

	page_hash_add(hash, "\x80", 1);
	while (hash->size % PAGE_HASH_BLOCK != SIZE_AT)
		page_hash_add(hash, "", 1);
	for (size_t i = 0; i < sizeof(size); i++)
		size[i] = (char)(bits >> (56 - 8 * i));
	page_hash_add(hash, size, sizeof(size));
	for (size_t i = 0; i < DIGEST; i++)
		digest[i] = (unsigned char)(hash->state[i / 4] >>
					    (24 - 8 * (i % 4)));
	put_base64(digest, text);
}
