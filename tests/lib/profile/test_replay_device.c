/* SPDX-License-Identifier: MIT */
/* profile/replay.c: the launchers of device activities, in cases computed by
 * hand. oracle_device.sh has the rest. */
#include <check.h>

#include "support/device_case.h"
#include "support/run_suite.h"

START_TEST(work_is_called_by_its_launcher)
{
	run_small();
	device_case_finish();
	/* The host's profile is the same without a device. */
	check(function(MAIN)->cost, COST(1, 1, 30, 110));
	check(function(F)->cost, COST(1, 1, 40, 70));
	check(function(LAUNCH)->cost, COST(4, 4, 40, 40));
	check(function(K)->cost, COST(3, 3, 8500, 8500));
	check(function(COPY)->cost, COST(1, 1, 300, 300));
	check(edge(F, K), COST(2, 2, 1500, 1500));
	check(edge(F, COPY), COST(1, 1, 300, 300));
	check(edge(MAIN, K), COST(1, 1, 7000, 7000));
	check(edge(LAUNCH, K), COST(0, 0, 0, 0));
	check(function(K)->root, COST(0, 0, 0, 0));
	ck_assert_uint_eq(device_case_profile->total_ns, 110 + 8800);
	check_device(F, 1800, 1800);
	check_device(MAIN, 7000, 8800);
	check_device(LAUNCH, 0, 0);
	check_device(K, 8500, 8500);
	ck_assert_uint_eq(device_case_trace->losses[LOSS_UNMATCHED], 0);
	ck_assert_uint_eq(device_case_profile->unmatched, 0);
}
END_TEST

START_TEST(functions_of_a_device_have_a_kind)
{
	run_small();
	did(NAMELESS, L, 20, 1);
	did(NAMELESS, SET, 5, 1);
	device_case_finish();
	ck_assert_str_eq(function(K)->file, GPU);
	ck_assert_uint_eq(function(K)->line, 0);
	ck_assert_int_eq(function(K)->device.kind, PROFILE_KERNEL);
	ck_assert_uint_eq(function(K)->device.number, 1);
	ck_assert_uint_eq(function(K)->device.min_ns, 500);
	ck_assert_uint_eq(function(K)->device.max_ns, 7000);
	ck_assert_int_eq(function(COPY)->device.kind, PROFILE_COPY);
	ck_assert_uint_eq(function(COPY)->device.bytes, 4096);
	ck_assert_str_eq(function(L)->file, "<gpu:3>");
	ck_assert_int_eq(function(SET)->device.kind, PROFILE_SET);
	ck_assert_int_eq(function(F)->device.kind, PROFILE_HOST);
	ck_assert(profile_has_device(device_case_profile));
}
END_TEST

START_TEST(left_out_the_device_leaves_no_trace)
{
	device_case_start(
		(struct replay_options){.tree = true, .device = REPLAY_HOST});
	run_small();
	did(STREAM, L, 5, 99);
	device_case_finish();
	check(function(MAIN)->cost, COST(1, 1, 30, 110));
	check(function(F)->cost, COST(1, 1, 40, 70));
	ck_assert_uint_eq(device_case_profile->function_count, 3);
	ck_assert_uint_eq(device_case_profile->total_ns, 110);
	ck_assert(!profile_has_device(device_case_profile));
	ck_assert_uint_eq(device_case_trace->losses[LOSS_UNMATCHED], 0);
}
END_TEST

START_TEST(work_without_a_launch_has_no_caller_and_is_counted)
{
	on(T0, MAIN);
	did(STREAM, K, 40, 7); /* nothing was launched yet */
	launch(T0, 1);
	did(STREAM, K, 50, 2);
	did(STREAM, K, 60, 0);
	did(OTHER_STREAM, K, 70, 1); /* of another process */
	did(STREAM, K, 80, 1);
	on(T0, END);
	device_case_finish();
	check(function(K)->cost, COST(5, 5, 300, 300));
	check(function(K)->root, COST(4, 4, 220, 220));
	check(edge(MAIN, K), COST(1, 1, 80, 80));
	check_device(MAIN, 80, 80);
	ck_assert_uint_eq(device_case_trace->losses[LOSS_UNMATCHED], 4);
	ck_assert_uint_eq(device_case_profile->unmatched, 4);
}
END_TEST

START_TEST(equal_ids_of_two_processes_are_two_launches)
{
	on(T0, F);
	launch(T0, 1);
	on(OTHER, G);
	launch(OTHER, 1);
	did(STREAM, K, 3, 1);
	did(OTHER_STREAM, K, 40, 1);
	on(T0, END);
	on(OTHER, END);
	device_case_finish();
	check(edge(F, K), COST(1, 1, 3, 3));
	check(edge(G, K), COST(1, 1, 40, 40));
}
END_TEST

