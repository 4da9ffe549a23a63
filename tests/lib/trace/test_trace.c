/* SPDX-License-Identifier: MIT */
/* trace/trace.[ch]. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "support/run_suite.h"

static struct trace *trace;

static void setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
}

static void teardown(void)
{
	trace_free(trace);
}

static uint32_t add(const char *name, const char *file, uint32_t line)
{
	return trace_add_site(
		trace, name, strlen(name), file, strlen(file), line);
}

START_TEST(equal_sites_are_one)
{
	uint32_t site = add("f", "a.c", 3);

	ck_assert_uint_eq(site, 0);
	ck_assert_uint_eq(add("f", "a.c", 3), site);
	ck_assert_uint_ne(add("g", "a.c", 3), site);
	ck_assert_uint_ne(add("f", "b.c", 3), site);
	ck_assert_uint_ne(add("f", "a.c", 4), site);
	ck_assert_uint_ne(add("a.c", "f", 3), site);
	ck_assert_uint_eq(add("f", "a.c", 3), site);
	ck_assert_uint_eq(trace->site_count, 5);
}
END_TEST

START_TEST(files_lose_the_longest_prefix_where_that_is_asked_for)
{
	static const struct {
		const char *file;
		size_t size;
	} cases[] = {{"/lib/py/a.py", 8}, {"/lib/py/more/b.py", 13},
		{"/lib/pyx/c.py", 0}, {"/lib/py", 0}, {"/lib/py/", 0},
		{"lib/py/a.py", 0}, {"/a.py", 0}, {"", 0}};

	for (int on = 0; on < 2; on++) {
		trace_free(trace);
		trace = trace_new(
			&(struct read_request){.trim_prefix = on != 0});
		ck_assert_ptr_nonnull(trace);
		ck_assert(trace_add_prefix(trace, "/lib/py//", 9));
		ck_assert(trace_add_prefix(trace, "/lib/py/more", 12));
		ck_assert(trace_add_prefix(trace, "", 0));
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			ck_assert_uint_eq(
				trace_prefix_size(trace, cases[i].file,
					strlen(cases[i].file)),
				on != 0 ? cases[i].size : 0);
	}
}
END_TEST

START_TEST(many_sites_keep_their_numbers)
{
	char name[32];

	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 30000; i++) {
			(void)snprintf(name, sizeof(name), "f%u", i / 3);
			ck_assert_uint_eq(add(name, "a.c", i % 3), i);
		}
	}
	ck_assert_uint_eq(trace->site_count, 30000);
	ck_assert_str_eq(trace_site_name(trace, 29999), "f9999");
	ck_assert_str_eq(trace_site_file(trace, 29999), "a.c");
	ck_assert_uint_eq(trace->sites[29999].line, 2);
}
END_TEST

START_TEST(unknown_sites_have_empty_text)
{
	(void)add("", "", 0);
	ck_assert_str_eq(trace_site_name(trace, 0), "");
	ck_assert_str_eq(trace_site_file(trace, 0), "");
	ck_assert_uint_eq(trace->sites[0].file, 0);
	ck_assert_str_eq(trace_site_name(trace, 1), "");
	ck_assert_str_eq(trace_site_name(trace, TRACE_NONE), "");
	ck_assert_str_eq(trace_site_file(trace, TRACE_NONE), "");
}
END_TEST

START_TEST(facts_stay_in_order_and_are_found)
{
	ck_assert_ptr_null(trace_find_fact(trace, "tool"));
	for (int i = 0; i < 100; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "key%d", i);
		ck_assert(trace_add_fact(trace, key, key + 3));
	}
	ck_assert(trace_add_fact(trace, "empty", ""));
	ck_assert_uint_eq(trace->fact_count, 101);
	ck_assert_str_eq(trace_find_fact(trace, "key0"), "0");
	ck_assert_str_eq(trace_find_fact(trace, "key99"), "99");
	ck_assert_str_eq(trace_find_fact(trace, "empty"), "");
	ck_assert_ptr_null(trace_find_fact(trace, "key"));
	ck_assert_ptr_null(trace_find_fact(trace, "key100"));
	ck_assert_str_eq(
		strtab_text(trace->text, trace->facts[50].key, NULL), "key50");
}
END_TEST

START_TEST(a_track_ends_where_it_is_known_to_or_with_its_clock)
{
	struct trace_track track = {.kind = TRACE_THREAD, .pid = 1, .tid = 2};

	for (uint32_t i = 0; i < 100; i++)
		ck_assert_uint_eq(trace_add_track(trace, track), i);
	trace->end_ns = 500;
	trace->timeline_end_ns = -70;
	ck_assert_int_eq(trace_track_end(trace, 5), 500);
	trace->tracks[5].kind = TRACE_STREAM;
	ck_assert_int_eq(trace_track_end(trace, 5), 500);
	trace->tracks[5].kind = TRACE_TIMELINE;
	ck_assert_int_eq(trace_track_end(trace, 5), -70);
	trace->tracks[5].has_end = true;
	trace->tracks[5].end_ns = 0;
	ck_assert_int_eq(trace_track_end(trace, 5), 0);
	ck_assert_int_eq(trace->tracks[99].tid, 2);
}
END_TEST

START_TEST(a_new_trace_knows_nothing)
{
	ck_assert_uint_eq(trace->site_count, 0);
	ck_assert_uint_eq(trace->track_count, 0);
	ck_assert_uint_eq(trace->fact_count, 0);
	ck_assert_int_eq(trace->base_realtime_ns, 0);
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++)
		ck_assert_uint_eq(trace->losses[loss], 0);
	trace_free(NULL);
}
END_TEST

/* Every entry of the table must satisfy this: names are JSON keys, and words
 * end a sentence "12 WORDS". */
