/* SPDX-License-Identifier: MIT */
/* lib/cut.[ch], lib/choose.[ch]; with them held.[ch], open_ranges.[ch],
 * open_async.[ch], event_copy.[ch]. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "cut.h"
#include "run_suite.h"

#define TRACKS 3
#define SITES 5
#define EVENTS_MAX 4096

/* Gives the events of an array. */
static struct {
	struct event_source source; /* first */
	struct event events[EVENTS_MAX];
	size_t count;
	size_t taken;
} given;

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	(void)source;
	(void)err;
	if (given.taken == given.count)
		return CTP_END;
	*event = given.events[given.taken++];
	return CTP_OK;
}

static uint64_t position(const struct event_source *source)
{
	(void)source;
	return given.taken;
}

static void close_given(struct event_source *source)
{
	trace_free(source->trace);
}

static void setup(void)
{
	static const char *const names[SITES] = {"a", "b", "c", "d", "e"};
	struct trace *trace = trace_new();

	memset(&given, 0, sizeof(given));
	given.source = (struct event_source){.trace = trace,
		.next = next,
		.position = position,
		.close = close_given};
	for (uint32_t i = 0; i < SITES; i++)
		ck_assert_uint_eq(
			trace_add_site(trace, names[i], 1, "", 0, 0), i);
	for (int i = 0; i < TRACKS; i++)
		(void)trace_add_track(
			trace, (struct trace_track){.pid = 1, .tid = i});
}

static struct event make(
	enum event_kind kind, uint32_t track, uint32_t site, int64_t time_ns)
{
	return (struct event){.kind = kind,
		.track = track,
		.site = site,
		.time_ns = time_ns,
		.device = -1};
}

static void give(struct event event)
{
	ck_assert_uint_lt(given.count, EVENTS_MAX);
	given.events[given.count++] = event;
	if (given.source.trace->end_ns < event.time_ns)
		given.source.trace->end_ns = event.time_ns;
}

static void begin(uint32_t track, uint32_t site, int64_t time_ns)
{
	give(make(EVENT_BEGIN, track, site, time_ns));
}

static void end(uint32_t track, int64_t time_ns)
{
	give(make(EVENT_END, track, TRACE_NONE, time_ns));
}

static void complete(
	uint32_t track, uint32_t site, int64_t time_ns, uint64_t dur_ns)
{
	struct event event = make(EVENT_COMPLETE, track, site, time_ns);

	event.dur_ns = dur_ns;
	give(event);
}

static void async(enum event_kind kind, uint32_t site, int64_t time_ns)
{
	struct event event = make(kind, 0, site, time_ns);

	event.id = 7;
	give(event);
}

static struct cut *open_cut(void)
{
	struct cut *cut;

	ck_assert_int_eq(cut_open(&given.source, &cut, NULL), CTP_OK);
	return cut;
}

/* What comes out: a line for each event. */
static const char *text_of(struct event_source *source)
{
	static const char kinds[EVENT_KINDS] = {[EVENT_BEGIN] = '(',
		[EVENT_END] = ')',
		[EVENT_COMPLETE] = 'X',
		[EVENT_WHOLE] = 'W',
		[EVENT_ASYNC_BEGIN] = '[',
		[EVENT_ASYNC_END] = ']',
		[EVENT_INSTANT] = '!',
		[EVENT_ARGS] = '=',
		[EVENT_CORRELATION] = '@'};
	static char text[4096];
	struct event event;
	char *at = text;

	*at = '\0';
	while (source->next(source, &event, NULL) == CTP_OK) {
		const char *name = trace_site_name(source->trace, event.site);

		at += snprintf(at, 64, "%c%s%d ", kinds[event.kind], name,
			(int)event.time_ns);
		if (event.dur_ns > 0 || event.kind == EVENT_COMPLETE)
			at += snprintf(at, 64, "+%d ", (int)event.dur_ns);
	}
	return text;
}

