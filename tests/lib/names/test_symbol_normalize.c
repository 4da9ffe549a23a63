/* SPDX-License-Identifier: MIT */
/* Names in the form in which runs are compared. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "names/symbol_normalize.h"
#include "support/run_suite.h"

struct pair {
	const char *name;
	const char *expected;
};

#define HASH "cojq3b5hgyw2ll4gqj6vbk7nzd5n2xwqp7a3cw6rjhm5sfr2tbkd"

/* clang-format off */
static const struct pair names[] = {
	/* Names without anything to remove stay the same. */
	{"", ""},
	{"main", "main"},
	{"aten::add_", "aten::add_"},
	{"Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"},
	{"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"},
	{"int add(int, int)", "int add(int, int)"},
	{"<lambda>", "<lambda>"},
	{"f.<locals>.<listcomp>", "f.<locals>.<listcomp>"},
	{"<built-in method builtins.exec>", "<built-in method builtins.exec>"},
	{"A::operator<(A const&)", "A::operator<(A const&)"},
	{"A::operator()(int) const", "A::operator()(int) const"},
	{"enumerate(DataLoader)#_Iter.__next__",
		"enumerate(DataLoader)#_Iter.__next__"},
	{"cuda:0", "cuda:0"},
	{"a::1", "a::1"},
	/* Templates. */
	{"void k<4, at::native::Fill<float>, Array<char*, 1> >(int, Array)",
		"k"},
	{"void ns::(anonymous namespace)::k<half>(half*)",
		"ns::(anonymous namespace)::k"},
	{"void f<int>(int)::{lambda(int)#2}::operator()(int) const",
		"f::{lambda(int)#}::operator()(int) const"},
	{"std::vector<int, std::allocator<int> >::push_back(int const&)",
		"std::vector::push_back(int const&)"},
	{"InstantiateClass std::vector<int>", "InstantiateClass std::vector"},
	{"void f(int)", "void f(int)"},
	{"f<((1)>(0))>()", "f"},
	{"f<g", "f<g"},
	{"f<int>(a", "f(a"},
	{"a<a<a<a", "a<a<a<a"},
	/* Parts of functions. */
	{"sort.isra.0", "sort"},
	{"sort.constprop.0.cold", "sort"},
	{"sort [clone .part.3]", "sort"},
	{"sort.cold.7", "sort"},
	{"f.0", "f.0"},
	{".cold", ".cold"},
	/* Triton and Inductor. */
	{"add_kernel_0d1d2d3de", "add_kernel"},
	{"triton__0d1d2de", "triton_"},
	{"triton_poi_fused_add_relu_12", "triton_poi_fused_add_relu"},
	{"triton_poi_fused_add_1_0d1d2", "triton_poi_fused_add"},
	{"triton_", "triton_"},
	{"kernel_12", "kernel_12"},
	{"conv_1d", "conv_1d"},
	/* Addresses, hashes, counters, lines. */
	{"f at 0x7f12aB00>", "f at 0x#>"},
	{"0x10", "0x10"},
	{"k_1f3a9c0d2b_run", "k_#_run"},
	{"decade", "decade"},
	{"20260131", "20260131"},
	{HASH, "#"},
	{"abcdefghijklmnopqrstuvwxyzabcdefghijkl",
		"abcdefghijklmnopqrstuvwxyzabcdefghijkl"},
	{"ProfilerStep#15", "ProfilerStep#"},
	{"Optimizer.step#Adam.step", "Optimizer.step#Adam.step"},
	{"forward model.py:12 x", "forward model.py:# x"},
	{"model.py:12", "model.py:#"},
	{NULL, NULL},
};

static const struct pair files[] = {
	{"", ""},
	{"a.py", "a.py"},
	{"/usr/lib/python3.11/json/decoder.py",
		"/usr/lib/python3.11/json/decoder.py"},
	{"/t/inductor_me/oj/" HASH ".py", "/t/inductor_me/#/#.py"},
	{"/t/inductor_me/ok/" HASH ".py", "/t/inductor_me/ok/#.py"},
	{"oj/" HASH ".py", "oj/#.py"},
	{"/build-1f3a9c0d/a.c", "/build-#/a.c"},
	{NULL, NULL},
};
/* clang-format on */

static void check_pairs(const struct pair *pair,
	void (*normalize)(struct buffer *out, const char *text, size_t size))
{
	for (; pair->name != NULL; pair++) {
		struct buffer out = BUFFER_INIT;

		normalize(&out, pair->name, strlen(pair->name));
		buffer_add_byte(&out, '\0');
		ck_assert(!out.failed);
		ck_assert_str_eq((char *)out.bytes, pair->expected);
		buffer_clear(&out);
	}
}

START_TEST(names_lose_parts_that_vary_between_runs)
{
	check_pairs(names, symbol_normalize);
}
END_TEST

START_TEST(files_lose_their_hashes)
{
	check_pairs(files, symbol_normalize_file);
}
END_TEST

/* Otherwise normalized names would not match themselves. */
START_TEST(normal_names_stay)
{
	for (const struct pair *pair = names; pair->name != NULL; pair++) {
		const struct pair again[] = {
			{pair->expected, pair->expected}, {NULL, NULL}};

		check_pairs(again, symbol_normalize);
	}
}
END_TEST

START_TEST(brackets_that_never_close_take_linear_time)
{
	size_t size = 2000000;
	char *text = malloc(size);
	struct buffer out = BUFFER_INIT;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < size; i++)
		text[i] = "a<b>("[i % 5];
	symbol_normalize(&out, text, size);
	ck_assert(!out.failed);
	ck_assert_uint_gt(out.used, size / 2);
	buffer_clear(&out);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbol_normalize");
	TCase *tests = tcase_create("names");

	tcase_add_test(tests, names_lose_parts_that_vary_between_runs);
	tcase_add_test(tests, files_lose_their_hashes);
	tcase_add_test(tests, normal_names_stay);
	tcase_add_test(tests, brackets_that_never_close_take_linear_time);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
