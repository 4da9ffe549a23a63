/* SPDX-License-Identifier: MIT */
/* The writers of profiles: hand-computed cases, names that need escaping, no
 * calls at all, big numbers, and a full disk. */
#include <assert.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

/* Every format that writes profiles, except the one drawn by other programs. */
enum { WRITERS_MAX = 32 };
static const struct format *writers[WRITERS_MAX];

static int find_writers(void)
{
	int count = 0;

	for (const struct format *const *at = formats; *at != NULL; at++) {
		if ((*at)->write_profile == NULL || *at == &svg_format)
			continue;
		assert(count < WRITERS_MAX);
		writers[count++] = *at;
	}
	return count;
}

START_TEST(writing_twice_gives_the_same_bytes)
{
	char *first;
	size_t first_size;

	profile_case_recursion();
	profile_case_write(writers[_i]);
	first = profile_case_bytes;
	first_size = profile_case_size;
	profile_case_bytes = NULL;
	profile_case_write(writers[_i]);
	ck_assert_uint_eq(profile_case_size, first_size);
	ck_assert_mem_eq(profile_case_bytes, first, profile_case_size);
	free(first);
}
END_TEST

START_TEST(a_full_disk_shows_on_the_stream)
{
	FILE *out = fopen("/dev/full", "w");
	enum ctp_status status;

	ck_assert_ptr_nonnull(out);
	profile_case_recursion();
	ck_assert_int_eq(profile_sort(profile_case_profile, NULL), CTP_OK);
	status = writers[_i]->write_profile(
		out, profile_case_profile, NULL, NULL);
	ck_assert(status == CTP_OK || status == CTP_ERR_IO);
	ck_assert(fflush(out) != 0 || ferror(out) != 0);
	(void)fclose(out);
}
END_TEST

START_TEST(text_formats_hold_one_line_per_name_and_valid_utf8)
{
	profile_case_lone("new\nline", "new\nfile");
	profile_case_lone("\xe2\x80\xaetxt", "");
	profile_case_lone("\xff\x01 \x1b[2J", "");
	profile_case_write(writers[_i]);
	if (writers[_i]->binary)
		return;
	CASE_HAS("new line");
	CASE_HAS("\\u0001 ");
	CASE_HAS("\\u001b[2J");
	CASE_LACKS("\xff");
	CASE_LACKS("\x1b");
	CASE_LACKS("\xe2\x80\xae");
}
END_TEST

START_TEST(names_that_differ_only_in_bytes_lost_stay_two)
{
	profile_case_lone("x\xfe", "");
	profile_case_lone("x\xff", "");
	profile_case_write(writers[_i]);
	if (writers[_i]->binary)
		return; /* summed: see below */
	CASE_HAS("\\xfe");
	CASE_HAS("\\xff");
}
END_TEST

START_TEST(gprof_shows_mutual_recursion_as_a_cycle)
{
	profile_case_recursion();
	profile_case_write(&gprof_format);
	CASE_HAS(" 72.73     0.000000440     0.000000440          4     "
		 "0.000000110     0.000000605  f\n");
	CASE_HAS("<spontaneous>\n[1]    100.00     0.000000000     "
		 "0.000000605          1            <all threads> [1]\n");
	CASE_HAS("0.000000110     0.000000495          1/1              "
		 "f <cycle 1> [3]\n----");
	CASE_HAS("\n[2]    100.00     0.000000605     0.000000000          1+6 "
		 "  "
		 "       <cycle 1 as a whole> [2]\n");
	CASE_HAS("\n[4]     81.82     0.000000165     0.000000330          3   "
		 "  "
		 "       g <cycle 1> [4]\n");
	ck_assert_str_eq(profile_case_bytes + profile_case_size - 3, "\n\f\n");
}
END_TEST

START_TEST(gprof_shows_direct_recursion_after_a_plus)
{
	uint32_t f = profile_case_function(
		"f", "r.c", (struct profile_cost){5, 1, 50, 50});

	profile_case_profile->functions[f].root =
		(struct profile_cost){1, 1, 10, 50};
	profile_case_edge(f, f, (struct profile_cost){4, 1, 40, 40});
	profile_case_write(&gprof_format);
	CASE_HAS("         1/1              f [2]\n");
	CASE_HAS("         1+4          f [2]\n");
	CASE_LACKS("cycle");
}
END_TEST