START_TEST(without_a_range_around_it_the_call_itself_launches)
{
	launch(T0, 1);
	on(T0, LAUNCH);
	on(T0, DRIVER);
	correlate(T0, 2);
	on(T0, END);
	on(T0, END);
	correlate(T1, 3); /* no call is known at all */
	did(STREAM, K, 5, 1);
	did(STREAM, K, 60, 2);
	did(STREAM, K, 700, 3);
	device_case_finish();
	check(edge(LAUNCH, K), COST(1, 1, 5, 5));
	check(edge(DRIVER, K), COST(1, 1, 60, 60));
	check(function(K)->root, COST(1, 1, 700, 700));
	check_device(LAUNCH, 5, 65);
	ck_assert_uint_eq(device_case_trace->losses[LOSS_UNMATCHED], 0);
}
END_TEST

START_TEST(nested_calls_of_the_api_launch_for_their_caller)
{
	on(T0, F);
	on(T0, LAUNCH);
	on(T0, DRIVER);
	correlate(T0, 1);
	on(T0, END);
	on(T0, END);
	on(T0, END);
	did(STREAM, K, 9, 1);
	device_case_finish();
	check(edge(F, K), COST(1, 1, 9, 9));
	check_device(F, 9, 9);
	check_device(LAUNCH, 0, 0);
	check_device(DRIVER, 0, 0);
}
END_TEST

START_TEST(a_graph_owns_many_activities)
{
	uint64_t sum = 0;

	on(T0, MAIN);
	for (uint64_t round = 1; round <= 3; round++) {
		launch(T0, round);
		for (uint64_t i = 1; i <= 1000; i++) {
			did(STREAM, i % 2 == 0 ? K : L, i, round);
			sum += i;
		}
	}
	on(T0, END);
	device_case_finish();
	check_device(MAIN, sum, sum);
	ck_assert_uint_eq(edge(MAIN, K).ncalls, 1500);
	ck_assert_uint_eq(edge(MAIN, L).ncalls, 1500);
	ck_assert_uint_eq(device_case_trace->losses[LOSS_UNMATCHED], 0);
}
END_TEST

START_TEST(waiting_and_overhead_are_not_work)
{
	on(T0, MAIN);
	launch(T0, 1);
	did(STREAM, SYNC, 1000, 1);
	did(STREAM, OVERHEAD, 1000, 0);
	did(STREAM, LAUNCH, 1000, 1);
	did(CALLS, LAUNCH, 1000, 1);
	did(CALLS, K, 1000, 1); /* a host's track is not a device's */
	on(T0, END);
	device_case_finish();
	ck_assert_uint_eq(device_case_profile->function_count, 2);
	check(function(MAIN)->cost, COST(1, 1, 20, 30));
	ck_assert(!profile_has_device(device_case_profile));
	ck_assert_uint_eq(device_case_trace->losses[LOSS_UNMATCHED], 0);
}
END_TEST

/* The launch was in a range that is over, while another of the same function is
 * open. */
START_TEST(a_launch_keeps_its_context)
{
	on(T0, MAIN);
	on(T0, F);
	launch(T0, 1);
	on(T0, END);
	on(T0, G);
	on(T0, F);
	did(STREAM, K, 10, 1);
	on(T0, END);
	on(T0, END);
	on(T0, END);
	device_case_finish();
	check_device(G, 0, 0);
	check_device(F, 10, 10);
	check_device(MAIN, 0, 10);
}
END_TEST

/* f captures two nodes, the second of them in a call of the API; main launches
 * the graph twice. */
START_TEST(graph_work_counts_for_the_capturing_function)
{
	on(T0, MAIN);
	on(T0, F);
	capture(T0, 7);
	on(T0, DRIVER);
	capture(T0, 8);
	on(T0, END);
	on(T0, END);
	for (uint64_t round = 1; round <= 2; round++) {
		launch(T0, round);
		ran(7, 100, round);
		ran(8, 20, round);
		ran(9, 3, round); /* nobody's */
	}
	on(T0, END);
	capture(T0, 9); /* outside of any range */
	ran(9, 1000, 1);
	device_case_finish();
	check_device(MAIN, 1246, 1246);
	check_device(F, 0, 0);
	ck_assert_uint_eq(function(F)->device.captured_ns, 240);
	ck_assert_uint_eq(function(MAIN)->device.captured_ns, 0);
	ck_assert_uint_eq(function(DRIVER)->device.captured_ns, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay_device");
	TCase *tests = tcase_create("replay_device");

	tcase_add_checked_fixture(
		tests, device_case_set_up, device_case_tear_down);
	tcase_add_test(tests, work_is_called_by_its_launcher);
	tcase_add_test(tests, functions_of_a_device_have_a_kind);
	tcase_add_test(tests, left_out_the_device_leaves_no_trace);
	tcase_add_test(
		tests, work_without_a_launch_has_no_caller_and_is_counted);
	tcase_add_test(tests, equal_ids_of_two_processes_are_two_launches);
	tcase_add_test(
		tests, without_a_range_around_it_the_call_itself_launches);
	tcase_add_test(tests, nested_calls_of_the_api_launch_for_their_caller);
	tcase_add_test(tests, a_graph_owns_many_activities);
	tcase_add_test(tests, waiting_and_overhead_are_not_work);
	tcase_add_test(tests, a_launch_keeps_its_context);
	tcase_add_test(tests, graph_work_counts_for_the_capturing_function);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
