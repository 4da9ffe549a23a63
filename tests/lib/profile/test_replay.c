/* SPDX-License-Identifier: MIT */
/* profile/replay.[ch]: function timings by cProfile's rules, in cases computed
 * by hand. test_replay_random.c has the rest. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profile/replay.h"
#include "support/run_suite.h"

enum { MAIN, F, G, H, SITES, END = -1 };

static const char *const names[SITES] = {"main", "f", "g", "h"};

static struct trace *trace;
static struct replay *replay;
static struct profile *profile;

static void start(struct replay_options options)
{
	replay_free(replay);
	replay = replay_new(trace, options);
	ck_assert_ptr_nonnull(replay);
}

static void setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	for (uint32_t i = 0; i < SITES; i++)
		ck_assert_uint_eq(trace_add_site(trace, names[i],
					  strlen(names[i]), "a.c", 3, i + 1),
			i);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(
			trace_add_track(trace,
				(struct trace_track){.kind = TRACE_THREAD}),
			i);
	start((struct replay_options){.tree = true});
}

static void teardown(void)
{
	replay_free(replay);
	replay = NULL;
	profile_free(profile);
	profile = NULL;
	trace_free(trace);
}

/* Begins a range (a site) or ends one (END). */
static void on(uint32_t track, int what, int64_t time_ns)
{
	struct event event = {.kind = what == END ? EVENT_END : EVENT_BEGIN,
		.track = track,
		.site = what == END ? TRACE_NONE : (uint32_t)what,
		.time_ns = time_ns};

	ck_assert_int_eq(replay_add(replay, &event, NULL), CTP_OK);
}

static void finish(void)
{
	ck_assert_int_eq(replay_finish(replay, &profile, NULL), CTP_OK);
	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
}

static uint32_t find(const char *name)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			return i;
	ck_abort_msg("there is no function %s", name);
}

static struct profile_cost function(int site)
{
	return profile->functions[find(names[site])].cost;
}

static struct profile_cost edge(int caller, int callee)
{
	uint32_t from = find(names[caller]);
	uint32_t to = find(names[callee]);

	for (uint32_t i = 0; i < profile->edge_count; i++)
		if (profile->edges[i].caller == from &&
			profile->edges[i].callee == to)
			return profile->edges[i].cost;
	return (struct profile_cost){0, 0, 0, 0};
}

static void check(struct profile_cost cost, struct profile_cost expected)
{
	ck_assert_uint_eq(cost.ncalls, expected.ncalls);
	ck_assert_uint_eq(cost.pcalls, expected.pcalls);
	ck_assert_uint_eq(cost.tottime_ns, expected.tottime_ns);
	ck_assert_uint_eq(cost.cumtime_ns, expected.cumtime_ns);
}

#define COST(n, p, tot, cum) ((struct profile_cost){n, p, tot, cum})

START_TEST(self_time_excludes_direct_children)
{
	on(0, MAIN, 100);
	on(0, F, 110);
	on(0, G, 115);
	on(0, END, 135);
	on(0, END, 140);
	on(0, G, 150);
	on(0, END, 155);
	on(0, END, 200);
	finish();
	check(function(MAIN), COST(1, 1, 65, 100));
	check(function(F), COST(1, 1, 10, 30));
	check(function(G), COST(2, 2, 25, 25));
	check(edge(MAIN, F), COST(1, 1, 10, 30));
	check(edge(F, G), COST(1, 1, 20, 20));
	check(edge(MAIN, G), COST(1, 1, 5, 5));
	ck_assert_uint_eq(profile->edge_count, 3);
	check(profile->functions[find("main")].root, COST(1, 1, 65, 100));
	check(profile->functions[find("f")].root, COST(0, 0, 0, 0));
	ck_assert_uint_eq(profile->total_ns, 100);
	ck_assert_uint_eq(profile->thread_count, 1);
	ck_assert_uint_eq(profile->open_calls, 0);
}
END_TEST

