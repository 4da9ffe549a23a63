/* SPDX-License-Identifier: MIT */
/* lib/gaps/overview.c: sums computed by hand, and for random events by adding
 * up every nanosecond. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gaps/overview.h"
#include "support/run_suite.h"

#define NAMES 4
#define CHANCE_NS 4000

static struct trace *trace;
static struct overview *overview;

static void setup(void)
{
	static const char *const names[NAMES] = {"a", "b", "c", "d"};

	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	for (uint32_t i = 0; i < NAMES; i++)
		ck_assert_uint_eq(
			trace_add_site(trace, names[i], 1, "", 0, 0), i);
	(void)trace_add_track(trace, (struct trace_track){.pid = 1, .tid = 1});
	(void)trace_add_track(
		trace, (struct trace_track){.kind = TRACE_STREAM, .pid = 1});
	overview = overview_new(trace);
	ck_assert_ptr_nonnull(overview);
}

static void teardown(void)
{
	overview_free(overview);
	trace_free(trace);
}

static void add(struct event event)
{
	ck_assert_int_eq(overview_add(overview, &event, NULL), CTP_OK);
}

static void begin(int64_t time_ns, uint32_t site)
{
	add((struct event){
		.kind = EVENT_BEGIN, .site = site, .time_ns = time_ns});
}

static void end(int64_t time_ns)
{
	add((struct event){
		.kind = EVENT_END, .site = TRACE_NONE, .time_ns = time_ns});
}

static const struct overview_bin *track_of(uint32_t track, uint64_t *busy_ns)
{
	const struct overview_bin *bins =
		overview_track(overview, track, busy_ns);

	ck_assert_ptr_nonnull(bins);
	return bins;
}

START_TEST(time_goes_to_the_innermost_range)
{
	const struct overview_bin *bins;
	uint64_t busy_ns;
	uint64_t bin_ns;

	begin(100, 0);
	begin(101, 1);
	end(104);
	end(106);
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	bins = track_of(0, &busy_ns);
	ck_assert_uint_eq(busy_ns, 6);
	ck_assert_int_eq(overview_start(overview, &bin_ns), 100);
	ck_assert_uint_eq(bin_ns, 1);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(bins[i].busy_ns, 1);
		ck_assert_uint_eq(bins[i].lead_ns, 1);
		ck_assert_uint_eq(bins[i].site, i >= 1 && i < 4 ? 1 : 0);
	}
	ck_assert_uint_eq(bins[6].busy_ns, 0);
	ck_assert_ptr_null(overview_track(overview, 1, &busy_ns));
	ck_assert_ptr_null(overview_track(overview, 2, &busy_ns));
}
END_TEST

START_TEST(bins_grow_and_are_led_by_their_largest_share)
{
	const struct overview_bin *bins;
	uint64_t busy_ns;
	uint64_t bin_ns;

	/* b has 5 of the first 8, in three pieces. */
	begin(0, 1);
	end(2);
	begin(2, 0);
	end(5);
	begin(5, 1);
	end(8);
	begin(2048, 2);
	end(2049);
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	ck_assert_int_eq(overview_start(overview, &bin_ns), 0);
	/* 2049 in at most 384 bins. */
	ck_assert_uint_eq(bin_ns, 8);
	bins = track_of(0, &busy_ns);
	ck_assert_uint_eq(busy_ns, 9);
	ck_assert_uint_eq(bins[0].busy_ns, 8);
	ck_assert_uint_eq(bins[0].site, 1);
	ck_assert_uint_ge(bins[0].lead_ns, 2);
	ck_assert_uint_le(bins[0].lead_ns, 5);
	ck_assert_uint_eq(bins[256].busy_ns, 1);
	ck_assert_uint_eq(bins[256].site, 2);
}
END_TEST

START_TEST(open_ranges_end_with_the_recording)
{
	uint64_t busy_ns;
	int64_t first_ns;
	int64_t last_ns;

	begin(10, 0);
	trace->end_ns = 40;
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	(void)track_of(0, &busy_ns);
	ck_assert_uint_eq(busy_ns, 30);
	overview_span(overview, &first_ns, &last_ns);
	ck_assert_int_eq(first_ns, 10);
	ck_assert_int_eq(last_ns, 40);
}
END_TEST

START_TEST(waits_on_a_stream_are_not_work)
{
	uint64_t busy_ns;
	uint32_t kernel = trace_add_place(trace,
		(struct trace_site){
			.category = strtab_add(trace->text, "kernel", 6)});
	struct event event = {.kind = EVENT_ACTIVITY,
		.track = 1,
		.site = kernel,
		.time_ns = 5,
		.dur_ns = 7};

	add(event);
	event.site = 0;
	event.time_ns = 20;
	add(event);
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	(void)track_of(1, &busy_ns);
	ck_assert_uint_eq(busy_ns, 7);
	ck_assert_uint_eq(overview_counts(overview)->activities, 1);
	ck_assert_uint_eq(overview_counts(overview)->ranges, 0);
}
END_TEST

