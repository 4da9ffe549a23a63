/* SPDX-License-Identifier: MIT */
/* lib/pack/pack.[ch], pack_record.c: a log has the contents of its chunks. */
#include <check.h>
#include <pthread.h>
#include <string.h>

#include "pack_case.h"
#include "support/run_suite.h"

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

START_TEST(records_become_events)
{
	pack_case_on(100, 1);
	pack_case_on(105, 2);
	pack_case_on(110, 0);
	pack_case_on(110, CHUNK_ID_LONG - 1);
	pack_case_on(111, 0);
	pack_case_on(200, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events, "0 100 begin (site 1)\n"
						"0 105 begin (site 2)\n"
						"0 110 end\n"
						"0 110 begin (site 1048574)\n"
						"0 111 end\n"
						"0 200 end\n");
	ck_assert_uint_eq(pack_case_chunk->consumed, 6);
	ck_assert_uint_eq(packer_event_count(pack_case_packer), 6);
	ck_assert_int_eq(packer_newest_ns(pack_case_packer), 200);
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 1);
}
END_TEST

/* Writes records one by one, some time apart, while they are read. */
static void *write_slowly(void *argument)
{
	const uint64_t *words = argument;

	for (uint32_t i = 0; i < CHUNK_WORDS; i++) {
		for (int pause = 0; pause < 40; pause++)
			__asm__ volatile("" ::: "memory");
		__atomic_store_n(
			&pack_case_chunk->words[i], words[i], __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A record that is stored between two reads of its word is read as itself: it
 * is neither missed nor taken for another kind. */
START_TEST(records_are_read_while_they_are_written)
{
	static uint64_t words[CHUNK_WORDS];
	uint64_t events = 0;

	for (int round = 0; round < 10; round++) {
		pthread_t thread;

		pack_case_next_chunk(1, 1000);
		for (uint32_t i = 0; i < CHUNK_WORDS; i++)
			pack_case_on(1000 + i, i % 2 == 0 ? 1 + i : 0);
		memcpy(words, pack_case_chunk->words, sizeof(words));
		memset(pack_case_chunk->words, 0, sizeof(words));
		ck_assert_int_eq(
			pthread_create(&thread, NULL, write_slowly, words), 0);
		while (pack_case_chunk->consumed < CHUNK_WORDS) {
			uint32_t before = pack_case_chunk->consumed;

			pack_case_pack();
			events += pack_case_chunk->consumed - before;
			ck_assert_uint_eq(
				packer_event_count(pack_case_packer), events);
		}
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
	}
}
END_TEST

START_TEST(ticks_are_scaled)
{
	pack_case_start(
		(struct clock_scale){1000, 1717986918}, 0); /* 2.5 GHz */
	pack_case_next_chunk(1, 900);
	pack_case_on(950, 1);
	pack_case_on(1003, 0);
	pack_case_on(25001000, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 -19 begin (site 1)\n0 1 end\n0 9999999 end\n");
}
END_TEST

START_TEST(an_empty_chunk_gives_no_block)
{
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, 0);
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 0);
	pack_case_pack_registry();
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 0);
}
END_TEST

START_TEST(a_chunk_full_to_its_last_word_is_whole)
{
	for (uint32_t i = 0; i < CHUNK_WORDS; i++)
		pack_case_on(i * 3, i % 2 == 0 ? i % 5000 + 1 : 0);
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, CHUNK_WORDS);
	ck_assert_uint_eq(packer_event_count(pack_case_packer), CHUNK_WORDS);
	pack_case_read_log();
	ck_assert_str_eq(
		pack_case_text.losses, "truncated 1\nunknown_sites 2500\n");
}
END_TEST