START_TEST(direct_recursion_counts_its_time_once)
{
	/* f 0..100 calls f 10..60 calls f 20..40. */
	on(0, F, 0);
	on(0, F, 10);
	on(0, F, 20);
	on(0, END, 40);
	on(0, END, 60);
	on(0, END, 100);
	finish();
	check(function(F), COST(3, 1, 100, 100));
	/* The edge is open already when the innermost begins. */
	check(edge(F, F), COST(2, 1, 50, 50));
	check(profile->functions[0].root, COST(1, 1, 50, 100));
}
END_TEST

/* f(6): f calls g calls f … seven calls, each a nanosecond longer at either
 * side than the one inside it. Measured with CPython's cProfile: f has 1
 * primitive call of 4, g 1 of 3, either edge 1 of 3. */
static void call_mutually(int64_t from)
{
	for (int i = 0; i < 7; i++)
		on(0, i % 2 == 0 ? F : G, from + i);
	for (int i = 7; i < 14; i++)
		on(0, END, from + i);
}

START_TEST(mutual_recursion_counts_primitive_calls_per_edge)
{
	call_mutually(0);
	finish();
	/* The outermost f lasts 13, the outermost g 11, its f 9. */
	check(function(F), COST(4, 1, 7, 13));
	check(function(G), COST(3, 1, 6, 11));
	check(edge(F, G), COST(3, 1, 6, 11));
	check(edge(G, F), COST(3, 1, 5, 9));
	check(profile->functions[find("f")].root, COST(1, 1, 2, 13));
}
END_TEST

START_TEST(with_all_edge_times_edges_count_as_their_callee)
{
	start((struct replay_options){.all_edge_times = true});
	call_mutually(0);
	finish();
	check(function(F), COST(4, 1, 7, 13));
	check(function(G), COST(3, 1, 6, 11));
	/* Every call's time: 11 + 7 + 3 and 9 + 5 + 1. */
	check(edge(F, G), COST(3, 1, 6, 21));
	check(edge(G, F), COST(3, 0, 5, 15));
	ck_assert_uint_eq(profile->node_count, 0);
}
END_TEST

/* After f -> g -> f has ended, the next f -> g is primitive again. */
START_TEST(a_call_is_primitive_again_when_the_others_are_over)
{
	for (int i = 0; i < 3; i++)
		call_mutually(i * 100);
	finish();
	check(function(F), COST(12, 3, 21, 39));
	check(edge(G, F), COST(9, 3, 15, 27));
}
END_TEST

START_TEST(open_calls_end_with_the_recording)
{
	on(0, MAIN, 10);
	on(0, F, 20);
	on(0, END, 30);
	on(0, G, 40);
	trace->end_ns = 100;
	finish();
	check(function(MAIN), COST(1, 1, 20, 90));
	check(function(G), COST(1, 1, 60, 60));
	ck_assert_uint_eq(profile->open_calls, 2);
	ck_assert_uint_eq(trace->losses[LOSS_OPEN_RANGES], 2);
}
END_TEST

START_TEST(open_calls_never_end_before_their_track_does)
{
	trace->end_ns = 100;
	trace->tracks[1].has_end = true;
	trace->tracks[1].end_ns = 5;
	trace->tracks[2].kind = TRACE_TIMELINE;
	trace->timeline_end_ns = 70;
	on(0, MAIN, 10);
	on(1, F, 10);
	on(1, G, 30);
	on(2, H, 10);
	finish();
	check(function(MAIN), COST(1, 1, 90, 90));
	check(function(F), COST(1, 1, 20, 20));
	check(function(G), COST(1, 1, 0, 0));
	check(function(H), COST(1, 1, 60, 60));
	ck_assert_uint_eq(profile->open_calls, 4);
}
END_TEST

START_TEST(ends_without_a_begin_are_ignored_and_counted)
{
	on(0, END, 5);
	on(0, F, 10);
	on(0, END, 20);
	on(0, END, 25);
	on(3, END, 1);
	on(0, G, 30);
	on(0, END, 31);
	finish();
	check(function(F), COST(1, 1, 10, 10));
	check(function(G), COST(1, 1, 1, 1));
	ck_assert_uint_eq(profile->function_count, 2);
	ck_assert_uint_eq(trace->losses[LOSS_STRAY_ENDS], 3);
	ck_assert_uint_eq(profile->thread_count, 1);
}
END_TEST

