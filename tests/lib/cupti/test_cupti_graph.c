/* SPDX-License-Identifier: MIT */
/* lib/cupti/cupti_graph.[ch]. */
#include <check.h>

#include "cupti/cupti_graph.h"
#include "support/run_suite.h"

/* The limit of nodes; all tests share one set. */
#define KEPT (UINT64_C(1) << 20)
#define FIRST 100 /* of those that are many */
#define MORE 10

START_TEST(a_node_is_identified_by_its_original)
{
	cupti_graph_created(7);
	cupti_graph_cloned(8, 7);
	cupti_graph_cloned(9, 8);
	ck_assert_uint_eq(cupti_graph_captured(7), 7);
	ck_assert_uint_eq(cupti_graph_captured(9), 7);
}
END_TEST

START_TEST(a_copy_of_an_unknown_module_is_unknown)
{
	cupti_graph_cloned(18, 17);
	ck_assert_uint_eq(cupti_graph_captured(18), 0);
	ck_assert_uint_eq(cupti_graph_left_out(), 0);
}
END_TEST

START_TEST(nodes_without_room_are_counted)
{
	const uint64_t last = FIRST + KEPT + MORE;

	for (uint64_t node = FIRST; node < last; node++)
		cupti_graph_created(node);
	cupti_graph_cloned(last, FIRST);
	ck_assert_uint_gt(cupti_graph_left_out(), MORE);
	ck_assert_uint_lt(cupti_graph_left_out(), FIRST);
	ck_assert_uint_eq(cupti_graph_captured(FIRST), FIRST);
	ck_assert_uint_eq(cupti_graph_captured(last - 1), 0);
	ck_assert_uint_eq(cupti_graph_captured(last), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cupti_graph");
	TCase *tests = tcase_create("cupti_graph");

	tcase_add_test(tests, a_node_is_identified_by_its_original);
	tcase_add_test(tests, a_copy_of_an_unknown_module_is_unknown);
	tcase_add_test(tests, nodes_without_room_are_counted);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