START_TEST(times_go_on_where_44_bits_end)
{
	uint64_t base = 5 * CASE_WRAP - 10;

	pack_case_next_chunk(1, base);
	pack_case_on(base + 3, 1);
	pack_case_on(base + 9, 2);
	pack_case_on(base + 12, 0); /* the part above bit 44 changes here */
	pack_case_on(base + CASE_WRAP / 4, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 87960930222073 begin (site 1)\n"
		"0 87960930222079 begin (site 2)\n"
		"0 87960930222082 end\n"
		"0 92358976733174 end\n");
}
END_TEST

START_TEST(steps_back_are_kept)
{
	pack_case_next_chunk(1, CASE_WRAP + 1000);
	pack_case_on(CASE_WRAP + 990, 1); /* before the chunk's base */
	pack_case_on(CASE_WRAP + 1010, 2);
	pack_case_on(CASE_WRAP + 1005, 0);
	pack_case_on(CASE_WRAP - 5, 0); /* below a multiple of 2^44 */
	pack_case_on(CASE_WRAP + 3, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 17592186045406 begin (site 1)\n"
		"0 17592186045426 begin (site 2)\n"
		"0 17592186045421 end\n"
		"0 17592186044411 end\n"
		"0 17592186044419 end\n");
}
END_TEST

START_TEST(every_long_record_becomes_its_event)
{
	pack_case_on(1, 1);
	CASE_LONG(CHUNK_BEGIN, 0, 10, 1048580);
	CASE_TEXT(CHUNK_ARG_INT, "a key of some length", 11, (uint64_t)-5);
	CASE_TEXT(CHUNK_ARG_FLOAT, "12345678", 12, bits_of(0.5));
	CASE_TEXT(CHUNK_ARG_TEXT, "keyvalue", 13, 3);
	CASE_TEXT(CHUNK_ARG_TEXT, "key", 14, 3);
	CASE_TEXT(CHUNK_ARG_TEXT, "k\xff", 15, 1);
	CASE_LONG(CHUNK_INSTANT, 0, 20, 2, 0);
	CASE_LONG(CHUNK_COUNTER, 0, 21, 2, (uint64_t)-7);
	CASE_LONG(CHUNK_COUNTER, 1, 22, 2, bits_of(-2.5));
	CASE_LONG(CHUNK_ASYNC_BEGIN, 0, 23, 2, UINT64_MAX);
	CASE_LONG(CHUNK_ASYNC_END, 0, 24, 2, UINT64_MAX);
	CASE_LONG(CHUNK_ALLOC, 0, 25, 4096, 64, (uint64_t)-1);
	CASE_LONG(CHUNK_FREE, 0, 26, UINT64_MAX, UINT64_MAX, 3);
	CASE_LONG(CHUNK_STEP, 0, 27, 2, 12, 1);
	pack_case_on(30, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 1 begin (site 1)\n"
		"0 10 begin (site 1048580)\n"
		"0 11 arg a key of some length=-5\n"
		"0 12 arg 12345678=0x1p-1\n"
		"0 13 arg key='value'\n"
		"0 14 arg key=''\n"
		"0 15 arg k='\xff'\n"
		"0 20 instant (site 2)\n"
		"0 21 counter (site 2) =-7\n"
		"0 22 counter (site 2) =-0x1.4p+1\n"
		"0 23 async_begin (site 2) 18446744073709551615\n"
		"0 24 async_end (site 2) 18446744073709551615\n"
		"0 25 alloc 4096 64 -1\n"
		"0 26 free 18446744073709551615 18446744073709551615 3\n"
		"0 27 step (site 2) 12 advance=1\n"
		"0 30 end\n");
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
	ck_assert_uint_eq(packer_event_count(pack_case_packer), 16);
}
END_TEST

