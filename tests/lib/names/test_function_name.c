/* SPDX-License-Identifier: MIT */
/* Short names, from names as libstdc++'s demangler prints them. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/function_name.h"
#include "support/run_suite.h"

struct pair {
	const char *name;
	const char *expected;
};

/* clang-format off */
static const struct pair pairs[] = {
	/* C names, and texts that are not names of C++. */
	{"main", "main"},
	{"memcpy@plt", "memcpy@plt"},
	{"f.part.0", "f.part.0"},
	{"_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main"},
	{"", ""},
	{"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
		"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt"},
	{"(x)", "(x)"},
	{"(((", "((("},
	{"a b ", "a b "},
	/* Parameters and qualifiers. */
	{"f()", "f"},
	{"f(int, char)", "f"},
	{"ns::Class::method(int, char) const", "ns::Class::method"},
	{"A::f() volatile", "A::f"},
	{"A::f() const &", "A::f"},
	{"A::f() &&", "A::f"},
	{"f(void (*)(int), int (*)[3])", "f"},
	{"f(std::vector<int, std::allocator<int> > const&)", "f"},
	{"f(A<(B)1>)", "f"},
	{"A::A(A&&)", "A::A"},
	{"A<int>::A(A<int> const&)", "A::A"},
	{"A::~A()", "A::~A"},
	{"std::vector<A, std::allocator<A> >::~vector()", "std::vector::~vector"},
	{"f[abi:cxx11](int)", "f[abi:cxx11]"},
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<"
	 "char> >::_M_append(char const*, unsigned long)",
		"std::__cxx11::basic_string::_M_append"},
	/* Return types and template arguments. */
	{"void f<int>(int)", "f"},
	{"unsigned long const& f<unsigned long>(unsigned long const&)", "f"},
	{"std::vector<int, std::allocator<int> > make<int>(int)", "make"},
	{"std::vector<int, std::allocator<int> >::push_back(int const&)",
		"std::vector::push_back"},
	{"std::enable_if<((sizeof (int))>(4)), int>::type g<int>(int)", "g"},
	{"std::function<int (char)> h<char>()", "h"},
	{"decltype ((parm#1)+(1)) add<int>(int)", "add"},
	{"decltype(auto) forward<int>(int&&)", "forward"},
	{"auto twice<int>(int)", "twice"},
	{"void ns::f<&ns::g>()", "ns::f"},
	{"void f<(char)40, (char)60>()", "f"},
	{"A<((1)>(0))>::f()", "A::f"},
	{"A<&(B::operator>(int))>::f()", "A::f"},
	{"A<&B::operator> >::f()", "A::f"},
	{"int A<int>::B<char>::f<long>(long)", "A::B::f"},
	{"std::_Rb_tree<int, std::pair<int const, int>, std::_Select1st<std::pair"
	 "<int const, int> >, std::less<int>, std::allocator<std::pair<int const, "
	 "int> > >::_M_erase(std::_Rb_tree_node<std::pair<int const, int> >*)",
		"std::_Rb_tree::_M_erase"},
	{"void (*pick<int>(int))(char)", "pick"},
	{"int (&array<int>(int))[3]", "array"},
	{"void (A::*member<int>())(int)", "member"},
	{"void (*(*twice<int>(int))(char))(long)", "twice"},
	/* Operators. */
	{"operator<<(std::ostream&, Foo const&)", "operator<<"},
	{"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, "
	 "char const*)", "std::operator<<"},
	{"bool operator< <int>(A<int>)", "operator<"},
	{"operator<(A, B)", "operator<"},
	{"operator>(A, B)", "operator>"},
	{"operator>>(A, int)", "operator>>"},
	{"operator<=>(A const&, A const&)", "operator<=>"},
	{"A::operator()(int) const", "A::operator()"},
	{"void A::operator()<int>(int) const", "A::operator()"},
	{"A::operator->() const", "A::operator->"},
	{"A::operator->*(int)", "A::operator->*"},
	{"A::operator[](unsigned long)", "A::operator[]"},
	{"operator,(A, B)", "operator,"},
	{"operator new(unsigned long)", "operator new"},
	{"operator new[](unsigned long, std::nothrow_t const&)",
		"operator new[]"},
	{"A::operator delete(void*)", "A::operator delete"},
	{"operator delete[](void*, unsigned long)", "operator delete[]"},
	{"A::operator bool() const", "A::operator bool"},
	{"A::operator char const*() const", "A::operator char const*"},
	{"A::operator std::vector<int, std::allocator<int> >()",
		"A::operator std::vector"},
	{"A::operator void (*)(int)() const", "A::operator void (*)(int)"},
	{"operator\"\" _km(long double)", "operator\"\" _km"},
	{"my_operator(int)", "my_operator"},
	{"operators::f(int)", "operators::f"},
	/* Lambdas, local and unnamed things. */
	{"main::{lambda()#1}::operator()() const",
		"main::{lambda()#1}::operator()"},
	{"main::{lambda(int, A<int>)#2}::operator()(int, A<int>) const",
		"main::{lambda(int, A<int>)#2}::operator()"},
	{"f(int)::{lambda()#1}::operator()() const",
		"f::{lambda()#1}::operator()"},
	{"A::f() const::{lambda()#1}::operator()() const",
		"A::f::{lambda()#1}::operator()"},
	{"auto f<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
		"f::{lambda(auto:1)#1}::operator()"},
	{"main::{lambda()#1}::_FUN()", "main::{lambda()#1}::_FUN"},
	{"main::'lambda'(int)::operator()(int) const",
		"main::'lambda'::operator()"},
	{"main::$_0::operator()(int) const", "main::$_0::operator()"},
	{"f()::Local::g()", "f::Local::g"},
	{"f(A const&)::{unnamed type#1}::g()", "f::{unnamed type#1}::g"},
	{"std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke("
	 "std::_Any_data const&)", "std::_Function_handler::_M_invoke"},
	{"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
	{"ns::(anonymous namespace)::A<int>::g<char>()",
		"ns::(anonymous namespace)::A::g"},
	{"void (anonymous namespace)::f<(anonymous namespace)::A>()",
		"(anonymous namespace)::f"},
	/* Rust's: arguments, and scopes. */
	{"core::ptr::drop_in_place::<alloc::string::String>",
		"core::ptr::drop_in_place"},
	{"<alloc::vec::Vec<T> as core::ops::Drop>::drop::<a::B>",
		"<alloc::vec::Vec<T> as core::ops::Drop>::drop"},
	{"std::rt::lang_start::<()>::{closure#0}",
		"std::rt::lang_start::{closure#0}"},
	{"core::fmt::<impl core::fmt::Display for u32>::fmt",
		"core::fmt::<impl core::fmt::Display for u32>::fmt"},
	/* Additions of labels, and PyTorch's prefixes. */
	{"ns::f #2", "ns::f"},
	{"ns::f<a::b> (x.rs:3)", "ns::f"},
	{"void ns::f<int>(int) (x.c:3) #2", "ns::f"},
	{"autograd::engine::evaluate_function: AddBackward0",
		"autograd::engine::evaluate_function: AddBackward0"},
	/* gcc's variants of functions, and names that replace others. */
	{"f(int) [clone .constprop.0]", "f"},
	{"A<int>::f() const [clone .isra.0] [clone .cold]", "A::f"},
	{"ns::f [clone .part.0]", "ns::f"},
	{"non-virtual thunk to A::f(int)", "non-virtual thunk to A::f"},
	{"virtual thunk to A<int>::~A()", "virtual thunk to A::~A"},
	{"TLS init function for ns::x", "TLS init function for ns::x"},
};
/* clang-format on */

