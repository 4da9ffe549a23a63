/* SPDX-License-Identifier: MIT */
/* lib/pack/pack.[ch], pack_record.c: corrupt, impossible or random chunks have
 * no effect but in the log. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack_case.h"
#include "support/run_suite.h"

/* Any bytes in the first word of a long record. */
START_TEST(no_length_leads_out_of_the_chunk)
{
	static const uint64_t words[] = {
		0, 1, 2, 3, 4, CHUNK_WORDS - 1, CHUNK_WORDS, 0xffff};
	static const uint64_t details[] = {0, 1, 8, 9, 0xfffff};

	for (uint64_t kind = 0; kind < 20; kind++) {
		for (size_t i = 0; i < 8 * 5; i++) {
			pack_case_next_chunk(1, 0);
			pack_case_on(1, 1);
			/* At the end, and with all following words set. */
			pack_case_used = CHUNK_WORDS - 4;
			memset(pack_case_chunk->words + 1, 0x11,
				8 * (pack_case_used - 1));
			pack_case_put(chunk_long(pack_case_chunk,
				(enum chunk_long)kind, words[i % 8],
				details[i / 8]));
			pack_case_put(1);
			pack_case_put(2);
			pack_case_put(3);
			pack_case_chunk->consumed = CHUNK_WORDS - 4;
			pack_case_pack();
			ck_assert_uint_le(
				pack_case_chunk->consumed, CHUNK_WORDS);
			pack_case_chunk->consumed = CHUNK_WORDS - 4;
			pack_case_pack_registry();
			ck_assert_uint_le(
				pack_case_chunk->consumed, CHUNK_WORDS);
		}
	}
}
END_TEST

/* A good record, then one with only its first words. */
START_TEST(a_second_site_does_not_lead_out_of_the_chunk)
{
	static const uint64_t words[] = {0, 1, 3, 100, 0xffff};

	for (size_t room = 1; room < 6; room++) {
		for (size_t i = 0; i < 5; i++) {
			pack_case_next_chunk(0, 0);
			pack_case_used = CHUNK_WORDS - 5 - room;
			pack_case_chunk->consumed = (uint32_t)pack_case_used;
			CASE_TEXT(CHUNK_SITE, "name", 1, 0, 4);
			pack_case_put(chunk_long(
				pack_case_chunk, CHUNK_SITE, words[i], 8));
			for (uint64_t word = 2; pack_case_used < CHUNK_WORDS;
				word++)
				pack_case_put(word);
			pack_case_pack_registry();
			ck_assert_uint_le(
				pack_case_chunk->consumed, CHUNK_WORDS);
		}
	}
	pack_case_read_log();
	ck_assert_int_eq(pack_case_text.status, CTP_END);
	ck_assert_str_eq(pack_case_text.losses, "truncated 1\n");
}
END_TEST

/* Impossible numbers: the rest of the chunk is good. */
START_TEST(impossible_tracks_and_sites_cost_their_record_alone)
{
	pack_case_on(1, 1);
	CASE_LONG(CHUNK_BEGIN, 0, 2, UINT32_MAX);
	CASE_LONG(CHUNK_BEGIN, 0, 3, UINT64_C(1) << 24);
	CASE_LONG(CHUNK_BEGIN_AT, 0, 4, 1, UINT32_MAX);
	CASE_LONG(CHUNK_BEGIN_AT, 0, 4, 1, UINT64_C(1) << 22);
	CASE_LONG(CHUNK_INSTANT, 0, 5, UINT64_MAX, 0);
	CASE_LONG(99, 0, 5, UINT64_MAX, 0);
	pack_case_on(6, 0);
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
	pack_case_next_chunk(0, 0);
	CASE_LONG(CHUNK_LOSSES, 0, UINT32_MAX, 1000, 20);
	CASE_TEXT(CHUNK_TRACK, "", 3, 0, 79);
	pack_case_pack_registry();
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
	pack_case_read_log();
	ck_assert_str_eq(
		pack_case_text.events, "0 1 begin (site 1)\n0 6 end\n");
	ck_assert_str_eq(pack_case_text.losses,
		"dropped_events 5\ntruncated 1\nunknown_sites 1\n"
		"unknown_events 1\n");
}
END_TEST

/* Sizes beyond the end of their record: the records before it are good. */
START_TEST(arguments_do_not_lead_out_of_their_event)
{
	static const uint64_t sizes[] = {9, 0xffffff, UINT64_C(9) << 24,
		UINT64_C(0xffffffff) << 24, UINT64_MAX >> 8};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		CASE_TEXT(CHUNK_INSTANT, "12345678", i, 2, 0, CHUNK_ARG_INT, 5,
			CHUNK_ARG_TEXT | sizes[i] << 8, 0);
	CASE_LONG(CHUNK_INSTANT, 0, 7, 2, 0, chunk_arg(CHUNK_ARG_INT, 0, 0));
	pack_case_on(8, 1);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events, "0 0 instant (site 2) =5\n"
						"0 1 instant (site 2) =5\n"
						"0 2 instant (site 2) =5\n"
						"0 3 instant (site 2) =5\n"
						"0 4 instant (site 2) =5\n"
						"0 7 instant (site 2)\n"
						"0 8 begin (site 1)\n");
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
}
END_TEST

static uint32_t next_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

/* Chunks of three tracks, packed in pieces of any size. */
START_TEST(random_chunks_give_exactly_their_events)
{
	uint64_t state = 1;
	uint64_t ticks = CASE_WRAP - 100000;
	char *expected = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&expected, &size);

	ck_assert_ptr_nonnull(out);
	for (int round = 0; round < 300; round++) {
		/* Each track has its own chunks, in any order. */
		uint32_t track = round < 3 ? (uint32_t)round + 1
					   : 1 + next_random(&state, 3);
		uint32_t records = 1 + next_random(&state, 400);

		pack_case_next_chunk(track, ticks);
		for (uint32_t i = 0; i < records; i++) {
			uint32_t site = next_random(&state, 2) *
					(1 + next_random(&state, 300));

			ticks += next_random(&state, 1000);
			if (next_random(&state, 10) == 0)
				ticks -= 50;
			pack_case_on(ticks, site);
			if (site == 0)
				(void)fprintf(out, "%u %lld end\n", track - 1,
					(long long)ticks);
			else
				(void)fprintf(out, "%u %lld begin (site %u)\n",
					track - 1, (long long)ticks, site);
			if (next_random(&state, 50) == 0)
				pack_case_pack();
		}
		pack_case_pack();
		ck_assert_uint_eq(pack_case_chunk->consumed, records);
	}
	(void)fclose(out);
	pack_case_read_log();
	ck_assert_int_eq(strcmp(pack_case_text.events, expected), 0);
	free(expected);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("pack_hostile");
	TCase *tests = tcase_create("pack_hostile");

	tcase_add_checked_fixture(tests, pack_case_set_up, pack_case_tear_down);
	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, no_length_leads_out_of_the_chunk);
	tcase_add_test(tests, a_second_site_does_not_lead_out_of_the_chunk);
	tcase_add_test(
		tests, impossible_tracks_and_sites_cost_their_record_alone);
	tcase_add_test(tests, arguments_do_not_lead_out_of_their_event);
	tcase_add_test(tests, random_chunks_give_exactly_their_events);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