START_TEST(time_that_goes_back_stands_and_is_counted)
{
	on(0, MAIN, 100);
	on(0, F, 90); /* taken as 100 */
	on(0, END, 95);
	on(0, G, 120);
	on(0, END, 110);
	on(0, H, 119);
	on(0, END, 130);
	on(0, END, 140);
	finish();
	check(function(MAIN), COST(1, 1, 30, 40));
	check(function(F), COST(1, 1, 0, 0));
	check(function(G), COST(1, 1, 0, 0));
	check(function(H), COST(1, 1, 10, 10));
	ck_assert_uint_eq(trace->losses[LOSS_BACKWARD_TIMES], 4);
}
END_TEST

START_TEST(times_before_zero_and_of_any_size_are_times)
{
	on(0, MAIN, INT64_MIN);
	on(0, F, -5);
	on(0, END, 5);
	on(0, END, INT64_MAX);
	finish();
	check(function(F), COST(1, 1, 10, 10));
	check(function(MAIN), COST(1, 1, UINT64_MAX - 10, UINT64_MAX));
	ck_assert_uint_eq(trace->losses[LOSS_BACKWARD_TIMES], 0);
}
END_TEST

START_TEST(threads_are_separate)
{
	on(0, F, 0);
	on(1, F, 10); /* primitive: another thread's f is open, not ours */
	on(0, G, 20);
	on(1, END, 30);
	on(2, G, 5);
	on(0, END, 40);
	on(2, END, 8);
	on(0, END, 50);
	finish();
	check(function(F), COST(2, 2, 50, 70));
	check(function(G), COST(2, 2, 23, 23));
	check(edge(F, G), COST(1, 1, 20, 20));
	check(profile->functions[find("g")].root, COST(1, 1, 3, 3));
	ck_assert_uint_eq(profile->thread_count, 3);
	ck_assert_uint_eq(profile->total_ns, 73);
}
END_TEST

START_TEST(complete_ranges_are_calls_of_their_own)
{
	struct event event = {.kind = EVENT_COMPLETE,
		.track = 3,
		.site = G,
		.time_ns = -1000,
		.dur_ns = 300};

	on(0, MAIN, 0);
	ck_assert_int_eq(replay_add(replay, &event, NULL), CTP_OK);
	event.track = 0;
	event.site = MAIN;
	ck_assert_int_eq(replay_add(replay, &event, NULL), CTP_OK);
	on(0, END, 10);
	finish();
	check(function(G), COST(1, 1, 300, 300));
	check(function(MAIN), COST(2, 2, 310, 310));
	check(profile->functions[find("g")].root, COST(1, 1, 300, 300));
	ck_assert_uint_eq(profile->edge_count, 0);
	ck_assert_uint_eq(profile->total_ns, 610);
	ck_assert_uint_eq(profile->node_count, 3);
}
END_TEST

START_TEST(other_events_are_not_calls)
{
	for (enum event_kind kind = EVENT_BEGIN; kind <= EVENT_STEP; kind++) {
		struct event event = {.kind = kind, .site = F, .time_ns = 5};

		if (kind != EVENT_BEGIN && kind != EVENT_END &&
			kind != EVENT_COMPLETE)
			ck_assert_int_eq(
				replay_add(replay, &event, NULL), CTP_OK);
	}
	finish();
	ck_assert_uint_eq(profile->function_count, 0);
	ck_assert_uint_eq(profile->thread_count, 0);
	/* A tree has a root even if it is empty. */
	ck_assert_uint_eq(profile->node_count, 1);
}
END_TEST

/* The node's path and costs, found by function and parent. */
static struct profile_node node(uint32_t parent, int site)
{
	for (uint32_t i = 1; i < profile->node_count; i++)
		if (profile->nodes[i].parent == parent &&
			profile->nodes[i].function == find(names[site]))
			return profile->nodes[i];
	ck_abort_msg("there is no such context");
}