START_TEST(smallest_and_largest_times_fit)
{
	uint64_t busy_ns;
	uint64_t bin_ns;
	int64_t start_ns;
	struct event event = {.kind = EVENT_COMPLETE,
		.time_ns = INT64_MAX - 1,
		.dur_ns = UINT64_MAX};

	add(event);
	event.time_ns = INT64_MIN;
	event.dur_ns = 3;
	add(event);
	event.time_ns = 0;
	event.dur_ns = INT64_MAX;
	for (int i = 0; i < 5; i++)
		add(event);
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	start_ns = overview_start(overview, &bin_ns);
	ck_assert_int_eq(start_ns, INT64_MIN);
	ck_assert_uint_eq(bin_ns, UINT64_C(1) << 56);
	/* Overlapping parts count once. */
	(void)track_of(0, &busy_ns);
	ck_assert_uint_eq(busy_ns, (UINT64_C(1) << 63) + 3);
}
END_TEST

START_TEST(ranges_beside_nested_ones_do_not_lead)
{
	const struct overview_bin *bins;
	uint64_t busy_ns;

	begin(0, 0);
	add((struct event){
		.kind = EVENT_COMPLETE, .site = 1, .time_ns = 0, .dur_ns = 9});
	end(3);
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	bins = track_of(0, &busy_ns);
	ck_assert_uint_eq(busy_ns, 9);
	ck_assert_uint_eq(bins[0].busy_ns, 2);
	ck_assert_uint_eq(bins[0].lead_ns, 1);
	ck_assert_uint_eq(bins[0].site, 0);
	ck_assert_uint_eq(bins[4].lead_ns, 0);
}
END_TEST

/* The nanoseconds of each name at a time; in the last column, beside nested
 * ranges. */
static uint8_t had[2 * CHANCE_NS][NAMES + 1];

static void add_beside(uint32_t site)
{
	int64_t from = rand() % (2 * CHANCE_NS - 100);
	int64_t dur = rand() % 100;

	add((struct event){.kind = EVENT_COMPLETE,
		.site = site,
		.time_ns = from,
		.dur_ns = (uint64_t)dur});
	for (int64_t t = from; t < from + dur; t++)
		had[t][NAMES]++;
}

/* Compares a bin with the sums over its time. */
static void check_bin(
	const struct overview_bin *bin, int64_t from_ns, int64_t until_ns)
{
	uint64_t sums[NAMES + 1] = {0};
	uint64_t sum = 0;

	for (int64_t t = from_ns; t < until_ns; t++)
		for (int n = 0; n <= NAMES; n++)
			if (t >= 0 && t < 2 * CHANCE_NS) {
				sums[n] += had[t][n];
				sum += had[t][n];
			}
	ck_assert_uint_eq(bin->busy_ns, sum);
	if (bin->lead_ns != 0)
		ck_assert_uint_le(bin->lead_ns, sums[bin->site]);
	for (uint32_t n = 0; n < NAMES; n++)
		if (sums[n] * 2 > sum - sums[NAMES]) {
			ck_assert_uint_gt(bin->lead_ns, 0);
			ck_assert_uint_eq(bin->site, n);
		}
}

/* Ends without a begin, ranges that are open at the end, times that go back, and
 * a start that turns out not to be the earliest. */
START_TEST(random_events_equal_a_count_by_nanoseconds)
{
	uint32_t open[64];
	uint32_t depth = 0;
	int64_t now = CHANCE_NS;
	uint64_t bin_ns;
	uint64_t busy_ns;
	int64_t start_ns;
	const struct overview_bin *bins;

	memset(had, 0, sizeof(had));
	srand((unsigned)_i);
	begin(now, 0);
	end(now);
	for (int i = 0; i < 200; i++) {
		bool back = rand() % 9 == 0;
		int64_t next = back ? now : now + rand() % 20;
		bool opens = depth < 64 && rand() % 2 == 0;
		uint32_t site = (uint32_t)rand() % NAMES;

		for (; now < next; now++)
			if (depth > 0)
				had[now][open[depth - 1]]++;
		if (rand() % 8 == 0)
			add_beside(site);
		if (opens) {
			begin(now - (back && depth > 0), site);
			open[depth++] = site;
		} else {
			end(now);
			depth -= depth > 0;
		}
	}
	trace->end_ns = now + 50;
	for (; now < trace->end_ns; now++)
		if (depth > 0)
			had[now][open[depth - 1]]++;
	ck_assert_int_eq(overview_finish(overview, NULL), CTP_OK);
	bins = track_of(0, &busy_ns);
	start_ns = overview_start(overview, &bin_ns);
	for (int64_t i = 0; i < OVERVIEW_BINS; i++)
		check_bin(&bins[i], start_ns + i * (int64_t)bin_ns,
			start_ns + (i + 1) * (int64_t)bin_ns);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("overview");
	TCase *tests = tcase_create("overview");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, time_goes_to_the_innermost_range);
	tcase_add_test(tests, bins_grow_and_are_led_by_their_largest_share);
	tcase_add_test(tests, open_ranges_end_with_the_recording);
	tcase_add_test(tests, waits_on_a_stream_are_not_work);
	tcase_add_test(tests, smallest_and_largest_times_fit);
	tcase_add_test(tests, ranges_beside_nested_ones_do_not_lead);
	tcase_add_loop_test(
		tests, random_events_equal_a_count_by_nanoseconds, 0, 50);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
