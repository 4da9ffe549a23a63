/* SPDX-License-Identifier: MIT */
/* lib/transform/merge.[ch]: all events of all sources, in order, each
 * attributed to its source. */
#include <check.h>
#include <string.h>

#include "support/array_source.h"
#include "transform/merge.h"
#include "support/run_suite.h"

#define SOURCES 3

static struct array_source sources[SOURCES];
static struct merge *merge;
static struct ctp_error err;

static void setup(void)
{
	for (int i = 0; i < SOURCES; i++)
		array_source_init(&sources[i], NULL, 0);
	merge = merge_new(SOURCES);
	ck_assert_ptr_nonnull(merge);
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	merge_free(merge);
	for (int i = 0; i < SOURCES; i++)
		array_source_clear(&sources[i]);
}

/* The events become those of the next source, whose times move by this. */
static void add(uint32_t number, const struct event *events, size_t count,
	const struct merge_place *place)
{
	sources[number].events = events;
	sources[number].count = count;
	ck_assert_int_eq(
		merge_add(merge, &sources[number].source, &err), CTP_OK);
	merge_set_place(merge, number, place);
}

static struct event take(void)
{
	struct event_source *source = merge_source(merge);
	struct event event;

	ck_assert_int_eq(source->next(source, &event, &err), CTP_OK);
	return event;
}

static void is_over(void)
{
	struct event_source *source = merge_source(merge);
	struct event event;

	ck_assert_int_eq(source->next(source, &event, &err), CTP_END);
	ck_assert_int_eq(source->next(source, &event, &err), CTP_END);
}

static const struct trace *trace(void)
{
	return merge_source(merge)->trace;
}

static const char *text(uint32_t number)
{
	return strtab_text(trace()->text, number, NULL);
}

/* A thread of this process, with a site. */
static void describe(uint32_t number, int64_t pid, const char *process)
{
	(void)array_source_track(&sources[number],
		(struct trace_track){.pid = pid, .tid = 1}, process);
	(void)array_source_site(&sources[number], "f", "");
}

static const struct merge_place first = {.label = "a", .order = 1};
static const struct merge_place second = {
	.label = "b", .order = 2, .shift_ns = 100};

START_TEST(sources_come_in_order_of_their_shifted_times)
{
	const struct event one[] = {{.kind = EVENT_BEGIN, .time_ns = 10},
		{.kind = EVENT_END, .site = TRACE_NONE, .time_ns = 120}};
	const struct event other[] = {{.kind = EVENT_BEGIN, .time_ns = 5},
		{.kind = EVENT_END, .site = TRACE_NONE, .time_ns = 20}};
	const int64_t times[] = {10, 105, 120, 120};
	const uint32_t tracks[] = {0, 1, 0, 1};

	describe(0, 1, "p");
	describe(1, 2, "q");
	add(0, one, 2, &first);
	add(1, other, 2, &second);
	for (int i = 0; i < 4; i++) {
		struct event event = take();

		ck_assert_int_eq(event.time_ns, times[i]);
		ck_assert_uint_eq(event.track, tracks[i]);
	}
	is_over();
	ck_assert_int_eq(trace()->end_ns, 120);
	ck_assert_uint_eq(trace()->site_count, 1);
}
END_TEST

/* In a log's order, a block of a track at a time. */
START_TEST(each_source_keeps_its_order)
{
	const struct event one[] = {{.kind = EVENT_INSTANT, .time_ns = 50},
		{.kind = EVENT_INSTANT, .time_ns = 1, .track = 1},
		{.kind = EVENT_INSTANT, .time_ns = 60, .track = 1}};
	const struct event other[] = {{.kind = EVENT_INSTANT, .time_ns = -95},
		{.kind = EVENT_INSTANT, .time_ns = -45}};
	const int64_t times[] = {5, 50, 1, 55, 60};

	describe(0, 1, "p");
	describe(0, 1, "p");
	describe(1, 2, "q");
	add(0, one, 3, &first);
	add(1, other, 2, &second);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(take().time_ns, times[i]);
	is_over();
}
END_TEST

START_TEST(equal_pids_become_different_ones)
{
	static const struct event event = {.kind = EVENT_INSTANT};
	const struct trace_track *tracks;
	const struct merge_place third = {.label = "", .order = 3};

	describe(0, 1, "p");
	describe(1, 1, "p");
	describe(2, 1, "");
	add(0, &event, 1, &second);
	add(1, &event, 1, &first);
	add(2, &event, 1, &third);
	for (int i = 0; i < 3; i++)
		(void)take();
	is_over();
	tracks = trace()->tracks;
	ck_assert_uint_eq(trace()->track_count, 3);
	ck_assert_int_eq(tracks[0].pid, 1);
	ck_assert_int_ne(tracks[1].pid, 1);
	ck_assert_int_ne(tracks[2].pid, 1);
	ck_assert_int_ne(tracks[2].pid, tracks[1].pid);
	ck_assert_str_eq(text(tracks[0].process_name), "a: p");
	ck_assert_str_eq(text(tracks[1].process_name), "b: p (pid 1)");
	ck_assert_str_eq(text(tracks[2].process_name), "process 1");
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(tracks[i].order, i + 1);
}
END_TEST