START_TEST(the_tree_has_a_node_for_each_path)
{
	for (int i = 0; i < 2; i++) { /* main(f(g f) g) */
		int64_t t = i * 100;

		on((uint32_t)i, MAIN, t);
		on((uint32_t)i, F, t + 10);
		on((uint32_t)i, G, t + 20);
		on((uint32_t)i, END, t + 25);
		on((uint32_t)i, F, t + 30);
		on((uint32_t)i, END, t + 33);
		on((uint32_t)i, END, t + 40);
		on((uint32_t)i, G, t + 50);
		on((uint32_t)i, END, t + 51);
		on((uint32_t)i, END, t + 60);
	}
	finish();
	/* Nodes are in preorder; siblings in the order of functions: main,
	 * f (cumtime 60), g (12). */
	ck_assert_uint_eq(profile->node_count, 6);
	ck_assert_uint_eq(node(0, MAIN).self_ns, 58);
	ck_assert_uint_eq(node(1, F).self_ns, 44);
	ck_assert_uint_eq(node(2, F).self_ns, 6);
	ck_assert_uint_eq(node(2, F).ncalls, 2);
	ck_assert_uint_eq(node(2, G).self_ns, 10);
	ck_assert_uint_eq(node(1, G).self_ns, 2);
	for (uint32_t i = 1; i < 6; i++)
		ck_assert_uint_lt(profile->nodes[i].parent, i);
}
END_TEST

START_TEST(deep_recursion_is_handled)
{
	enum { DEPTH = 300000 };

	start((struct replay_options){.tree = false});
	for (int i = 0; i < DEPTH; i++)
		on(0, F, i);
	for (int i = 0; i < DEPTH; i++)
		on(0, END, DEPTH + i);
	finish();
	check(function(F), COST(DEPTH, 1, 2 * DEPTH - 1, 2 * DEPTH - 1));
	check(edge(F, F), COST(DEPTH - 1, 1, 2 * DEPTH - 3, 2 * DEPTH - 3));
}
END_TEST

START_TEST(calls_of_python_have_no_root)
{
	static const char *const categories[] = {"range", "c", "python"};

	for (uint32_t i = 0; i < 3; i++) {
		struct trace_site site = {
			.name = strtab_add(trace->text, "p", 1),
			.category = strtab_add(trace->text, categories[i],
				strlen(categories[i]))};

		start((struct replay_options){0});
		on(0, MAIN, 0);
		on(0, (int)trace_add_place(trace, site), 1);
		profile_free(profile);
		finish();
		ck_assert_int_eq(profile->no_root, i > 0);
		ck_assert_int_eq(profile_prune(profile, 1000, 1, NULL), CTP_OK);
		ck_assert_int_eq(profile->no_root, i > 0);
	}
}
END_TEST

START_TEST(nothing_is_a_profile_too)
{
	finish();
	ck_assert_uint_eq(profile->function_count, 0);
	ck_assert_uint_eq(profile->total_ns, 0);
	replay_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay");
	TCase *tests = tcase_create("replay");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, self_time_excludes_direct_children);
	tcase_add_test(tests, direct_recursion_counts_its_time_once);
	tcase_add_test(tests, mutual_recursion_counts_primitive_calls_per_edge);
	tcase_add_test(tests, with_all_edge_times_edges_count_as_their_callee);
	tcase_add_test(
		tests, a_call_is_primitive_again_when_the_others_are_over);
	tcase_add_test(tests, open_calls_end_with_the_recording);
	tcase_add_test(tests, open_calls_never_end_before_their_track_does);
	tcase_add_test(tests, ends_without_a_begin_are_ignored_and_counted);
	tcase_add_test(tests, time_that_goes_back_stands_and_is_counted);
	tcase_add_test(tests, times_before_zero_and_of_any_size_are_times);
	tcase_add_test(tests, threads_are_separate);
	tcase_add_test(tests, complete_ranges_are_calls_of_their_own);
	tcase_add_test(tests, other_events_are_not_calls);
	tcase_add_test(tests, the_tree_has_a_node_for_each_path);
	tcase_add_test(tests, deep_recursion_is_handled);
	tcase_add_test(tests, calls_of_python_have_no_root);
	tcase_add_test(tests, nothing_is_a_profile_too);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
