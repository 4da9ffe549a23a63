/* SPDX-License-Identifier: MIT */
/* transform/cut.[ch]; with it end_queue.[ch], open_ranges.[ch] and event.[ch]. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cut_case.h"
#include "support/run_suite.h"
#include "timeline/sorted_source.h"

START_TEST(ranges_open_at_the_edges_are_clipped)
{
	struct cut *cut;
	struct event call = cut_case_make(EVENT_CORRELATION, 0, TRACE_NONE, 11);

	cut_case_begin(0, 0, 10);
	cut_case_give(call);
	cut_case_begin(1, 1, 12);
	cut_case_end(1, 20);
	cut_case_begin(0, 2, 25);
	cut_case_end(0, 30);
	cut_case_begin(0, 3, 35);
	cut_case_end(0, 50);
	cut_case_end(0, 60);
	cut = cut_case_open_cut();
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(cut_case_text(cut_source(cut)),
		"(a20 @20 (c25 )30 (d35 )40 )40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(a_range_around_the_window_is_kept)
{
	struct cut *cut;

	cut_case_begin(0, 0, 10);
	cut_case_async(EVENT_ASYNC_BEGIN, 1, 11);
	cut_case_complete(1, 2, 12, 100);
	cut_case_complete(1, 3, 13, 7);
	cut_case_async(EVENT_ASYNC_END, 1, 90);
	cut_case_end(0, 99);
	cut = cut_case_open_cut();
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(
		cut_case_text(cut_source(cut)), "Xc20 +20 (a20 )40 [b20 ]b40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(a_moment_belongs_to_one_window)
{
	struct cut *cut;

	cut_case_give(cut_case_make(EVENT_INSTANT, 0, 0, 19));
	cut_case_give(cut_case_make(EVENT_INSTANT, 0, 1, 20));
	cut_case_complete(0, 2, 20, 0);
	cut_case_begin(0, 3, 20);
	cut_case_end(0, 20);
	cut_case_give(cut_case_make(EVENT_INSTANT, 0, 4, 40));
	cut = cut_case_open_cut();
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(
		cut_case_text(cut_source(cut)), "!b20 Xc20 +0 (d20 )20 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(unended_ranges_stay_open_unless_the_window_ends)
{
	struct cut *cut;

	cut_case_begin(0, 0, 10);
	cut_case_give(cut_case_make(EVENT_INSTANT, 1, 1, 30));
	cut = cut_case_open_cut();
	cut_set_window(cut, 20, 100);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "!b30 (a20 ");
	cut_source(cut)->close(cut_source(cut));
	cut_case_set_up();
	cut_case_begin(0, 0, 10);
	cut_case_give(cut_case_make(EVENT_INSTANT, 1, 1, 30));
	cut = cut_case_open_cut();
	cut_set_window(cut, 20, 30);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(a20 )30 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

static bool always(void *user)
{
	(void)user;
	return true;
}

START_TEST(parts_follow_each_other)
{
	struct cut *cut;

	cut_case_begin(0, 0, 10);
	cut_case_complete(1, 1, 10, 25);
	cut_case_async(EVENT_ASYNC_BEGIN, 2, 20);
	cut_case_end(0, 30);
	cut_case_async(EVENT_ASYNC_END, 2, 30);
	cut = cut_case_open_cut();
	cut_set_limit(cut, always, NULL);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(a10 )20 Xb10 +10 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_OK);
	ck_assert_str_eq(
		cut_case_text(cut_source(cut)), "[c20 (a20 )30 ]c30 Xb20 +10 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_OK);
	/* Ranges that end at 30 are complete in the part before. */
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "Xb30 +5 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_END);
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

static void end_track(uint32_t track, int64_t end_ns)
{
	struct trace_track *ended = &cut_case_given.source.trace->tracks[track];

	ended->has_end = true;
	ended->end_ns = end_ns;
}

