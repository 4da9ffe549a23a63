/* SPDX-License-Identifier: MIT */
/*
 * Logs damaged at random, with a fixed seed: flipped bits, overwritten bytes,
 * members in any order. The expected result is exact: the contents of the sound
 * members, as if the others had never existed.
 *
 * CTPROF_FLIPS is the number of damaged logs, by default 20,000.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "log/deflate.h"
#include "log/log.h"
#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

#define MEMBERS 13
#define ROUNDS 20

static uint64_t state;
static struct inflater *inflater;

static uint32_t below(size_t limit)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % (uint32_t)limit;
}

static int flips(void)
{
	const char *text = getenv("CTPROF_FLIPS");

	return text == NULL ? 20000 : atoi(text);
}

/* One bit; a few bits; a few bytes together; some zeros. */
static void damage(struct buffer *log, int kind)
{
	size_t at = below(log->used);
	size_t size = 1 + below(kind == 2 ? 8 : 64);

	if (size > log->used - at)
		size = log->used - at;
	switch (kind) {
	case 0:
		log->bytes[at] ^= (uint8_t)(1 << below(8));
		break;
	case 1:
		for (uint32_t i = 2 + below(7); i > 0; i--)
			log->bytes[below(log->used)] ^=
				(uint8_t)(1 << below(8));
		break;
	case 2:
		for (size_t i = 0; i < size; i++)
			log->bytes[at + i] = (uint8_t)below(256);
		break;
	default:
		memset(log->bytes + at, 0, size);
	}
}

static bool is_sound(const struct buffer *log, struct log_maker_span span)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	const uint8_t *bytes = log->bytes + span.begin;
	size_t size = span.end - span.begin;
	uint8_t block[4096];
	uint32_t trailer[3]; /* CRC and size, and the size in the header */

	memcpy(trailer, bytes + size - LOG_TRAILER_BYTES, 8);
	memcpy(trailer + 2, bytes + LOG_MAGIC_BYTES, 4);
	return memcmp(bytes, magic, sizeof(magic)) == 0 && trailer[2] == size &&
	       trailer[1] <= sizeof(block) && trailer[1] > 0 &&
	       inflater_unpack(inflater, bytes + LOG_HEADER_BYTES,
		       size - LOG_HEADER_BYTES - LOG_TRAILER_BYTES, block,
		       trailer[1]) &&
	       deflate_crc32(block, trailer[1]) == trailer[0];
}

/* The sound members, as bits; and the size of the others in bytes. */
static uint32_t sound_members(const struct buffer *log, uint64_t *lost)
{
	struct log_maker_span span;
	uint32_t sound = 0;

	*lost = 0;
	for (uint32_t i = 0; i < MEMBERS; i++) {
		ck_assert(log_maker_find(&log_case_small, i, &span));
		if (is_sound(log, span))
			sound |= UINT32_C(1) << i;
		else
			*lost += span.end - span.begin;
	}
	return sound;
}

/* The log of these members alone, read once. */
static const struct log_text *expected_of(uint32_t sound)
{
	static struct log_text known[1 << MEMBERS];

	if (known[sound].events == NULL) {
		for (uint32_t i = 0; i < MEMBERS; i++)
			if ((sound >> i & 1) != 0)
				log_case_copy_members(i, i + 1);
		known[sound] =
			log_text_read(log_case_made.bytes, log_case_made.used);
		log_case_made.used = 0;
	}
	return &known[sound];
}

static uint64_t lost_of(const struct log_text *text, const char *name)
{
	const char *at = strstr(text->losses, name);

	return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}

