/* SPDX-License-Identifier: MIT */
/* lib/log_read/log_read.[ch], log_facts.c, log_recording.c: sound
 * blocks are read completely, and blocks that contradict the format change
 * nothing. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/log_maker.h"
#include "log_read/log_read.h"
#include "support/log_text.h"
#include "support/run_suite.h"

static struct buffer made;
static struct log_text text;

static void teardown(void)
{
	log_text_clear(&text);
	buffer_clear(&made);
}

static void read_made(void)
{
	log_text_clear(&text);
	text = log_text_read(made.bytes, made.used);
	buffer_clear(&made);
}

/* A header, two sites and a track. */
static void begin_log(void)
{
	log_maker_add_header(&made, 1000, 1);
	log_maker_add(&made, "[1, 1, [['f', 'a.c', 1], ['g', 'a.c', 2]]]");
	log_maker_add(&made, "[2, 1, 0, 7, '']");
}

static void end_log(void)
{
	log_maker_add(&made, "[6, {'log': 900}]");
}

START_TEST(every_block_and_row_comes_out)
{
	log_maker_add_small(&made);
	read_made();
	ck_assert_int_eq(text.status, CTP_END);
	ck_assert_str_eq(text.events,
		"0 1000 begin main\n"
		"0 1010 begin parse\n"
		"0 1015 arg line=7\n"
		"0 1035 end\n"
		"1 500 begin lex\n"
		"1 600 end\n"
		"0 1100 begin parse\n"
		"0 1105 begin it's \xff\n"
		"0 1106 arg real=0x1p-1\n"
		"0 1107 arg text='x \xff'\n"
		"0 1108 instant lex\n"
		"0 1109 counter lex =-9\n"
		"0 1110 counter lex =0x1.4p+1\n"
		"0 1111 async_begin parse 18446744073709551615\n"
		"0 1112 async_end parse 18446744073709551615\n"
		"0 1113 alloc 4096 64 -1\n"
		"0 1114 free 4096 64 0\n"
		"0 1115 step parse 12 advance=1\n"
		"0 1118 end\n"
		"0 1117 begin parse\n"
		"0 2000 end\n"
		"0 2010 begin lex\n"
		"0 2020 end\n"
		"0 2030 end\n"
		"0 2040 end\n");
	ck_assert_str_eq(text.losses,
		"dropped_ranges 3\ncut_text 1\nunknown_events 1\n");
	ck_assert_str_eq(text.tracks, "thread 42 100 'main thread' to 3000\n"
				      "timeline 42 100 ''\n");
	ck_assert_str_eq(text.facts,
		"format=ctprof log\nversion=1\nreader=1\ntool=ctprof 0.1.0\n"
		"host=here\npid=42\ncommand=cc -c a b.c\n"
		"realtime=1700000000000000000\nclock=tsc\n"
		"clock_hz=2600000000\npolicy=block\nmin_ns=0\nspool=\n"
		"stalls=2\nstall_ns=77\n");
	ck_assert_int_eq(text.base_realtime_ns, 1700000000000000000);
	ck_assert_int_eq(text.end_ns, 3000);
}
END_TEST

START_TEST(bytes_taken_from_the_file_before_are_read_too)
{
	struct event_source *source;
	struct event event;
	FILE *file;

	log_maker_add_small(&made);
	for (size_t head = 0; head < made.used; head += 7) {
		size_t events = 0;

		file = fmemopen(made.bytes + head, made.used - head, "rb");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(log_read_open(file, made.bytes, head, NULL,
					 &source, NULL),
			CTP_OK);
		while (source->next(source, &event, NULL) == CTP_OK)
			events++;
		ck_assert_uint_eq(events, 25);
		ck_assert_uint_eq(source->position(source), made.used);
		source->close(source);
		(void)fclose(file);
	}
}
END_TEST

START_TEST(a_log_is_known_by_its_beginning)
{
	log_maker_add_small(&made);
	ck_assert_uint_eq(log_read_probe(made.bytes, made.used), 128);
	ck_assert_uint_eq(log_read_probe(made.bytes, 16), 128);
	ck_assert_uint_eq(log_read_probe(made.bytes, 15), 0);
	ck_assert_uint_eq(log_read_probe(made.bytes, 0), 0);
	/* gzip as other programs write it. */
	memcpy(made.bytes, "\x1f\x8b\x08\0\0\0\0\0\0\x03some text", 19);
	ck_assert_uint_eq(log_read_probe(made.bytes, 16), 0);
}
END_TEST