START_TEST(a_range_stays_open_where_the_recording_of_its_track_ended)
{
	struct cut *cut;

	cut_case_begin(0, 0, 10);
	cut_case_begin(1, 1, 15);
	cut_case_end(1, 30);
	cut_case_begin(1, 2, 30);
	cut_case_end(1, 40);
	end_track(0, 20);
	cut = cut_case_open_cut();
	cut_set_limit(cut, always, NULL);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(a10 )15 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_OK);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(b15 (a15 )30 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_OK);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(c30 )40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

/* In order of time, as all input of a cut is. */
START_TEST(a_track_does_not_end_before_its_last_event)
{
	struct sorted_source *order;
	struct cut *cut;

	cut_case_begin(0, 0, 10);
	cut_case_end(0, 50);
	end_track(0, 15);
	ck_assert_int_eq(
		sorted_source_open(&cut_case_given.source, &order, NULL),
		CTP_OK);
	ck_assert_int_eq(
		cut_open(sorted_source_events(order), &cut, NULL), CTP_OK);
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(cut_case_text(cut_source(cut)), "(a20 )40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

/* The first has ended, and another has its place. Readers that match ranges
 * only by their order need the order of the begins. */
START_TEST(asynchronous_ranges_go_on_in_the_order_of_their_begins)
{
	struct cut *cut;

	cut_case_async(EVENT_ASYNC_BEGIN, 0, 10);
	cut_case_async(EVENT_ASYNC_BEGIN, 1, 11);
	cut_case_async(EVENT_ASYNC_END, 0, 12);
	cut_case_async(EVENT_ASYNC_BEGIN, 2, 13);
	cut_case_async(EVENT_ASYNC_END, 2, 40);
	cut_case_async(EVENT_ASYNC_END, 1, 50);
	cut = cut_case_open_cut();
	cut_set_window(cut, 20, 30);
	ck_assert_str_eq(
		cut_case_text(cut_source(cut)), "[b20 [c20 ]c30 ]b30 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

/* No part can begin after it, so parts would never end. */
START_TEST(the_last_of_all_times_is_in_the_last_part)
{
	struct cut *cut;

	cut_case_begin(0, 0, 10);
	cut_case_end(0, INT64_MAX);
	cut = cut_case_open_cut();
	cut_set_limit(cut, always, NULL);
	(void)cut_case_text(cut_source(cut));
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_END);
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % below;
}

/* Random ranges, well nested, and others. */
static void give_random(void)
{
	uint32_t depth[TRACKS] = {0};
	int64_t now_ns = 0;

	for (int i = 0; i < 600; i++) {
		uint32_t track = draw(TRACKS);

		now_ns += draw(3);
		switch (draw(6)) {
		case 0:
		case 1:
			cut_case_begin(track, draw(SITES), now_ns);
			depth[track]++;
			break;
		case 2:
		case 3:
			if (depth[track] == 0)
				break;
			cut_case_end(track, now_ns);
			depth[track]--;
			break;
		case 4:
			cut_case_complete(track, draw(SITES), now_ns, draw(40));
			break;
		default:
			cut_case_async(draw(2) == 0 ? EVENT_ASYNC_BEGIN
						    : EVENT_ASYNC_END,
				draw(SITES), now_ns);
		}
	}
	for (uint32_t i = 0; i < TRACKS; i++)
		for (; depth[i] > 0; depth[i]--)
			cut_case_end(i, now_ns);
}

/* The times of each site's ranges and slices, clipped to the window. */
static void add_times(const struct event *events, size_t count,
	const int64_t window[2], int64_t times[SITES])
{
	uint32_t open[TRACKS][EVENTS_MAX];
	uint32_t depth[TRACKS] = {0};

	for (size_t i = 0; i < count; i++) {
		const struct event *event = &events[i];
		int64_t from = event->time_ns;
		int64_t until = event->time_ns + (int64_t)event->dur_ns;
		uint32_t site = event->site;

		if (event->kind == EVENT_BEGIN) {
			open[event->track][depth[event->track]++] = (uint32_t)i;
			continue;
		}
		if (event->kind == EVENT_END) {
			uint32_t place;

			ck_assert_uint_gt(depth[event->track], 0);
			place = open[event->track][--depth[event->track]];
			site = events[place].site;
			until = from;
			from = events[place].time_ns;
			ck_assert_int_le(from, until);
		} else if (event->kind != EVENT_COMPLETE) {
			continue;
		}
		from = from < window[0] ? window[0] : from;
		until = until > window[1] ? window[1] : until;
		if (until > from)
			times[site] += until - from;
	}
	for (uint32_t i = 0; i < TRACKS; i++)
		ck_assert_uint_eq(depth[i], 0);
}

static const int64_t always_ns[2] = {INT64_MIN, INT64_MAX};

/* Reads a source to its end. */
static size_t take_all(struct event_source *source, struct event *events)
{
	size_t count = 0;

	while (source->next(source, &events[count], NULL) == CTP_OK)
		ck_assert_uint_lt(++count, 4 * EVENTS_MAX);
	return count;
}

static bool sometimes(void *user)
{
	(void)user;
	return draw(20) == 0;
}

START_TEST(random_parts_add_up)
{
	static struct event taken[4 * EVENTS_MAX];
	int64_t whole[SITES] = {0};
	int64_t sums[SITES] = {0};
	struct cut *cut;

	random_state = (uint64_t)_i;
	give_random();
	add_times(
		cut_case_given.events, cut_case_given.count, always_ns, whole);
	cut = cut_case_open_cut();
	cut_set_limit(cut, sometimes, NULL);
	do {
		size_t count = take_all(cut_source(cut), taken);

		ck_assert_uint_gt(count, 0);
		add_times(taken, count, always_ns, sums);
	} while (cut_next_part(cut, NULL) == CTP_OK);
	for (int i = 0; i < SITES; i++)
		ck_assert_int_eq(sums[i], whole[i]);
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(random_windows_are_clipped)
{
	static struct event taken[4 * EVENTS_MAX];
	int64_t whole[SITES] = {0};
	int64_t sums[SITES] = {0};
	int64_t window[2];
	struct cut *cut;
	size_t count;

	random_state = (uint64_t)_i;
	give_random();
	window[0] = draw(600);
	window[1] = window[0] + 1 + draw(200);
	add_times(cut_case_given.events, cut_case_given.count, window, whole);
	cut = cut_case_open_cut();
	cut_set_window(cut, window[0], window[1]);
	count = take_all(cut_source(cut), taken);
	add_times(taken, count, always_ns, sums);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_ge(taken[i].time_ns, window[0]);
		ck_assert_int_le(taken[i].time_ns, window[1]);
	}
	for (int i = 0; i < SITES; i++)
		ck_assert_int_eq(sums[i], whole[i]);
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cut");
	TCase *tests = tcase_create("cut");

	tcase_add_checked_fixture(tests, cut_case_set_up, NULL);
	tcase_add_test(tests, ranges_open_at_the_edges_are_clipped);
	tcase_add_test(tests, a_range_around_the_window_is_kept);
	tcase_add_test(tests, a_moment_belongs_to_one_window);
	tcase_add_test(tests, unended_ranges_stay_open_unless_the_window_ends);
	tcase_add_test(tests, parts_follow_each_other);
	tcase_add_test(tests,
		a_range_stays_open_where_the_recording_of_its_track_ended);
	tcase_add_test(tests, a_track_does_not_end_before_its_last_event);
	tcase_add_test(
		tests, asynchronous_ranges_go_on_in_the_order_of_their_begins);
	tcase_add_test(tests, the_last_of_all_times_is_in_the_last_part);
	tcase_add_loop_test(tests, random_parts_add_up, 0, 60);
	tcase_add_loop_test(tests, random_windows_are_clipped, 0, 60);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