START_TEST(every_loss_has_a_name_and_a_description)
{
	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		const char *name = trace_loss_name(loss);
		const char *words = trace_loss_description(loss);

		ck_assert_msg(name != NULL && words != NULL,
			"loss %d is not in the table", (int)loss);
		ck_assert_uint_gt(strlen(name), 0);
		ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz_"),
			strlen(name));
		ck_assert_uint_gt(strlen(words), 10);
		ck_assert(islower((unsigned char)words[0]));
		ck_assert_ptr_null(strpbrk(words, ".\n\t"));
		for (enum trace_loss other = 0; other < loss; other++) {
			ck_assert_str_ne(name, trace_loss_name(other));
			ck_assert_str_ne(words, trace_loss_description(other));
		}
	}
}
END_TEST

/* --strict fails on these: something is missing or wrong in the output. */
START_TEST(missing_data_is_not_a_note)
{
	static const enum trace_loss real[] = {LOSS_DROPPED_RANGES,
		LOSS_DROPPED_EVENTS, LOSS_DAMAGED_BLOCKS, LOSS_MISSING_BLOCKS,
		LOSS_SKIPPED_BYTES, LOSS_TRUNCATED, LOSS_UNKNOWN_SITES,
		LOSS_STRAY_ENDS, LOSS_REOPENED_RANGES, LOSS_CLOSED_RANGES};

	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++)
		ck_assert_msg(!trace_loss_is_note(real[i]), "%s",
			trace_loss_name(real[i]));
	ck_assert(trace_loss_is_note(LOSS_SHORT_RANGES));
	ck_assert(trace_loss_is_note(LOSS_OPEN_RANGES));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tests = tcase_create("trace");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, equal_sites_are_one);
	tcase_add_test(
		tests, files_lose_the_longest_prefix_where_that_is_asked_for);
	tcase_add_test(tests, many_sites_keep_their_numbers);
	tcase_add_test(tests, unknown_sites_have_empty_text);
	tcase_add_test(tests, facts_stay_in_order_and_are_found);
	tcase_add_test(
		tests, a_track_ends_where_it_is_known_to_or_with_its_clock);
	tcase_add_test(tests, a_new_trace_knows_nothing);
	tcase_add_test(tests, every_loss_has_a_name_and_a_description);
	tcase_add_test(tests, missing_data_is_not_a_note);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