START_TEST(events_have_their_arguments)
{
	CASE_TEXT(CHUNK_INSTANT, "number", 20, 2, 0,
		chunk_arg(CHUNK_ARG_INT, 6, 0), (uint64_t)-5);
	CASE_TEXT(CHUNK_ASYNC_BEGIN, "a key of some length and its text", 23, 2,
		7, chunk_arg(CHUNK_ARG_FLOAT, 0, 0), bits_of(0.5),
		chunk_arg(CHUNK_ARG_TEXT, 20, 13), 0);
	CASE_TEXT(CHUNK_ASYNC_END, "k\xff", 24, 2, 7,
		chunk_arg(CHUNK_ARG_TEXT, 1, 1), 0);
	pack_case_on(30, 1);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 20 instant (site 2) number=-5\n"
		"0 23 async_begin (site 2) 7 =0x1p-1"
		" a key of some length=' and its text'\n"
		"0 24 async_end (site 2) 7 k='\xff'\n"
		"0 30 begin (site 1)\n");
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
}
END_TEST

/* A long record has all 64 bits, which do not change short ones. */
START_TEST(short_records_count_from_the_base_of_the_chunk)
{
	pack_case_on(5, 1);
	CASE_LONG(CHUNK_INSTANT, 0, 7 * CASE_WRAP - 1, 1, 0);
	pack_case_on(7, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 5 begin (site 1)\n"
		"0 123145302310911 instant (site 1)\n"
		"0 7 end\n");
}
END_TEST

START_TEST(timelines_are_separate_from_measured_ranges)
{
	CASE_LONG(CHUNK_TRACK, 0, 1, 0, 77);
	CASE_LONG(CHUNK_TRACK, 0, 2, 1, 77);
	pack_case_pack_registry();
	pack_case_next_chunk(1, 0);
	pack_case_on(100, 1);
	CASE_LONG(CHUNK_BEGIN_AT, 0, (uint64_t)-1000, 2, 2);
	pack_case_on(110, 0);
	CASE_LONG(CHUNK_END_AT, 0, 5000, 0, 2);
	CASE_LONG(CHUNK_BEGIN_AT, 0, 1, 3, 2);
	pack_case_on(120, 1);
	pack_case_pack();
	/* The next block begins with the ranges that are open. */
	pack_case_next_chunk(1, 0);
	CASE_LONG(CHUNK_END_AT, 0, 9, 0, 2);
	pack_case_on(130, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events, "0 100 begin (site 1)\n"
						"0 110 end\n"
						"0 120 begin (site 1)\n"
						"1 -1000 begin (site 2)\n"
						"1 5000 end\n"
						"1 1 begin (site 3)\n"
						"0 130 end\n"
						"1 9 end\n");
	ck_assert_str_eq(pack_case_text.tracks,
		"thread 0 77 '' to 130\ntimeline 0 77 ''\n");
	ck_assert_str_eq(
		pack_case_text.losses, "truncated 1\nunknown_sites 3\n");
	ck_assert_int_eq(packer_newest_ns(pack_case_packer), 130);
}
END_TEST

START_TEST(packing_of_a_chunk_resumes_at_its_position)
{
	pack_case_on(10, 1);
	pack_case_on(20, 2);
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, 2);
	pack_case_pack(); /* nothing new */
	ck_assert_uint_eq(pack_case_chunk->consumed, 2);
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 1);
	pack_case_on(30, 0);
	CASE_LONG(CHUNK_INSTANT, 0, 35, 4, 0);
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, 7);
	pack_case_on(40, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events, "0 10 begin (site 1)\n"
						"0 20 begin (site 2)\n"
						"0 30 end\n"
						"0 35 instant (site 4)\n"
						"0 40 end\n");
	ck_assert_str_eq(
		pack_case_text.losses, "truncated 1\nunknown_sites 3\n");
}
END_TEST

/* Reads only complete records: the first word is stored last. */
START_TEST(a_record_that_is_being_made_waits)
{
	pack_case_on(10, 1);
	CASE_LONG(CHUNK_INSTANT, 0, 35, 4, 0);
	pack_case_chunk->words[1] = 0;
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, 1);
	pack_case_chunk->words[1] =
		chunk_long(pack_case_chunk, CHUNK_INSTANT, 3, 0);
	pack_case_pack();
	ck_assert_uint_eq(pack_case_chunk->consumed, 5);
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 10 begin (site 1)\n0 35 instant (site 4)\n");
}
END_TEST

