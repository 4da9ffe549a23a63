/* SPDX-License-Identifier: MIT */
#include "pack_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "quick_check.h"

const struct clock_scale case_one = {0, UINT64_C(1) << 32};

struct log_writer *case_writer;
struct packer *case_packer;
struct chunk *case_chunk;
size_t case_used;
struct log_text case_text;

static char path[32];

void case_start(struct clock_scale scale, uint64_t min_ns)
{
	packer_free(case_packer);
	case_packer = packer_new(case_writer, scale, min_ns);
	ck_assert_ptr_nonnull(case_packer);
}

void case_next_chunk(uint32_t track, uint64_t base)
{
	memset(case_chunk, 0, sizeof(*case_chunk));
	case_chunk->track = track;
	case_chunk->base = base;
	case_used = 0;
}

void case_set_up(void)
{
	int fd;

	(void)snprintf(path, sizeof(path), "./test_pack.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	case_writer = log_writer_new(fd, 1);
	ck_assert_ptr_nonnull(case_writer);
	case_chunk = malloc(sizeof(*case_chunk));
	ck_assert_ptr_nonnull(case_chunk);
	case_next_chunk(1, 0);
	case_start(case_one, 0);
}

void case_tear_down(void)
{
	packer_free(case_packer);
	case_packer = NULL;
	log_writer_free(case_writer);
	free(case_chunk);
	log_text_clear(&case_text);
	(void)unlink(path);
}

void case_put(uint64_t word)
{
	ck_assert_uint_lt(case_used, CHUNK_WORDS);
	case_chunk->words[case_used++] = word;
}

void case_on(uint64_t ticks, uint32_t site)
{
	case_put(ticks + ((uint64_t)site << CTP_TICK_BITS));
}

void case_put_long(enum chunk_long kind, uint64_t detail, const uint64_t *words,
	size_t count)
{
	case_put(chunk_long(case_chunk, kind, count, detail));
	for (size_t i = 0; i < count; i++)
		case_put(words[i]);
}

void case_put_text(enum chunk_long kind, const uint64_t *words, size_t count,
	const char *bytes)
{
	size_t size = strlen(bytes);
	size_t text_words = (size + 7) / 8;

	case_put(chunk_long(case_chunk, kind, count + text_words,
		size == 0 ? 0 : (size - 1) % 8 + 1));
	for (size_t i = 0; i < count; i++)
		case_put(words[i]);
	memcpy(&case_chunk->words[case_used], bytes, size);
	case_used += text_words;
}

void case_pack(void)
{
	uint32_t consumed = case_chunk->consumed;

	ck_assert_int_eq(
		packer_read_events(case_packer, case_chunk, &consumed, NULL),
		CTP_OK);
	ck_assert_int_eq(
		packer_write_events(case_packer, case_chunk, NULL), CTP_OK);
	case_chunk->consumed = consumed;
}

void case_pack_registry(void)
{
	uint32_t consumed = case_chunk->consumed;

	ck_assert_int_eq(
		packer_registry(case_packer, case_chunk, &consumed, NULL),
		CTP_OK);
	case_chunk->consumed = consumed;
}

void case_read_log(void)
{
	size_t size = log_writer_bytes(case_writer);
	FILE *file = fopen(path, "rb");
	void *bytes = malloc(size + 1);

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, size + 1, file), size);
	log_text_clear(&case_text);
	case_text = log_text_read(bytes, size);
	free(bytes);
	(void)fclose(file);
}