START_TEST(gprof_names_cannot_be_taken_for_its_own_marks)
{
	profile_case_lone("x <cycle 2>", "");
	profile_case_lone("a [3]", "");
	profile_case_lone("123", "");
	profile_case_lone("[]", "");
	profile_case_write(&gprof_format);
	CASE_HAS(" x (cycle 2> [");
	CASE_HAS(" a (3) [");
	CASE_HAS(" 123() [");
	CASE_HAS(" [] [");
}
END_TEST

START_TEST(gprof_of_no_calls_has_all_its_parts)
{
	profile_case_write(&gprof_format);
	CASE_HAS("Flat profile:");
	CASE_HAS("[1]    100.00     0.000000000     0.000000000          1");
	CASE_HAS("\n\f\n");
}
END_TEST

START_TEST(callgrind_has_own_costs_and_inclusive_ones_of_calls)
{
	profile_case_recursion();
	profile_case_write(&callgrind_format);
	ck_assert_int_eq(
		strncmp(profile_case_bytes, "# callgrind format\n", 19), 0);
	CASE_HAS("\npositions: line\nevents: ns\nsummary: 605\n");
	CASE_HAS("\nfn=(1) <all threads>\n0 0\ncfi=(2) r.c\ncfn=(2) f\n"
		 "calls=1 7\n0 605\n\nfl=(2)\nfn=(2)\n7 440\n");
	CASE_HAS("7 440\ncfi=(2)\ncfn=(3) g\ncalls=3 7\n7 495\n");
	CASE_HAS("\nfn=(3)\n7 165\ncfi=(2)\ncfn=(2)\ncalls=3 7\n7 440\n");
	CASE_HAS("\ntotals: 605\n");
}
END_TEST

START_TEST(callgrind_distinguishes_functions_of_the_same_name)
{
	profile_case_lone("same", "dir/a.c");
	profile_case_lone("same", "dir/b.c");
	profile_case_lone("same", "other/b.c");
	profile_case_lone("", "");
	profile_case_write(&callgrind_format);
	CASE_HAS("same (a.c:7)\n");
	CASE_HAS("same (b.c:7)\n");
	CASE_HAS("same (b.c:7) #2\n");
	CASE_HAS(" (no name)\n");
	CASE_HAS(" other/b.c\n");
	CASE_HAS("=(1) ???\n");
}
END_TEST

/* Otherwise a small file that refers to one long name could use any amount of
 * memory. */
START_TEST(long_names_of_many_functions_are_cut)
{
	enum { LONG = 5000, CUT = 4095 };
	char name[LONG + 1];
	char wanted[CUT + 16];

	memset(name, 'n', LONG);
	memcpy(name + CUT, "\xc3\xa9", 2);
	name[LONG] = '\0';
	(void)snprintf(wanted, sizeof(wanted), "%.*s\xe2\x80\xa6 (a.c:7)\n",
		CUT, name);
	profile_case_lone(name, "dir/a.c");
	profile_case_write(&callgrind_format);
	ck_assert(profile_case_wrote(name, LONG));
	profile_case_lone(name, "dir/b.c");
	profile_case_write(&callgrind_format);
	ck_assert(profile_case_wrote(wanted, strlen(wanted)));
	ck_assert_uint_lt(profile_case_size, 2 * LONG);
}
END_TEST

START_TEST(folded_has_a_line_for_each_stack_with_time_of_its_own)
{
	uint32_t f = profile_case_function(
		"f", "a.c", (struct profile_cost){1, 1, 1, 9});
	uint32_t g = profile_case_function(
		"g", "a.c", (struct profile_cost){1, 1, 8, 8});
	uint32_t h =
		profile_case_function("h", "a.c", (struct profile_cost){0});
	uint32_t first = profile_case_node(0, f, 0);

	(void)profile_case_node(profile_case_node(first, h, 0), g, 3);
	(void)profile_case_node(first, g, UINT64_C(1) << 60);
	(void)profile_case_node(0, h, 0);
	profile_case_write(&folded_format);
	ck_assert_str_eq(
		profile_case_bytes, "f;g 1152921504606846976\nf;h;g 3\n");
}
END_TEST

