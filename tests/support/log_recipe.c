/* SPDX-License-Identifier: MIT */
#include "log_recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/deflate.h"
#include "log/log.h"
#include "log_maker.h"
#include "log_read/log_member.h"
#include "log/msgpack_out.h"

#define NAMES_IN_BLOCK 50000
#define SMALL_END 12 /* the end block among its members */

struct cook {
	struct buffer *log;
	size_t begin; /* from this recipe */
	size_t last;  /* start of its last step */
};

static void require(bool good, const char *step)
{
	if (good)
		return;
	(void)fprintf(stderr, "log_recipe: %s\n", step);
	abort();
}

static void add_begun(struct buffer *log)
{
	struct buffer small = BUFFER_INIT;
	struct log_maker_span end;

	log_maker_add_small(&small);
	require(log_maker_find(&small, SMALL_END, &end), "begun");
	buffer_add(log, small.bytes, end.begin);
	buffer_clear(&small);
}

static void add_names(struct buffer *log, uint32_t count)
{
	for (uint32_t first = 1; first <= count; first += NAMES_IN_BLOCK) {
		uint32_t rows = count - first + 1 < NAMES_IN_BLOCK
					? count - first + 1
					: NAMES_IN_BLOCK;
		struct buffer block = BUFFER_INIT;
		msgpack_packer out = msgpack_out(&block);

		(void)msgpack_pack_array(&out, 3);
		(void)msgpack_pack_int(&out, LOG_SITES);
		(void)msgpack_pack_uint32(&out, first);
		(void)msgpack_pack_array(&out, rows);
		for (uint32_t i = first; i < first + rows; i++) {
			char name[32];

			(void)snprintf(name, sizeof(name), "name %" PRIu32, i);
			(void)msgpack_pack_array(&out, 3);
			msgpack_out_text(&out, name, strlen(name));
			msgpack_out_text(&out, "", 0);
			(void)msgpack_pack_uint32(&out, 0);
		}
		log_maker_add_bytes(log, LOG_SITES, block.bytes, block.used);
		buffer_clear(&block);
	}
}

static void add_zeros(struct buffer *out, size_t size)
{
	if (size == 0)
		return;
	require(buffer_reserve(out, size), "out of memory");
	memset(out->bytes + out->used, 0, size);
	out->used += size;
}

static void add_bomb(struct buffer *log, size_t size)
{
	struct buffer zeros = BUFFER_INIT;

	add_zeros(&zeros, size);
	log_maker_add_bytes(log, 0, zeros.bytes, zeros.used);
	buffer_clear(&zeros);
}

static void add_hex(struct buffer *log, const char *at)
{
	for (;;) {
		char *end;
		unsigned long byte = strtoul(at, &end, 16);

		if (end == at)
			break;
		buffer_add_byte(log, (uint8_t)byte);
		at = end;
	}
}

static void flip(const struct cook *cook, int64_t bit, const char *step)
{
	struct buffer *log = cook->log;
	int64_t bits = (int64_t)(log->used - cook->last) * 8;

	bit = bit < 0 ? bits + bit : bit;
	require(bit >= 0 && bit < bits, step);
	log->bytes[cook->last + (size_t)bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void add_again(const struct cook *cook, uint64_t count)
{
	struct buffer *log = cook->log;
	size_t size = log->used - cook->begin;

	for (; count > 0 && buffer_reserve(log, size); count--)
		buffer_add(log, log->bytes + cook->begin, size);
}

/* Steps that change the output of the step before. */
static bool change(const struct cook *cook, const char *word, int64_t number,
	const char *step)
{
	struct buffer *log = cook->log;

	if (strcmp(word, "size") == 0) {
		require(log->used - cook->last >= LOG_HEADER_BYTES, step);
		for (int i = 0; i < 4; i++)
			log->bytes[cook->last + LOG_MAGIC_BYTES + (size_t)i] =
				(uint8_t)(number >> 8 * i);
	} else if (strcmp(word, "flip") == 0) {
		flip(cook, number, step);
	} else if (strcmp(word, "cut") == 0) {
		require((size_t)number <= log->used - cook->begin, step);
		log->used -= (size_t)number;
	} else {
		return false;
	}
	return true;
}

static bool append(const struct cook *cook, const char *word, int64_t number)
{
	struct buffer *log = cook->log;

	if (strcmp(word, "small") == 0)
		log_maker_add_small(log);
	else if (strcmp(word, "begun") == 0)
		add_begun(log);
	else if (strcmp(word, "names") == 0)
		add_names(log, (uint32_t)number);
	else if (strcmp(word, "bomb") == 0)
		add_bomb(log, (size_t)number);
	else if (strcmp(word, "zeros") == 0)
		add_zeros(log, (size_t)number);
	else if (strcmp(word, "again") == 0)
		add_again(cook, (uint64_t)number);
	else if (strcmp(word, "threads") == 0)
		for (int64_t i = 1; i <= number; i++)
			log_maker_add(log,
				"[3, %" PRId64 ", 0, 0, [0], [], [1], [2], []]",
				i);
	else
		return false;
	return true;
}

static void take_step(struct cook *cook, const char *step)
{
	char word[16] = "";
	int64_t number = 0;
	size_t before = cook->log->used;

	if (step[0] == '\0' || step[0] == '#')
		return;
	if (step[0] == '[') {
		log_maker_add(cook->log, "%s", step);
	} else if (strncmp(step, "bytes ", 6) == 0) {
		add_hex(cook->log, step + 6);
	} else {
		require(sscanf(step, "%15s %" SCNd64, word, &number) >= 1,
			step);
		if (change(cook, word, number, step))
			return;
		require(append(cook, word, number), step);
	}
	cook->last = before;
}

void log_recipe_add(struct buffer *log, const char *recipe)
{
	struct cook cook = {log, log->used, log->used};

	while (*recipe != '\0') {
		size_t size = strcspn(recipe, "\n");
		char *step = strndup(recipe, size);

		require(step != NULL, "out of memory");
		take_step(&cook, step);
		free(step);
		recipe += size + (recipe[size] == '\n');
	}
	require(!log->failed, "out of memory");
}

bool log_recipe_unpack(const struct buffer *log, struct buffer *blocks)
{
	static uint8_t block[UINT16_MAX];
	struct inflater *inflater = inflater_new();
	struct log_member member;
	bool good = inflater != NULL;

	for (size_t at = 0; good && at < log->used; at += member.size) {
		const uint8_t *bytes = log->bytes + at;
		const uint8_t *trailer;
		size_t size;

		good = log_member_parse(bytes, log->used - at, &member) &&
		       member.size <= log->used - at;
		if (!good)
			break;
		trailer = bytes + member.size - LOG_TRAILER_BYTES;
		size = (size_t)trailer[4] | (size_t)trailer[5] << 8;
		good = inflater_unpack(inflater, bytes + LOG_HEADER_BYTES,
			member.size - LOG_HEADER_BYTES - LOG_TRAILER_BYTES,
			block, size);
		buffer_add_byte(blocks, trailer[4]);
		buffer_add_byte(blocks, trailer[5]);
		buffer_add(blocks, block, size);
	}
	inflater_free(inflater);
	return good;
}
