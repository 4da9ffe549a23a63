/* SPDX-License-Identifier: MIT */
#include "pack/chunk.h"

uint32_t chunk_record_words(const struct chunk *chunk, uint32_t at)
{
	uint64_t word = at < CHUNK_WORDS ? __atomic_load_n(&chunk->words[at],
						   __ATOMIC_ACQUIRE)
					 : 0;
	uint32_t more;

	if (word == 0)
		return 0;
	if (chunk_site(chunk, word) != CHUNK_ID_LONG)
		return 1;
	more = chunk_head(chunk, word).words;
	return more < CHUNK_WORDS - at ? 1 + more : 0;
}

uint32_t chunk_records(const struct chunk *chunk)
{
	uint32_t at = chunk->consumed;
	uint32_t count = 0;
	uint32_t words;

	for (; (words = chunk_record_words(chunk, at)) != 0; at += words)
		count++;
	return count;
}