/* Numbers already in use are not given to others, in any order. */
START_TEST(pid_in_use_is_not_given_again)
{
	static const struct event event = {.kind = EVENT_INSTANT};
	const struct merge_place third = {.label = "c", .order = 3};

	describe(0, 1, "p");
	describe(1, 1, "p");
	describe(2, INT64_C(1) << 30, "p");
	add(0, &event, 1, &first);
	add(1, &event, 1, &second);
	add(2, &event, 1, &third);
	for (int i = 0; i < 3; i++)
		(void)take();
	is_over();
	ck_assert_int_ne(trace()->tracks[1].pid, trace()->tracks[2].pid);
}
END_TEST

static const uint64_t external = UINT64_C(1) << 63;

START_TEST(ids_of_sources_are_different)
{
	static const uint64_t ids[] = {1, 2, UINT64_C(1) << 40,
		UINT64_C(1) << 60, UINT64_C(1) << 62, (UINT64_C(1) << 63) + 1};
	enum { COUNT = sizeof(ids) / sizeof(*ids) };
	struct event events[2 * COUNT];
	uint64_t got[2][COUNT];

	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < 2; j++)
			events[2 * i + j] = (struct event){
				.kind = j == 0 ? EVENT_CORRELATION
					       : EVENT_ACTIVITY,
				.site = j == 0 ? TRACE_NONE : 0,
				.id = ids[i]};
	for (uint32_t i = 0; i < 2; i++)
		describe(i, i, "p");
	add(0, events, 2 * (size_t)COUNT, &first);
	add(1, events, 2 * (size_t)COUNT,
		&(struct merge_place){.label = "b", .order = 2});
	for (int i = 0; i < 2 * COUNT; i++) {
		struct event call = take();
		struct event work = take();

		ck_assert_uint_eq(call.id, work.id);
		ck_assert_uint_eq(
			call.id & external, ids[i % COUNT] & external);
		got[i / COUNT][i % COUNT] = call.id;
	}
	for (int i = 0; i < 2 * COUNT; i++)
		for (int j = 0; j < i; j++)
			ck_assert_uint_ne(got[i / COUNT][i % COUNT],
				got[j / COUNT][j % COUNT]);
}
END_TEST

START_TEST(arguments_that_are_ids_go_with_them)
{
	struct event_arg args[] = {{.kind = ARG_INT, .value.integer = 7},
		{.kind = ARG_INT, .value.integer = 7},
		{.kind = ARG_INT, .value.integer = -1},
		{.kind = ARG_TEXT, .value.text = {"7", 1}}};
	static const char *const keys[] = {
		"correlation", "stream", "External id", "External id"};
	const struct event event = {
		.kind = EVENT_ACTIVITY, .id = 7, .arg_count = 4, .args = args};
	static const struct event other = {.kind = EVENT_INSTANT, .time_ns = 1};
	struct event got;

	describe(0, 1, "p");
	describe(1, 1, "p");
	for (int i = 0; i < 4; i++)
		args[i].key = array_source_text(&sources[0], keys[i]);
	add(0, &event, 1, &(struct merge_place){.label = "b", .order = 2});
	add(1, &other, 1, &first);
	got = take();
	ck_assert_uint_eq(got.arg_count, 4);
	ck_assert_uint_ne(got.id, 7);
	ck_assert_int_eq(got.args[0].value.integer, (int64_t)got.id);
	ck_assert_int_eq(got.args[1].value.integer, 7);
	ck_assert_int_eq(got.args[2].value.integer, -1);
	ck_assert_mem_eq(got.args[3].value.text.bytes, "7", 1);
	for (int i = 0; i < 4; i++)
		ck_assert_str_eq(text(got.args[i].key), keys[i]);
}
END_TEST

/* Its times still do not refer to the recording's clock. */
START_TEST(program_clock_moves_on_its_own)
{
	const struct event events[] = {{.kind = EVENT_BEGIN, .time_ns = 5000},
		{.kind = EVENT_INSTANT, .time_ns = 7, .track = 1}};
	static const struct event other = {.kind = EVENT_INSTANT, .time_ns = 8};

	(void)array_source_track(&sources[0],
		(struct trace_track){.kind = TRACE_TIMELINE, .pid = 1}, "p");
	describe(0, 1, "p");
	describe(1, 2, "p");
	sources[0].source.trace->timeline_end_ns = 6000;
	add(0, events, 2,
		&(struct merge_place){.label = "a",
			.order = 1,
			.shift_ns = 100,
			.timeline_shift_ns = 3});
	add(1, &other, 1, &(struct merge_place){.label = "b", .order = 2});
	ck_assert_int_eq(take().time_ns, 5003);
	ck_assert_int_eq(take().time_ns, 8);
	ck_assert_int_eq(take().time_ns, 107);
	is_over();
	ck_assert_int_eq(trace_track_end(trace(), 0), 6003);
}
END_TEST

