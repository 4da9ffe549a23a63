/* SPDX-License-Identifier: MIT */
#include "pack_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/quick_check.h"

const struct clock_scale pack_case_one = {0, UINT64_C(1) << 32};

struct log_writer *pack_case_writer;
struct packer *pack_case_packer;
struct chunk *pack_case_chunk;
size_t pack_case_used;
struct log_text pack_case_text;

static char path[32];

void pack_case_start(struct clock_scale scale, uint64_t min_ns)
{
	packer_free(pack_case_packer);
	pack_case_packer = packer_new(pack_case_writer, scale, min_ns);
	ck_assert_ptr_nonnull(pack_case_packer);
}

void pack_case_next_chunk(uint32_t track, uint64_t base)
{
	memset(pack_case_chunk, 0, sizeof(*pack_case_chunk));
	pack_case_chunk->track = track;
	pack_case_chunk->base = base;
	pack_case_used = 0;
}

void pack_case_set_up(void)
{
	int fd;

	(void)snprintf(path, sizeof(path), "./test_pack.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	pack_case_writer = log_writer_new(fd, 1);
	ck_assert_ptr_nonnull(pack_case_writer);
	pack_case_chunk = malloc(sizeof(*pack_case_chunk));
	ck_assert_ptr_nonnull(pack_case_chunk);
	pack_case_next_chunk(1, 0);
	pack_case_start(pack_case_one, 0);
}

void pack_case_tear_down(void)
{
	packer_free(pack_case_packer);
	pack_case_packer = NULL;
	log_writer_free(pack_case_writer);
	free(pack_case_chunk);
	log_text_clear(&pack_case_text);
	(void)unlink(path);
}

void pack_case_put(uint64_t word)
{
	ck_assert_uint_lt(pack_case_used, CHUNK_WORDS);
	pack_case_chunk->words[pack_case_used++] = word;
}

void pack_case_on(uint64_t ticks, uint32_t site)
{
	pack_case_put(ticks + ((uint64_t)site << CTP_TICK_BITS));
}

void pack_case_put_long(enum chunk_long kind, uint64_t detail,
	const uint64_t *words, size_t count)
{
	pack_case_put(chunk_long(pack_case_chunk, kind, count, detail));
	for (size_t i = 0; i < count; i++)
		pack_case_put(words[i]);
}

void pack_case_put_text(enum chunk_long kind, const uint64_t *words,
	size_t count, const char *bytes)
{
	size_t size = strlen(bytes);
	size_t text_words = (size + 7) / 8;

	pack_case_put(chunk_long(pack_case_chunk, kind, count + text_words,
		size == 0 ? 0 : (size - 1) % 8 + 1));
	for (size_t i = 0; i < count; i++)
		pack_case_put(words[i]);
	memcpy(&pack_case_chunk->words[pack_case_used], bytes, size);
	pack_case_used += text_words;
}

void pack_case_pack(void)
{
	const struct chunk_losses losses = chunk_losses(pack_case_chunk);
	uint32_t consumed = pack_case_chunk->consumed;

	ck_assert_int_eq(packer_read_events(pack_case_packer, pack_case_chunk,
				 &consumed, NULL),
		CTP_OK);
	ck_assert_int_eq(
		packer_write_events(pack_case_packer, &losses, NULL), CTP_OK);
	pack_case_chunk->consumed = consumed;
}

void pack_case_pack_registry(void)
{
	uint32_t consumed = pack_case_chunk->consumed;

	ck_assert_int_eq(packer_write_registry(pack_case_packer,
				 pack_case_chunk, &consumed, NULL),
		CTP_OK);
	pack_case_chunk->consumed = consumed;
}

void pack_case_read_log(void)
{
	size_t size = log_writer_bytes(pack_case_writer);
	FILE *file = fopen(path, "rb");
	void *bytes = malloc(size + 1);

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, size + 1, file), size);
	log_text_clear(&pack_case_text);
	pack_case_text = log_text_read(bytes, size);
	free(bytes);
	(void)fclose(file);
}
