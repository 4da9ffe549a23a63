/* SPDX-License-Identifier: MIT */
#include "base/stable_hash.h"

#include <endian.h>
#include <string.h>

static uint64_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= UINT64_C(0xff51afd7ed558ccd);
	value ^= value >> 33;
	value *= UINT64_C(0xc4ceb9fe1a85ec53);
	return value ^ value >> 33;
}

uint64_t stable_hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ size;
	uint64_t word;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, sizeof(word));
		word = le64toh(word);
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	while (size-- > 0)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return mix(hash);
}
