/* SPDX-License-Identifier: MIT */
/* The hash of the page's script: its policy allows no other. */
#ifndef CTPROF_PAGE_HASH_H
#define CTPROF_PAGE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_HASH_BLOCK 64
#define PAGE_HASH_TEXT 45 /* Base64 of 32 bytes, and its end */

/* SHA-256 of text in pieces. Source: FIPS 180-4, section 6.2. */
struct page_hash {
	uint32_t state[8];
	uint64_t size;
	unsigned char block[PAGE_HASH_BLOCK];
};

void page_hash_init(struct page_hash *hash);

void page_hash_add(struct page_hash *hash, const char *text, size_t size);

/* Writes the hash in Base64, as policies have it. `hash` is used up. */
void page_hash_end(struct page_hash *hash, char text[PAGE_HASH_TEXT]);

#endif