START_TEST(what_is_open_at_the_edges_is_clipped)
{
	struct cut *cut;
	struct event call = make(EVENT_CORRELATION, 0, TRACE_NONE, 11);

	begin(0, 0, 10);
	give(call);
	begin(1, 1, 12);
	end(1, 20);
	begin(0, 2, 25);
	end(0, 30);
	begin(0, 3, 35);
	end(0, 50);
	end(0, 60);
	cut = open_cut();
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(
		text_of(cut_source(cut)), "(a20 @20 (c25 )30 (d35 )40 )40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(what_is_open_all_the_time_is_there)
{
	struct cut *cut;

	begin(0, 0, 10);
	async(EVENT_ASYNC_BEGIN, 1, 11);
	complete(1, 2, 12, 100);
	complete(1, 3, 13, 7);
	async(EVENT_ASYNC_END, 1, 90);
	end(0, 99);
	cut = open_cut();
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(
		text_of(cut_source(cut)), "Xc20 +20 (a20 )40 [b20 ]b40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(a_moment_belongs_to_one_window)
{
	struct cut *cut;

	give(make(EVENT_INSTANT, 0, 0, 19));
	give(make(EVENT_INSTANT, 0, 1, 20));
	complete(0, 2, 20, 0);
	begin(0, 3, 20);
	end(0, 20);
	give(make(EVENT_INSTANT, 0, 4, 40));
	cut = open_cut();
	cut_set_window(cut, 20, 40);
	ck_assert_str_eq(text_of(cut_source(cut)), "!b20 Xc20 +0 (d20 )20 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(what_was_never_ended_stays_open_unless_the_window_ends)
{
	struct cut *cut;

	begin(0, 0, 10);
	give(make(EVENT_INSTANT, 1, 1, 30));
	cut = open_cut();
	cut_set_window(cut, 20, 100);
	ck_assert_str_eq(text_of(cut_source(cut)), "!b30 (a20 ");
	cut_source(cut)->close(cut_source(cut));
	setup();
	begin(0, 0, 10);
	give(make(EVENT_INSTANT, 1, 1, 30));
	cut = open_cut();
	cut_set_window(cut, 20, 30);
	ck_assert_str_eq(text_of(cut_source(cut)), "(a20 )30 ");
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

	begin(0, 0, 10);
	complete(1, 1, 10, 25);
	async(EVENT_ASYNC_BEGIN, 2, 20);
	end(0, 30);
	async(EVENT_ASYNC_END, 2, 30);
	cut = open_cut();
	cut_set_limit(cut, always, NULL);
	ck_assert_str_eq(text_of(cut_source(cut)), "(a10 )20 Xb10 +10 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_OK);
	ck_assert_str_eq(
		text_of(cut_source(cut)), "[c20 (a20 )30 ]c30 Xb20 +10 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_OK);
	/* What ended there was whole before. */
	ck_assert_str_eq(text_of(cut_source(cut)), "Xb30 +5 ");
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_END);
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

/* No part can be behind it, and there is no end of such parts. */
START_TEST(the_last_of_all_times_is_in_the_last_part)
{
	struct cut *cut;

	begin(0, 0, 10);
	end(0, INT64_MAX);
	cut = open_cut();
	cut_set_limit(cut, always, NULL);
	(void)text_of(cut_source(cut));
	ck_assert_int_eq(cut_next_part(cut, NULL), CTP_END);
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

static struct event_source *open_choose(const struct choose_options *options)
{
	struct event_source *source;

	ck_assert_int_eq(
		choose_open(&given.source, options, &source, NULL), CTP_OK);
	return source;
}

START_TEST(short_ranges_go_with_what_is_theirs)
{
	const struct choose_options options = {.min_ns = 10};
	struct event_source *source;

	begin(0, 0, 10);
	begin(0, 1, 12);
	give(make(EVENT_ARGS, 0, TRACE_NONE, 13));
	give(make(EVENT_INSTANT, 0, 4, 14));
	end(0, 15);
	begin(0, 2, 16);
	give(make(EVENT_ARGS, 0, TRACE_NONE, 17));
	end(0, 26);
	end(0, 30);
	complete(1, 3, 30, 9);
	complete(1, 4, 30, 10);
	begin(2, 0, 31);
	source = open_choose(&options);
	ck_assert_str_eq(
		text_of(source), "!e14 (a10 (c16 =17 )26 )30 Xe30 +10 (a31 ");
	ck_assert_uint_eq(source->trace->losses[LOSS_SHORT_RANGES], 2);
	source->close(source);
}
END_TEST

/* "a" is from 0 to 20 and overlaps "b", as "c" does: that is from 25 to 45. */
static void give_moved(void)
{
	begin(0, 0, 0);
	end(0, 10);
	given.events[1].dur_ns = 10;
	begin(0, 1, 10);
	give(make(EVENT_WHOLE, 0, 2, 25));
	given.events[3].dur_ns = 20;
	end(0, 30);
	begin(0, 2, 30);
	given.events[5].dur_ns = 5;
	end(0, 45);
}

START_TEST(calls_that_were_moved_are_as_long_as_in_truth)
{
	const struct choose_options longer = {.min_ns = 20};
	const struct choose_options longest = {.min_ns = 21};
	struct event_source *source;

	give_moved();
	source = open_choose(&longer);
	ck_assert_str_eq(
		text_of(source), "(a0 )10 +10 Wc25 +20 (b10 )30 (c30 +5 )45 ");
	ck_assert_uint_eq(given.source.trace->losses[LOSS_SHORT_RANGES], 0);
	source->close(source);
	setup();
	give_moved();
	source = open_choose(&longest);
	ck_assert_str_eq(text_of(source), "");
	ck_assert_uint_eq(given.source.trace->losses[LOSS_SHORT_RANGES], 3);
	source->close(source);
}
END_TEST

START_TEST(of_a_call_that_was_moved_a_window_has_what_lies_in_it)
{
	struct cut *cut;

	give_moved();
	cut = open_cut();
	cut_set_window(cut, 15, 40);
	ck_assert_str_eq(text_of(cut_source(cut)),
		"Wa15 +5 Wc25 +15 (b15 )30 (c30 +5 )40 ");
	cut_source(cut)->close(cut_source(cut));
}
END_TEST

START_TEST(ranges_of_other_categories_leave_what_is_in_them)
{
	const struct choose_options options = {.categories = "y,x"};
	struct event_source *source;

	given.source.trace->sites[1].category =
		strtab_add(given.source.trace->text, "x", 1);
	given.source.trace->sites[2].category =
		strtab_add(given.source.trace->text, "z,y", 3);
	begin(0, 0, 10);
	give(make(EVENT_ARGS, 0, TRACE_NONE, 11));
	begin(0, 1, 12);
	give(make(EVENT_ARGS, 0, TRACE_NONE, 13));
	end(0, 14);
	end(0, 15);
	give(make(EVENT_INSTANT, 0, 2, 16));
	give(make(EVENT_INSTANT, 0, 3, 17));
	source = open_choose(&options);
	ck_assert_str_eq(text_of(source), "(b12 =13 )14 !c16 ");
	source->close(source);
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
			begin(track, draw(SITES), now_ns);
			depth[track]++;
			break;
		case 2:
		case 3:
			if (depth[track] == 0)
				break;
			end(track, now_ns);
			depth[track]--;
			break;
		case 4:
			complete(track, draw(SITES), now_ns, draw(40));
			break;
		default:
			async(draw(2) == 0 ? EVENT_ASYNC_BEGIN
					   : EVENT_ASYNC_END,
				draw(SITES), now_ns);
		}
	}
	for (uint32_t i = 0; i < TRACKS; i++)
		for (; depth[i] > 0; depth[i]--)
			end(i, now_ns);
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

/* Takes what a source gives until its end. */
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
	add_times(given.events, given.count, always_ns, whole);
	cut = open_cut();
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
	add_times(given.events, given.count, window, whole);
	cut = open_cut();
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

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_add_test(tests, what_is_open_at_the_edges_is_clipped);
	tcase_add_test(tests, what_is_open_all_the_time_is_there);
	tcase_add_test(tests, a_moment_belongs_to_one_window);
	tcase_add_test(
		tests, what_was_never_ended_stays_open_unless_the_window_ends);
	tcase_add_test(tests, parts_follow_each_other);
	tcase_add_test(tests, the_last_of_all_times_is_in_the_last_part);
	tcase_add_test(tests, short_ranges_go_with_what_is_theirs);
	tcase_add_test(tests, calls_that_were_moved_are_as_long_as_in_truth);
	tcase_add_test(
		tests, of_a_call_that_was_moved_a_window_has_what_lies_in_it);
	tcase_add_test(tests, ranges_of_other_categories_leave_what_is_in_them);
	tcase_add_loop_test(tests, random_parts_add_up, 0, 60);
	tcase_add_loop_test(tests, random_windows_are_clipped, 0, 60);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