static char *shorten(const char *name, size_t size)
{
	struct buffer out = BUFFER_INIT;

	buffer_add_text(&out, "before ");
	function_name_add_short(&out, name, size);
	buffer_add_byte(&out, '\0');
	ck_assert(!out.failed);
	ck_assert_int_eq(strncmp((char *)out.bytes, "before ", 7), 0);
	memmove(out.bytes, out.bytes + 7, out.used - 7);
	return (char *)out.bytes;
}

/* `_i` is the pair. */
START_TEST(a_short_name_has_no_parameters_return_type_or_arguments)
{
	char *name = shorten(pairs[_i].name, strlen(pairs[_i].name));

	ck_assert_str_eq(name, pairs[_i].expected);
	free(name);
}
END_TEST

START_TEST(a_short_name_stays_as_it_is)
{
	char *name = shorten(pairs[_i].expected, strlen(pairs[_i].expected));

	/* The type of a conversion may end in its own brackets. */
	if (strstr(name, "operator void") == NULL)
		ck_assert_str_eq(name, pairs[_i].expected);
	free(name);
}
END_TEST

static uint64_t random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return *state >> 33;
}

static bool has_scopes(const char *name)
{
	return function_name_has_scopes(name, strlen(name));
}

/* Each scope shortens the name, down to the one without a scope. */
static void check_scopes(const char *name)
{
	const char *end = name + strlen(name);

	for (const char *inner;
		(inner = function_name_inner(name, end)) != NULL; name = inner)
		ck_assert(inner >= name + 2 && inner <= end);
}

START_TEST(scopes_are_taken_off_one_by_one)
{
	const char *name = "a::(anonymous namespace)::{lambda(b::c)#1}::"
			   "operator()";
	const char *end = name + strlen(name);

	ck_assert(has_scopes(name));
	name = function_name_inner(name, end);
	name = function_name_inner(name, end);
	ck_assert_str_eq(name, "{lambda(b::c)#1}::operator()");
	name = function_name_inner(name, end);
	ck_assert_str_eq(name, "operator()");
	ck_assert_ptr_null(function_name_inner(name, end));
	ck_assert(!has_scopes("main"));
	ck_assert(!has_scopes("InstantiateFunction a::f<b>"));
	ck_assert(!has_scopes("load::all the data"));
	ck_assert(has_scopes("void a::f<b>(c)"));
	ck_assert(has_scopes("a::f<b, c>::g"));
}
END_TEST