static void check_damaged(void)
{
	static const char *const same[] = {"dropped_ranges", "cut_text",
		"missing_events", "truncated", "unknown_sites",
		"reopened_ranges", "closed_ranges"};
	uint64_t lost;
	uint32_t sound = sound_members(&log_case_made, &lost);
	struct log_text text =
		log_text_read(log_case_made.bytes, log_case_made.used);
	const struct log_text *want;

	log_case_made.used = 0;
	want = expected_of(sound);
	ck_assert_int_eq(text.status, want->status);
	ck_assert_str_eq(text.events, want->events);
	ck_assert_str_eq(text.tracks, want->tracks);
	ck_assert_str_eq(text.facts, want->facts);
	ck_assert_uint_eq(lost_of(&text, "skipped_bytes"), lost);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		ck_assert_uint_eq(
			lost_of(&text, same[i]), lost_of(want, same[i]));
	log_text_clear(&text);
}

START_TEST(damage_costs_the_blocks_it_hits_and_no_others)
{
	int count = flips() / ROUNDS;

	state = (uint64_t)_i + 1;
	inflater = inflater_new();
	ck_assert_ptr_nonnull(inflater);
	for (int i = 0; i < count; i++) {
		log_case_copy_members(0, SIZE_MAX);
		damage(&log_case_made, i % 4);
		check_damaged();
	}
	inflater_free(inflater);
}
END_TEST

/* The result for members in this order, by the reader's rules alone. */
struct model {
	bool started;
	bool ended;
	uint64_t next_seq[3]; /* by track */
	uint64_t events;
	uint64_t unknown;
	uint64_t damaged;
	uint64_t truncated;
};

static void model_next(struct model *model)
{
	model->truncated += model->started && !model->ended;
	model->started = false;
	model->ended = false;
	memset(model->next_seq, 0, sizeof(model->next_seq));
}

static void model_add(struct model *model, uint32_t member)
{
	/* Events in each of the small log's members; the others hold none. */
	static const struct {
		uint8_t track;
		uint8_t seq;
		uint8_t events;
		uint8_t unknown;
	} blocks[MEMBERS] = {[4] = {1, 0, 4, 0},
		[6] = {2, 0, 2, 0},
		[8] = {1, 1, 14, 1},
		[9] = {1, 2, 5, 0}};
	uint32_t track = blocks[member].track;

	if (member == 0 || (model->ended && member != 12))
		model_next(model);
	model->started = true;
	model->ended |= member == 12;
	if (track == 0)
		return;
	if (blocks[member].seq < model->next_seq[track]) {
		model->damaged++;
		return;
	}
	model->next_seq[track] = blocks[member].seq + UINT64_C(1);
	model->events += blocks[member].events;
	model->unknown += blocks[member].unknown;
}

static uint64_t line_count(const char *text)
{
	uint64_t count = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		count++;
	return count;
}

START_TEST(members_in_any_order_give_all_that_can_be_placed)
{
	state = (uint64_t)_i + 1000;
	for (int i = 0; i < flips() / ROUNDS / 10; i++) {
		struct model model = {0};

		for (uint32_t left = 1 + below(30); left > 0; left--) {
			uint32_t member = below(MEMBERS);

			log_case_copy_members(member, member + 1);
			model_add(&model, member);
		}
		model_next(&model);
		log_case_read_made();
		ck_assert_int_eq(log_case_text.status, CTP_END);
		ck_assert_uint_eq(line_count(log_case_text.events),
			model.events + log_case_lost("reopened_ranges") +
				log_case_lost("closed_ranges"));
		ck_assert_uint_eq(
			log_case_lost("damaged_blocks"), model.damaged);
		ck_assert_uint_eq(
			log_case_lost("unknown_events"), model.unknown);
		ck_assert_uint_eq(log_case_lost("truncated"), model.truncated);
	}
}
END_TEST

static TCase *make_random(void)
{
	TCase *tests = tcase_create("random");

	tcase_add_checked_fixture(tests, log_case_set_up, log_case_tear_down);
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests,
		damage_costs_the_blocks_it_hits_and_no_others, 0, ROUNDS);
	tcase_add_loop_test(tests,
		members_in_any_order_give_all_that_can_be_placed, 0, ROUNDS);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_random");

	suite_add_tcase(suite, make_random());
	return run_suite(suite);
}
