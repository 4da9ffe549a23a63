/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>

#include "names/name_fit.h"
#include "support/run_suite.h"

START_TEST(text_is_cut_between_characters)
{
	static const struct {
		const char *text;
		unsigned places;
		size_t kept;
		bool cut;
	} cases[] = {{"abcd", 4, 4, false}, {"abcde", 4, 3, true},
		{"\xc3\xa9\xc3\xa9\xc3\xa9", 3, 6, false},
		{"\xc3\xa9\xc3\xa9\xc3\xa9", 2, 2, true},
		{"\xe4\xb8\xad\xe4\xb8\xad", 4, 6, false},
		{"\xe4\xb8\xad\xe4\xb8\xad", 3, 3, true}, {"a", 0, 0, true},
		{"", 0, 0, false}};
	bool cut;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;

		ck_assert_uint_eq(
			name_fit(text, strlen(text), cases[i].places, &cut),
			cases[i].kept);
		ck_assert_int_eq(cut, cases[i].cut);
	}
}
END_TEST

START_TEST(names_lose_first_what_tells_least)
{
	/* tests/formats/flamegraph/flame_browser.py has the same. */
	static const struct {
		const char *name;
		unsigned places;
		const char *shown;
	} cases[] = {{"a::b::f(int)", 12, "a::b::f(int)"},
		{"a::b::f(int)", 11, "a::b::f"},
		{"a::b::f(int)", 6, "\u2026b::f"},
		{"a::b::f(int)", 4, "\u2026f"},
		{"a::b::found(int)", 5, "found"},
		{"a::b::found(int)", 4, "fou\u2026"},
		{"void a::f<int, b::c>(int) const", 30, "a::f"},
		{"std::vector<a::b>::~vector()", 20, "std::vector::~vector"},
		{"a::(anonymous namespace)::f(b::c)", 30,
			"a::(anonymous namespace)::f"},
		{"a::b<c>::operator()(d) const", 20, "a::b::operator()"},
		{"a::operator<< <char>(b)", 14, "a::operator<<"},
		{"a::f(b::c)::{lambda(d::e)#1}::operator()() const", 40,
			"a::f::{lambda(d::e)#1}::operator()"},
		{"a::f(b::c)::{lambda(d::e)#1}::operator()() const", 31,
			"\u2026{lambda(d::e)#1}::operator()"},
		{"a::b::found::<c::d>", 7, "\u2026found"},
		{"a::b::found #2", 7, "\u2026found"},
		{"a::b::found<c::d> (e.rs:3)", 7, "\u2026found"},
		{"virtual thunk to a::f(int)", 24, "virtual thunk to a::f"},
		{"a::b::operator c::d()", 15, "\u2026operator c::d"},
		{"a::found: Backward", 16, "\u2026found: Backward"},
		{"InstantiateFunction a::f<b>", 10, "Instantia\u2026"},
		{"load::all the data", 10, "load::all\u2026"},
		{"plain(int)", 8, "plain(i\u2026"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer out = BUFFER_INIT;

		name_fit_add(&out, cases[i].name, cases[i].places);
		buffer_add_byte(&out, '\0');
		ck_assert_str_eq((const char *)out.bytes, cases[i].shown);
		buffer_clear(&out);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("name_fit");
	TCase *tests = tcase_create("name_fit");

	tcase_add_test(tests, text_is_cut_between_characters);
	tcase_add_test(tests, names_lose_first_what_tells_least);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