START_TEST(short_innermost_ranges_are_left_out_and_counted)
{
	pack_case_start(pack_case_one, 10);
	pack_case_on(0, 1);
	pack_case_on(1, 2); /* 9: left out */
	pack_case_on(10, 0);
	pack_case_on(20, 2); /* 10: stays */
	pack_case_on(30, 0);
	pack_case_on(40, 2); /* contains only a range that is left out: left out
			 * itself */
	pack_case_on(41, 3);
	pack_case_on(42, 0);
	pack_case_on(44, 0);
	pack_case_on(50, 2); /* contains a range that stays */
	CASE_LONG(CHUNK_INSTANT, 0, 51, 4, 0);
	pack_case_on(52, 0);
	pack_case_on(60, 2); /* goes back: left out */
	pack_case_on(55, 0);
	pack_case_on(100, 0);
	pack_case_pack();
	ck_assert_int_eq(packer_finish(pack_case_packer, NULL), CTP_OK);
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events, "0 0 begin (site 1)\n"
						"0 20 begin (site 2)\n"
						"0 30 end\n"
						"0 50 begin (site 2)\n"
						"0 51 instant (site 4)\n"
						"0 52 end\n"
						"0 100 end\n");
	ck_assert_str_eq(pack_case_text.losses,
		"short_ranges 4\ntruncated 1\nunknown_sites 3\n");
	ck_assert_uint_eq(packer_event_count(pack_case_packer), 7);
}
END_TEST

START_TEST(short_ranges_across_packings_stay)
{
	pack_case_start(pack_case_one, 10);
	pack_case_on(0, 1);
	pack_case_pack();
	pack_case_on(1, 0);
	pack_case_on(2, 1);
	pack_case_on(3, 0);
	pack_case_pack();
	pack_case_next_chunk(1, 0);
	CASE_LONG(CHUNK_BEGIN_AT, 0, 5, 2, 2);
	CASE_LONG(CHUNK_END_AT, 0, 6, 0, 2);
	pack_case_pack();
	ck_assert_int_eq(packer_finish(pack_case_packer, NULL), CTP_OK);
	ck_assert_int_eq(packer_finish(pack_case_packer, NULL), CTP_OK);
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 0 begin (site 1)\n0 1 end\n"
		"1 5 begin (site 2)\n1 6 end\n");
	ck_assert_str_eq(pack_case_text.losses,
		"short_ranges 1\ntruncated 1\nunknown_sites 2\n");
}
END_TEST

START_TEST(losses_of_a_chunk_are_written_when_they_change)
{
	pack_case_on(1, 1);
	pack_case_chunk->dropped_ranges = 5;
	pack_case_chunk->cut_text = 1;
	pack_case_pack();
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 2);
	pack_case_on(2, 0);
	pack_case_pack();
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 3);
	pack_case_chunk->dropped_ranges = 7;
	pack_case_chunk->dropped_events = 2;
	pack_case_pack();
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 4);
	ck_assert_int_eq(
		packer_write_losses(pack_case_packer, 9,
			&(struct chunk_losses){.dropped_ranges = 100}, NULL),
		CTP_OK);
	pack_case_next_chunk(0, 0);
	CASE_LONG(CHUNK_LOSSES, 0, 8, 1000, UINT64_C(3) << 32 | 20);
	CASE_LONG(CHUNK_UNWOUND, 0, 8, 12, 3);
	pack_case_pack_registry();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.losses,
		"dropped_ranges 1107\ndropped_events 5\ncut_text 21\n"
		"unwound_ranges 12\nstray_exits 3\n"
		"truncated 1\nunknown_sites 1\n");
}
END_TEST