START_TEST(recordings_end_by_themselves)
{
	static const struct event one = {.kind = EVENT_BEGIN, .time_ns = 1};
	const struct event other[] = {{.kind = EVENT_BEGIN, .time_ns = 2},
		{.kind = EVENT_INSTANT, .time_ns = 900}};

	describe(0, 1, "p");
	describe(1, 2, "p");
	sources[0].source.trace->end_ns = 30;
	sources[0].source.trace->losses[LOSS_BAD_EVENTS] = 3;
	sources[1].source.trace->losses[LOSS_BAD_EVENTS] = 4;
	(void)trace_add_fact(sources[0].source.trace, "host", "h");
	(void)trace_add_fact(sources[1].source.trace, "host", "i");
	add(0, &one, 1, &first);
	add(1, other, 2, &second);
	for (int i = 0; i < 3; i++)
		(void)take();
	is_over();
	ck_assert_int_eq(trace_track_end(trace(), 0), 30);
	ck_assert_int_eq(trace_track_end(trace(), 1), 1000);
	ck_assert_uint_eq(trace()->losses[LOSS_BAD_EVENTS], 7);
	ck_assert_uint_eq(merge_lost(merge, LOSS_BAD_EVENTS), 7);
	ck_assert_str_eq(trace_find_fact(trace(), "a host"), "h");
	ck_assert_str_eq(trace_find_fact(trace(), "b host"), "i");
}
END_TEST

START_TEST(devices_belong_to_their_process)
{
	static const struct event event = {.kind = EVENT_INSTANT};

	for (uint32_t i = 0; i < 2; i++) {
		describe(i, 1, "p");
		ck_assert_uint_ne(trace_add_device(sources[i].source.trace,
					  &(struct trace_device){.pid = 1}),
			TRACE_NONE);
	}
	add(0, &event, 1, &first);
	add(1, &event, 1, &second);
	(void)take();
	(void)take();
	is_over();
	ck_assert_uint_eq(trace()->device_count, 2);
	for (uint32_t i = 0; i < 2; i++)
		ck_assert_ptr_nonnull(
			trace_find_device(trace(), trace()->tracks[i].pid, 0));
}
END_TEST

START_TEST(source_that_fails_is_known)
{
	static const struct event event = {.kind = EVENT_INSTANT};
	struct event_source *source = merge_source(merge);
	struct event got;

	describe(0, 1, "p");
	describe(1, 2, "p");
	sources[1].breaks = true;
	add(0, &event, 1, &second);
	add(1, &event, 1, &first);
	ck_assert_uint_eq(merge_failed(merge), UINT32_MAX);
	ck_assert_int_eq(source->next(source, &got, &err), CTP_OK);
	ck_assert_int_eq(source->next(source, &got, &err), CTP_ERR_FORMAT);
	ck_assert_uint_eq(err.offset, 77);
	ck_assert_uint_eq(merge_failed(merge), 1);
}
END_TEST

static enum ctp_status no_profile(struct event_source *source,
	struct profile **out, struct ctp_error *error)
{
	(void)source;
	(void)out;
	return ctp_fail_at(error, CTP_ERR_FORMAT, 0, "none");
}

START_TEST(profile_is_refused)
{
	sources[0].source.read_profile = no_profile;
	ck_assert_int_eq(merge_add(merge, &sources[0].source, &err),
		CTP_ERR_UNSUPPORTED);
}
END_TEST

START_TEST(sources_without_events_are_left_out)
{
	add(0, NULL, 0, &first);
	add(1, NULL, 0, &second);
	ck_assert(!merge_has_events(merge, 0));
	is_over();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("merge");
	TCase *tests = tcase_create("merge");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, sources_come_in_order_of_their_shifted_times);
	tcase_add_test(tests, each_source_keeps_its_order);
	tcase_add_test(tests, equal_pids_become_different_ones);
	tcase_add_test(tests, pid_in_use_is_not_given_again);
	tcase_add_test(tests, ids_of_sources_are_different);
	tcase_add_test(tests, arguments_that_are_ids_go_with_them);
	tcase_add_test(tests, program_clock_moves_on_its_own);
	tcase_add_test(tests, recordings_end_by_themselves);
	tcase_add_test(tests, devices_belong_to_their_process);
	tcase_add_test(tests, source_that_fails_is_known);
	tcase_add_test(tests, profile_is_refused);
	tcase_add_test(tests, sources_without_events_are_left_out);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