START_TEST(a_log_is_known_when_its_beginning_is_damaged)
{
	log_maker_add_small(&made);
	for (size_t bit = 0; bit < 128; bit++) {
		made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_uint_eq(log_read_probe(made.bytes, 16), 127);
		ck_assert_uint_eq(log_read_probe(made.bytes, made.used), 128);
		made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	memset(made.bytes, 0, 400);
	ck_assert_uint_eq(log_read_probe(made.bytes, 400), 0);
	ck_assert_uint_eq(log_read_probe(made.bytes, made.used), 128);
}
END_TEST

/* Nor are they mistaken for a lack of memory. */
START_TEST(pairs_other_than_arguments_are_skipped)
{
	begin_log();
	log_maker_add(&made,
		"[3, 1, 0, 0, [1, 0, 1, 0], [], [], [1, 1, 1, 1], [[2, 1],"
		" [12, {1: 2, 'a': nil, 'b': json'[', 'n': 5, 'm': {}}],"
		" [2, 2], [12, 3]]]");
	log_maker_add(&made, "[2, 2, 2, 7, '', 0, 0]");
	log_maker_add(&made, "[9, 1, [[0, 1, {'k': json'{'}]]]");
	log_maker_add(&made, "[8, 5, [0], [1], [2], [1], [0], [], [],"
			     " [{1: 'x', 'j': json'[]', [2]: 3}]]");
	end_log();
	read_made();
	ck_assert_int_eq(text.status, CTP_END);
	ck_assert_str_eq(text.events, "0 1 instant f n=5\n0 2 instant g\n"
				      "1 -995 activity f 0 1ns 0B j='[]'\n");
	ck_assert_str_eq(text.losses, "unknown_events 1\n");
}
END_TEST

START_TEST(additions_of_newer_versions_are_skipped)
{
	log_maker_add(&made,
		"[0, {'format': 'ctprof log', 'version': 9, 'reader': 1,"
		" 'new': [1, {2: 3}], 'pid': 3, 'realtime': 5}, 'more']");
	log_maker_add(&made, "[1, 1, [['f', '', 1, 'more', []]], nil]");
	log_maker_add(
		&made, "[2, 1, 0, 7, 't', 0, 0, 3, '', {'colour': 'red'}]");
	log_maker_add(&made, "[4, [[0, 0, 0, 1, 2], [1, 1, 1]], 3]");
	log_maker_add(&made, "[3, 1, 0, 0, [1, 1, 1, 1], [], [1], [2, 1, 1, "
			     "0], [[1, 'k', 5, 'more'], [2, 1, {}]], 2, [2]]");
	log_maker_add(&made, "[7, {'index': []}]");
	log_maker_add(&made, "[15, 1, 2, 3]");
	log_maker_add(&made, "[4294967296, nil]");
	log_maker_add(&made, "[5, 1, {'new_loss': 9, 'cut_text': 1}, 0]");
	log_maker_add(&made, "[6, {'log': 9, 'new': {'a': [1, 2]}}, 0]");
	read_made();
	ck_assert_int_eq(text.status, CTP_END);
	ck_assert_str_eq(text.events, "0 1 begin f\n0 2 arg k=5\n"
				      "0 3 instant f\n0 4 end\n");
	ck_assert_str_eq(text.losses, "cut_text 1\nunknown_blocks 3\n");
	ck_assert_str_eq(text.tracks, "thread 3 7 't' to 9\n");
}
END_TEST

START_TEST(a_log_for_newer_readers_is_refused)
{
	log_maker_add_header(&made, 0, 2);
	log_maker_add(&made, "[2, 1, 0, 7, '']");
	log_maker_add(&made, "[3, 1, 0, 0, [1], [], [1], [2], []]");
	read_made();
	ck_assert_int_eq(text.status, CTP_ERR_UNSUPPORTED);
	ck_assert_int_eq(text.err.status, CTP_ERR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(text.err.message, "newer"));
	ck_assert_str_eq(text.events, "");
}
END_TEST

START_TEST(times_are_corrected_by_the_sync_entries)
{
	begin_log();
	/* The log's clock runs 100 in a million slow: see test_log_time. */
	log_maker_add(&made, "[4, [[0, 0, 0], [1000000000, 1000100000, 0]]]");
	log_maker_add(&made,
		"[3, 1, 0, 500000000, [0, 1500000000], [], [1], [2, 0], []]");
	log_maker_add(&made, "[2, 2, 1, 7, '']");
	log_maker_add(
		&made, "[3, 2, 0, 2000000000, [0, 5], [], [1], [2, 0], []]");
	log_maker_add(&made, "[6, {'log': 2000000000}]");
	read_made();
	ck_assert_str_eq(text.events, "0 500000000 begin f\n"
				      "0 2000200000 end\n"
				      "1 2000000000 begin f\n"
				      "1 2000000005 end\n");
	ck_assert_str_eq(text.tracks, "thread 42 7 '' to 2000200000\n"
				      "timeline 42 7 ''\n");
}
END_TEST

START_TEST(deltas_add_up_modulo_2_to_64)
{
	begin_log();
	log_maker_add(&made, "[2, 2, 1, 7, '']");
	log_maker_add(&made,
		"[3, 2, 0, 9223372036854775807, [0, 1, 9223372036854775807, "
		"-9223372036854775808], [], [1], [2, 0, 2, 0], []]");
	end_log();
	read_made();
	ck_assert_str_eq(text.events, "1 9223372036854775807 begin f\n"
				      "1 -9223372036854775808 end\n"
				      "1 -1 begin f\n"
				      "1 9223372036854775807 end\n");
	ck_assert_str_eq(text.losses, "");
}
END_TEST

START_TEST(a_site_without_a_name_is_named_by_its_number)
{
	begin_log();
	log_maker_add(&made, "[3, 1, 0, 0, [0, 0, 0, 0, 0], [], [9, 1, 9, "
			     "16777215], [2, 3, 4, 5, 1], [[2, 10]]]");
	end_log();
	read_made();
	ck_assert_str_eq(text.events, "0 0 begin (site 9)\n"
				      "0 0 begin f\n"
				      "0 0 begin (site 9)\n"
				      "0 0 begin (site 16777215)\n"
				      "0 0 instant (site 10)\n");
	ck_assert_str_eq(text.losses, "unknown_sites 3\n");
}
END_TEST

START_TEST(a_track_without_a_description_is_a_thread)
{
	begin_log();
	log_maker_add(&made, "[3, 4194303, 0, 0, [0, 1], [], [1], [2, 0], []]");
	log_maker_add(&made, "[2, 4194303, 0, 8, 'late']");
	log_maker_add(&made, "[2, 4194303, 0, 8, 'later']");
	end_log();
	read_made();
	ck_assert_str_eq(text.events, "1 0 begin f\n1 1 end\n");
	ck_assert_str_eq(text.tracks,
		"thread 42 7 '' to 900\nthread 42 8 'later' to 900\n");
}
END_TEST

START_TEST(a_track_may_end_before_its_log)
{
	log_maker_add_header(&made, 0, 1);
	log_maker_add(&made, "[2, 1, 0, 7, 'a', 0, 0, 42, '', nil, nil, 15]");
	log_maker_add(&made, "[2, 2, 1, 7, 'b', 0, 0, 42, '', 1, 2, 16]");
	log_maker_add(&made, "[2, 3, 0, 8, 'c', 0, 0, 42, '', 1, 2, nil]");
	log_maker_add(&made, "[6, {'log': 40}]");
	text = log_text_read(made.bytes, made.used);
	ck_assert_str_eq(text.tracks, "thread 42 7 'a' to 15\n"
				      "timeline 42 7 'b' to 16\n"
				      "thread 42 8 'c' to 40\n");
	ck_assert_str_eq(text.losses, "");
}
END_TEST

START_TEST(a_later_losses_block_replaces_an_earlier_one)
{
	begin_log();
	log_maker_add(&made, "[2, 2, 0, 8, '']");
	log_maker_add(&made, "[5, 1, {'dropped_ranges': 5,"
			     " 'dropped_events': 2}]");
	log_maker_add(&made, "[5, 2, {'dropped_ranges': 100}]");
	log_maker_add(&made, "[5, 1, {'dropped_ranges': 7,"
			     " 'short_ranges': 1}]");
	end_log();
	read_made();
	ck_assert_str_eq(text.losses, "dropped_ranges 107\n"
				      "dropped_events 2\nshort_ranges 1\n");
}
END_TEST

START_TEST(logs_one_behind_the_other_are_recordings_of_their_own)
{
	begin_log();
	log_maker_add(&made, "[4, [[0, 0, 0]]]");
	log_maker_add(&made, "[3, 1, 0, 0, [1, 1], [], [1], [2, 2], []]");
	end_log();
	log_maker_add_header(&made, 6000, 1);
	log_maker_add(&made, "[4, [[100, 0, 0]]]");
	log_maker_add(&made, "[1, 1, [['other', 'b.c', 1]]]");
	log_maker_add(&made, "[2, 1, 0, 8, '']");
	log_maker_add(
		&made, "[3, 1, 0, 110, [0, 1, 1], [], [1, 2], [2, 0, 3], []]");
	log_maker_add(&made, "[6, {'log': 900}]");
	read_made();
	ck_assert_str_eq(text.events,
		"0 1 begin f\n0 2 begin f\n"
		"1 5010 begin other\n1 5011 end\n1 5012 begin (site 2)\n");
	ck_assert_str_eq(text.tracks, "thread 42 7 '' to 900\n"
				      "thread 42 8 '' to 5800\n");
	ck_assert_str_eq(text.losses, "unknown_sites 1\n");
	ck_assert_int_eq(text.base_realtime_ns, 1000);
}
END_TEST

START_TEST(each_recording_without_an_end_is_counted_as_cut_off)
{
	for (int i = 0; i < 3; i++) {
		begin_log();
		log_maker_add(
			&made, "[3, 1, 0, 0, [1, 1], [], [1], [2, 0], []]");
	}
	read_made();
	ck_assert_str_eq(text.events, "0 1 begin f\n0 2 end\n"
				      "1 1 begin f\n1 2 end\n"
				      "2 1 begin f\n2 2 end\n");
	ck_assert_str_eq(text.losses, "truncated 3\n");
}
END_TEST

START_TEST(a_header_alone_is_a_log)
{
	log_maker_add_header(&made, 5, 1);
	read_made();
	ck_assert_int_eq(text.status, CTP_END);
	ck_assert_str_eq(text.events, "");
	ck_assert_str_eq(text.losses, "truncated 1\n");
	ck_assert_int_eq(text.base_realtime_ns, 5);
}
END_TEST

START_TEST(a_file_that_is_not_a_log_is_refused)
{
	char garbage[100000];

	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)(i * i >> 3);
	for (size_t size = 0; size <= sizeof(garbage); size += 33333) {
		log_text_clear(&text);
		text = log_text_read(garbage, size);
		ck_assert_int_eq(text.status, CTP_ERR_FORMAT);
		ck_assert_int_eq(text.err.status, CTP_ERR_FORMAT);
		ck_assert_int_ne(text.err.message[0], '\0');
	}
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_an_error)
{
	FILE *file = fopen(".", "rb");
	struct event_source *source;
	struct ctp_error err;
	struct event event;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(
		log_read_open(file, NULL, 0, NULL, &source, &err), CTP_OK);
	ck_assert_int_eq(source->next(source, &event, &err), CTP_ERR_IO);
	ck_assert_int_ne(err.sys_errno, 0);
	source->close(source);
	(void)fclose(file);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("log_read");
	TCase *tests = tcase_create("log_read");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_add_test(tests, every_block_and_row_comes_out);
	tcase_add_test(tests, bytes_taken_from_the_file_before_are_read_too);
	tcase_add_test(tests, a_log_is_known_by_its_beginning);
	tcase_add_test(tests, a_log_is_known_when_its_beginning_is_damaged);
	tcase_add_test(tests, pairs_other_than_arguments_are_skipped);
	tcase_add_test(tests, additions_of_newer_versions_are_skipped);
	tcase_add_test(tests, a_log_for_newer_readers_is_refused);
	tcase_add_test(tests, times_are_corrected_by_the_sync_entries);
	tcase_add_test(tests, deltas_add_up_modulo_2_to_64);
	tcase_add_test(tests, a_site_without_a_name_is_named_by_its_number);
	tcase_add_test(tests, a_track_without_a_description_is_a_thread);
	tcase_add_test(tests, a_track_may_end_before_its_log);
	tcase_add_test(tests, a_later_losses_block_replaces_an_earlier_one);
	tcase_add_test(
		tests, logs_one_behind_the_other_are_recordings_of_their_own);
	tcase_add_test(
		tests, each_recording_without_an_end_is_counted_as_cut_off);
	tcase_add_test(tests, a_header_alone_is_a_log);
	tcase_add_test(tests, a_file_that_is_not_a_log_is_refused);
	tcase_add_test(tests, a_file_that_cannot_be_read_is_an_error);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