START_TEST(sites_and_tracks_come_from_the_registry)
{
	CASE_TEXT(CHUNK_SITE, "maina.c", 1, 10, 4);
	CASE_TEXT(
		CHUNK_SITE, "a name of some lengthsrc/b.c", 2, 4294967295, 21);
	CASE_TEXT(CHUNK_SITE, "g", 3, 0, 1);
	CASE_TEXT(CHUNK_TRACK, "a thread", 1, 0, 77);
	CASE_TEXT(CHUNK_SITE, "h\xff", 4, 0, 2);
	CASE_TEXT(CHUNK_SITE, "", 6, 0, 0); /* not the next number */
	CASE_TEXT(CHUNK_TRACK, "", 2, 1, 78);
	pack_case_pack_registry();
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
	/* Runs of sites are one block each. */
	ck_assert_uint_eq(log_writer_blocks(pack_case_writer), 5);
	CASE_TEXT(CHUNK_TRACK, "renamed", 1, 0, 77);
	pack_case_pack_registry();
	ck_assert_uint_eq(pack_case_chunk->consumed, pack_case_used);
	pack_case_next_chunk(1, 0);
	for (uint32_t site = 1; site < 7; site++)
		pack_case_on(site, site);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(pack_case_text.events,
		"0 1 begin main\n"
		"0 2 begin a name of some length\n"
		"0 3 begin g\n"
		"0 4 begin h\xff\n"
		"0 5 begin (site 5)\n"
		"0 6 begin \n");
	ck_assert_str_eq(pack_case_text.tracks, "thread 0 77 'renamed' to 6\n"
						"timeline 0 78 ''\n");
}
END_TEST

START_TEST(deep_stacks_are_packed_and_not_repeated)
{
	enum { DEPTH = 3000 };

	for (uint32_t i = 0; i < DEPTH; i++)
		pack_case_on(i, 1 + i % 7);
	pack_case_pack();
	pack_case_next_chunk(1, DEPTH);
	for (uint32_t i = 0; i < DEPTH - 2; i++)
		pack_case_on(DEPTH + i, 0);
	pack_case_pack();
	pack_case_next_chunk(1, 2 * DEPTH);
	pack_case_on(2 * DEPTH, 0);
	pack_case_on(2 * DEPTH, 0);
	pack_case_pack();
	pack_case_read_log();
	ck_assert_str_eq(
		pack_case_text.losses, "truncated 1\nunknown_sites 7\n");
	ck_assert_uint_eq(packer_event_count(pack_case_packer), 2 * DEPTH);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("pack");
	TCase *tests = tcase_create("pack");

	tcase_add_checked_fixture(tests, pack_case_set_up, pack_case_tear_down);
	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, records_become_events);
	tcase_add_test(tests, records_are_read_while_they_are_written);
	tcase_add_test(tests, ticks_are_scaled);
	tcase_add_test(tests, an_empty_chunk_gives_no_block);
	tcase_add_test(tests, a_chunk_full_to_its_last_word_is_whole);
	tcase_add_test(tests, times_go_on_where_44_bits_end);
	tcase_add_test(tests, steps_back_are_kept);
	tcase_add_test(tests, every_long_record_becomes_its_event);
	tcase_add_test(tests, events_have_their_arguments);
	tcase_add_test(tests, short_records_count_from_the_base_of_the_chunk);
	tcase_add_test(tests, timelines_are_separate_from_measured_ranges);
	tcase_add_test(tests, packing_of_a_chunk_resumes_at_its_position);
	tcase_add_test(tests, a_record_that_is_being_made_waits);
	tcase_add_test(tests, short_innermost_ranges_are_left_out_and_counted);
	tcase_add_test(tests, short_ranges_across_packings_stay);
	tcase_add_test(tests, losses_of_a_chunk_are_written_when_they_change);
	tcase_add_test(tests, sites_and_tracks_come_from_the_registry);
	tcase_add_test(tests, deep_stacks_are_packed_and_not_repeated);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