START_TEST(folded_frames_hold_no_separator)
{
	profile_case_lone("a;b c", "");
	profile_case_lone("9", "");
	profile_case_write(&folded_format);
	ck_assert_str_eq(profile_case_bytes, "9 10\na:b c 10\n");
}
END_TEST

START_TEST(folded_of_no_calls_is_empty)
{
	profile_case_write(&folded_format);
	ck_assert_uint_eq(profile_case_size, 0);
}
END_TEST

START_TEST(dot_shows_shares_and_calls)
{
	profile_case_recursion();
	profile_case_write(&dot_format);
	CASE_HAS("\tn0 [label=\"f\\n100.00%\\n(72.73%)\\n4\xc3\x97\", "
		 "tooltip=\"f\\nr.c:7\", color=\"#ff0000\"];\n");
	CASE_HAS("\tn0 -> n1 [label=\"81.82%\\n3\xc3\x97\", ");
	CASE_HAS("\tn1 -> n0 [label=\"72.73%\\n3\xc3\x97\", ");
}
END_TEST

START_TEST(dot_names_long_functions_of_cpp_without_brackets)
{
	static const char name[] =
		"std::vector<ns::Class, std::allocator<ns::Class> "
		">::emplace_back<ns::Class>(ns::Class&&)";

	profile_case_lone(name, "");
	profile_case_write(&dot_format);
	CASE_HAS("label=\"std::vector::emplace_back\\n");
	CASE_HAS("tooltip=\"std::vector<ns::Class, std::allocator<ns::Class> "
		 ">::emplace_back<ns::Class>(ns::Class&amp;&amp;)\"");
}
END_TEST

START_TEST(dot_leaves_out_functions_below_its_limits)
{
	uint32_t big = profile_case_function("big", "",
		(struct profile_cost){
			.ncalls = 1, .tottime_ns = 9951, .cumtime_ns = 10000});
	uint32_t some = profile_case_function("some", "",
		(struct profile_cost){
			.ncalls = 1, .tottime_ns = 0, .cumtime_ns = 50});
	uint32_t few = profile_case_function("few", "",
		(struct profile_cost){
			.ncalls = 1, .tottime_ns = 49, .cumtime_ns = 49});

	profile_case_edge(big, some, (struct profile_cost){.cumtime_ns = 10});
	profile_case_edge(some, big, (struct profile_cost){.cumtime_ns = 9});
	profile_case_edge(big, few, (struct profile_cost){.cumtime_ns = 49});
	profile_case_write(&dot_format);
	CASE_HAS("\"some\\n");
	CASE_LACKS("few");
	CASE_HAS("\tn0 -> n1 ");
	CASE_LACKS("\tn1 -> n0 ");
	CASE_LACKS("n2");
}
END_TEST

START_TEST(dot_draws_at_most_60_functions)
{
	char name[16];

	for (unsigned i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "f%03u", i);
		profile_case_function(
			name, "", (struct profile_cost){.cumtime_ns = 100});
	}
	profile_case_write(&dot_format);
	CASE_HAS("\tn59 [label=\"f059\\n");
	CASE_LACKS("\tn60 ");
}
END_TEST

/* Calls from main to `count` functions of the same time. */
static void make_fan(unsigned count)
{
	uint32_t top = profile_case_function("main", "",
		(struct profile_cost){.ncalls = 1,
			.tottime_ns = 1000 - 100 * count,
			.cumtime_ns = 1000});
	char name[16];

	for (unsigned i = 0; i < count; i++) {
		struct profile_cost cost = {
			.ncalls = 1, .tottime_ns = 100, .cumtime_ns = 100};

		(void)snprintf(name, sizeof(name), "f%u", i);
		profile_case_edge(
			top, profile_case_function(name, "", cost), cost);
	}
}

START_TEST(dot_splits_ranks_of_more_than_5_functions)
{
	make_fan(7);
	profile_case_write(&dot_format);
	CASE_HAS("\t{rank=\"same\"; r0 [label=\"\", shape=\"point\", "
		 "style=\"invis\"]; n0;}\n");
	CASE_HAS("style=\"invis\"]; n1; n2; n3; n4;}\n"
		 "\tr0 -> r1 [style=\"invis\"];\n");
	CASE_HAS("style=\"invis\"]; n5; n6; n7;}\n"
		 "\tr1 -> r2 [style=\"invis\"];\n");
	CASE_HAS("\tn0 -> n7 ");
	CASE_LACKS("constraint");
}
END_TEST