/* Random texts of the pieces that have a meaning, cut anywhere: nothing is read
 * beyond the end (which valgrind and sanitizers see), and a name never becomes
 * empty. */
START_TEST(no_text_is_too_strange)
{
	static const char *const pieces[] = {"(", ")", "<", ">", "{", "}", " ",
		"::", "operator", "operator<", "operator()", "*", "&", "f",
		"(anonymous namespace)", "decltype", " const", " [clone", "-",
		"'", "[", "]", "(*", "\xff", "$", "lambda", ",",
		"A::", "<impl ", " #", ": "};
	uint64_t state = 1;

	for (int round = 0; round < 30000; round++) {
		size_t count = random_number(&state) % 24;
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		char *name;
		char *exact;

		while (count-- > 0)
			fputs(pieces[random_number(&state) %
				      (sizeof(pieces) / sizeof(pieces[0]))],
				out);
		(void)fclose(out);
		exact = malloc(size + 1); /* without the zero byte */
		ck_assert_ptr_nonnull(exact);
		memcpy(exact, text, size);
		exact = realloc(exact, size == 0 ? 1 : size);
		name = shorten(exact, size);
		check_scopes(name);
		ck_assert_uint_le(strlen(name), size);
		ck_assert_int_eq(name[0] == '\0', size == 0);
		free(name);
		free(exact);
		free(text);
	}
}
END_TEST

/* A megabyte of text that must be scanned ahead would take minutes if it were
 * scanned again from each place. */
START_TEST(long_nonsense_takes_no_time)
{
	static const char *const units[] = {"(", "<", "(*", "(<", "(<)", "{",
		"x(", "operator<", "(*<", "<(", "a::(", "(a*)", "a::", "a::<",
		"a::<>", " (*", "a (", "a: "};
	size_t size = 1000000;
	char *text = malloc(size);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t unit = strlen(units[i]);
		char *name;

		for (size_t at = 0; at < size; at++)
			text[at] = units[i][at % unit];
		name = shorten(text, size);
		check_scopes(name);
		ck_assert_uint_gt(strlen(name), 0);
		free(name);
	}
	free(text);
}
END_TEST

static const char *const placeless[] = {
	"",
	"f",
	"): ",
	"(1): f",
	"a(): f",
	"a(1): ",
	"a(1):f",
	"a1): f",
	"a(-1): f",
	"a(4294967296): f",
	"a(99999999999999999999999999): f",
	"nn.Module: Linear_0",
};

START_TEST(a_name_of_python_has_its_place)
{
	struct function_place place;

	ck_assert(function_name_find_place(
		"torch/nn/functional.py(12): linear", &place));
	ck_assert_str_eq(place.name, "linear");
	ck_assert_uint_eq(place.file_size, strlen("torch/nn/functional.py"));
	ck_assert_uint_eq(place.line, 12);
	ck_assert(function_name_find_place(
		"<frozen os>(4294967295): f(1): g", &place));
	ck_assert_str_eq(place.name, "f(1): g");
	ck_assert_uint_eq(place.line, UINT32_MAX);
	for (size_t i = 0; i < sizeof(placeless) / sizeof(*placeless); i++)
		ck_assert(!function_name_find_place(placeless[i], &place));
}
END_TEST

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

		ck_assert_uint_eq(function_name_fit(text, strlen(text),
					  cases[i].places, &cut),
			cases[i].kept);
		ck_assert_int_eq(cut, cases[i].cut);
	}
}
END_TEST

START_TEST(names_lose_arguments_then_scopes_then_letters)
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

		function_name_add_fit(&out, cases[i].name, cases[i].places);
		buffer_add_byte(&out, '\0');
		ck_assert_str_eq((const char *)out.bytes, cases[i].shown);
		buffer_clear(&out);
	}
}
END_TEST

static TCase *make_names(void)
{
	TCase *tests = tcase_create("names");
	int count = (int)(sizeof(pairs) / sizeof(pairs[0]));

	tcase_add_loop_test(tests,
		a_short_name_has_no_parameters_return_type_or_arguments, 0,
		count);
	tcase_add_loop_test(tests, a_short_name_stays_as_it_is, 0, count);
	tcase_add_test(tests, a_name_of_python_has_its_place);
	tcase_add_test(tests, scopes_are_taken_off_one_by_one);
	tcase_add_test(tests, text_is_cut_between_characters);
	tcase_add_test(tests, names_lose_arguments_then_scopes_then_letters);
	tcase_add_test(tests, no_text_is_too_strange);
	tcase_add_test(tests, long_nonsense_takes_no_time);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("function_name");

	suite_add_tcase(suite, make_names());
	return run_suite(suite);
}
