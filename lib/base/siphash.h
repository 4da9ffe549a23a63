/* SPDX-License-Identifier: MIT */
/* A keyed hash: who does not have the key cannot tell which text it is of, nor
 * try. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"
 * (2012), SipHash-2-4. */
#ifndef SIPHASH_H
#define SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t first;
	uint64_t second;
};

uint64_t siphash(const struct siphash_key *key, const void *bytes, size_t size);

#endif