START_TEST(dot_leaves_narrow_ranks_to_graphviz)
{
	make_fan(5);
	profile_case_write(&dot_format);
	CASE_HAS("\tn0 -> n5 ");
	CASE_LACKS("rank=");
}
END_TEST

START_TEST(dot_lets_calls_back_up_cross_split_ranks)
{
	make_fan(7);
	profile_case_edge(3, 0, (struct profile_cost){.cumtime_ns = 50});
	profile_case_write(&dot_format);
	CASE_HAS("\tn3 -> n0 [label=\"5.00%");
	CASE_HAS("constraint=\"false\"];\n");
}
END_TEST

START_TEST(dot_escapes_characters_of_graphviz)
{
	profile_case_lone("\"q\"", "");
	profile_case_lone("a\\N", "");
	profile_case_lone("&lt;<b>", "");
	profile_case_write(&dot_format);
	CASE_HAS("label=\"\\\"q\\\"\\n");
	CASE_HAS("label=\"a\\\\N\\n");
	CASE_HAS("label=\"&amp;lt;<b>\\n");
}
END_TEST

START_TEST(dot_shortens_long_names_between_characters)
{
	char name[3001];

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = i % 2 == 0 ? '\xc3' : '\xa9';
	name[sizeof(name) - 1] = '\0';
	name[0] = name[1] = 'a';
	name[2998] = name[2999] = 'z';
	profile_case_lone(name, "");
	profile_case_write(&dot_format);
	CASE_HAS("label=\"aa\xc3\xa9");
	CASE_HAS("\xa9\xe2\x80\xa6\xc3");
	CASE_HAS("\xa9zz\\n");
	ck_assert_uint_lt(profile_case_size, 3000);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("profile_formats");
	TCase *tests = tcase_create("profile_formats");
	int count = find_writers();

	tcase_add_checked_fixture(
		tests, profile_case_set_up, profile_case_tear_down);
	tcase_add_loop_test(
		tests, writing_twice_gives_the_same_bytes, 0, count);
	tcase_add_loop_test(tests, a_full_disk_shows_on_the_stream, 0, count);
	tcase_add_loop_test(tests,
		text_formats_hold_one_line_per_name_and_valid_utf8, 0, count);
	tcase_add_loop_test(
		tests, names_that_differ_only_in_bytes_lost_stay_two, 0, count);
	tcase_add_test(tests, gprof_shows_mutual_recursion_as_a_cycle);
	tcase_add_test(tests, gprof_shows_direct_recursion_after_a_plus);
	tcase_add_test(tests, gprof_names_cannot_be_taken_for_its_own_marks);
	tcase_add_test(tests, gprof_of_no_calls_has_all_its_parts);
	tcase_add_test(
		tests, callgrind_has_own_costs_and_inclusive_ones_of_calls);
	tcase_add_test(
		tests, callgrind_distinguishes_functions_of_the_same_name);
	tcase_add_test(tests, long_names_of_many_functions_are_cut);
	tcase_add_test(
		tests, folded_has_a_line_for_each_stack_with_time_of_its_own);
	tcase_add_test(tests, folded_frames_hold_no_separator);
	tcase_add_test(tests, folded_of_no_calls_is_empty);
	tcase_add_test(tests, dot_shows_shares_and_calls);
	tcase_add_test(tests, dot_names_long_functions_of_cpp_without_brackets);
	tcase_add_test(tests, dot_leaves_out_functions_below_its_limits);
	tcase_add_test(tests, dot_draws_at_most_60_functions);
	tcase_add_test(tests, dot_splits_ranks_of_more_than_5_functions);
	tcase_add_test(tests, dot_leaves_narrow_ranks_to_graphviz);
	tcase_add_test(tests, dot_lets_calls_back_up_cross_split_ranks);
	tcase_add_test(tests, dot_escapes_characters_of_graphviz);
	tcase_add_test(tests, dot_shortens_long_names_between_characters);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
