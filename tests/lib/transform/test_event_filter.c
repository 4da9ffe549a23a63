/* SPDX-License-Identifier: MIT */
/* lib/transform/event_filter.[ch]; and how it, and lib/transform/cut.[ch],
 * handle calls that were moved. */
#include <check.h>

#include "transform/event_filter.h"
#include "cut_case.h"
#include "support/run_suite.h"

static struct event_source *open_choose(
	const struct event_filter_options *options)
{
	struct event_source *source;

	ck_assert_int_eq(event_filter_open(&cut_case_given.source, options,
				 &source, NULL),
		CTP_OK);
	return source;
}

START_TEST(short_ranges_go_with_their_arguments)
{
	const struct event_filter_options options = {.min_ns = 10};
	struct event_source *source;

	cut_case_begin(0, 0, 10);
	cut_case_begin(0, 1, 12);
	cut_case_give(cut_case_make(EVENT_ARGS, 0, TRACE_NONE, 13));
	cut_case_give(cut_case_make(EVENT_INSTANT, 0, 4, 14));
	cut_case_end(0, 15);
	cut_case_begin(0, 2, 16);
	cut_case_give(cut_case_make(EVENT_ARGS, 0, TRACE_NONE, 17));
	cut_case_end(0, 26);
	cut_case_end(0, 30);
	cut_case_complete(1, 3, 30, 9);
	cut_case_complete(1, 4, 30, 10);
	cut_case_begin(2, 0, 31);
	source = open_choose(&options);
	ck_assert_str_eq(cut_case_text(source),
		"!e14 (a10 (c16 =17 )26 )30 Xe30 +10 (a31 ");
	ck_assert_uint_eq(source->trace->losses[LOSS_SHORT_RANGES], 2);
	source->close(source);
}
END_TEST

/* "a" is from 0 to 20 and overlaps "b", as "c" does: that is from 25 to 45. */
static void give_moved(void)
{
	cut_case_begin(0, 0, 0);
	cut_case_end(0, 10);
	cut_case_given.events[1].shift_ns = 10;
	cut_case_begin(0, 1, 10);
	cut_case_give(cut_case_make(EVENT_UNCLIPPED_CALL, 0, 2, 25));
	cut_case_given.events[3].dur_ns = 20;
	cut_case_end(0, 30);
	cut_case_begin(0, 2, 30);
	cut_case_given.events[5].shift_ns = 5;
	cut_case_end(0, 45);
}

START_TEST(calls_that_were_moved_are_as_long_as_in_truth)
{
	const struct event_filter_options longer = {.min_ns = 20};
	const struct event_filter_options longest = {.min_ns = 21};
	struct event_source *source;

	give_moved();
	source = open_choose(&longer);
	ck_assert_str_eq(cut_case_text(source),
		"(a0 )10 +10 Wc25 +20 (b10 )30 (c30 +5 )45 ");
	ck_assert_uint_eq(
		cut_case_given.source.trace->losses[LOSS_SHORT_RANGES], 0);
	source->close(source);
	cut_case_set_up();
	give_moved();
	source = open_choose(&longest);
	ck_assert_str_eq(cut_case_text(source), "");
	ck_assert_uint_eq(
		cut_case_given.source.trace->losses[LOSS_SHORT_RANGES], 3);
	source->close(source);
}
END_TEST

START_TEST(a_window_clips_an_unclipped_call)
{
	struct cut *cut;

	give_moved();
	cut = cut_case_open_cut();
	cut_set_window(cut, 15, 40);
	ck_assert_str_eq(cut_case_text(cut_source(cut)),
		"Wc25 +15 (b15 )30 (c30 +5 )40 Wa15 +5 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

/* "c" begins in "b", and is reported after it; but nests where it has begun. */
START_TEST(the_rest_of_an_unclipped_call_nests)
{
	struct cut *cut;

	give_moved();
	cut = cut_case_open_cut();
	cut_set_window(cut, 27, INT64_MAX);
	ck_assert_str_eq(cut_case_text(cut_source(cut)),
		"(b27 )30 (c30 +5 )45 Wc27 +18 ");
	cut_source(cut)->close(cut_source(cut));
	cut_case_set_up();
	give_moved();
	cut = cut_case_open_cut();
	cut_set_window(cut, 35, INT64_MAX);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(c35 )45 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

static bool is_full(void *unused)
{
	(void)unused;
	return true;
}

START_TEST(parts_have_a_call_that_was_moved_once)
{
	static const char *const parts[] = {"(a0 )10 ", "(b10 )25 Wa10 +10 ",
		"(b25 )30 Wc25 +5 ", "(c30 +5 )45 Wc30 +15 "};
	struct cut *cut;

	give_moved();
	cut = cut_case_open_cut();
	cut_set_limit(cut, is_full, NULL);
	for (int i = 0; i < 4; i++) {
		ck_assert_str_eq(cut_case_text(cut_source(cut)), parts[i]);
		ck_assert_int_eq(
			cut_next_part(cut, NULL), i < 3 ? CTP_OK : CTP_END);
	}
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(ranges_of_other_categories_leave_their_contents)
{
	const struct event_filter_options options = {.categories = "y,x"};
	struct event_source *source;

	cut_case_given.source.trace->sites[1].category =
		strtab_add(cut_case_given.source.trace->text, "x", 1);
	cut_case_given.source.trace->sites[2].category =
		strtab_add(cut_case_given.source.trace->text, "z,y", 3);
	cut_case_begin(0, 0, 10);
	cut_case_give(cut_case_make(EVENT_ARGS, 0, TRACE_NONE, 11));
	cut_case_begin(0, 1, 12);
	cut_case_give(cut_case_make(EVENT_ARGS, 0, TRACE_NONE, 13));
	cut_case_end(0, 14);
	cut_case_end(0, 15);
	cut_case_give(cut_case_make(EVENT_INSTANT, 0, 2, 16));
	cut_case_give(cut_case_make(EVENT_INSTANT, 0, 3, 17));
	source = open_choose(&options);
	ck_assert_str_eq(cut_case_text(source), "(b12 =13 )14 !c16 ");
	source->close(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event_filter");
	TCase *tests = tcase_create("event_filter");

	tcase_add_checked_fixture(tests, cut_case_set_up, NULL);
	tcase_add_test(tests, short_ranges_go_with_their_arguments);
	tcase_add_test(tests, calls_that_were_moved_are_as_long_as_in_truth);
	tcase_add_test(tests, the_rest_of_an_unclipped_call_nests);
	tcase_add_test(tests, parts_have_a_call_that_was_moved_once);
	tcase_add_test(tests, a_window_clips_an_unclipped_call);
	tcase_add_test(tests, ranges_of_other_categories_leave_their_contents);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
