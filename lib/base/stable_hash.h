/* SPDX-License-Identifier: MIT */
/*
 * A hash for numbers that appear in outputs and must not change: ids, colors.
 * Collisions are easy to construct, so tables with keys from an input use
 * hash.h. The recorder's tables, with the program's own names and addresses,
 * use this one.
 */
#ifndef STABLE_HASH_H
#define STABLE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A well-mixed 64-bit hash of some bytes; the same on every machine and run.
 * Source: FNV-1a's loop over 8-byte words with the finaliser of MurmurHash3.
 */
uint64_t stable_hash(const void *bytes, size_t size);

#endif
