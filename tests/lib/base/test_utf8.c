/* SPDX-License-Identifier: MIT */
/* base/utf8.[ch]. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "support/run_suite.h"

/* A copy on the heap, to the byte, so that a sanitizer sees reads beyond it. */
static size_t valid_prefix(const char *bytes, size_t size)
{
	char *copy = malloc(size == 0 ? 1 : size);
	size_t result;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, size);
	result = utf8_valid_prefix(copy, size);
	free(copy);
	return result;
}

static const char *const valid[] = {"", "plain", "\x7f", "\xc2\x80", "\xdf\xbf",
	"\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
	"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
	"gr\xc3\xb6\xc3\x9fter als acht", "01234567\xe2\x82\xac",
	"0123456\xe2\x82\xac", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80"};

START_TEST(valid_text_is_valid_to_its_end)
{
	size_t size = strlen(valid[_i]);

	ck_assert_uint_eq(valid_prefix(valid[_i], size), size);
}
END_TEST

START_TEST(invalid_bytes_are_found_anywhere)
{
	char text[80];

	memset(text, 'x', sizeof(text));
	for (size_t size = 1; size <= sizeof(text); size++)
		for (size_t at = 0; at < size; at++) {
			text[at] = '\x80';
			ck_assert_uint_eq(valid_prefix(text, size), at);
			text[at] = 'x';
			ck_assert_uint_eq(valid_prefix(text, size), size);
		}
}
END_TEST

START_TEST(a_zero_byte_is_valid)
{
	ck_assert_uint_eq(valid_prefix("a\0b", 3), 3);
}
END_TEST

struct invalid {
	const char *bytes;
	size_t prefix;  /* valid bytes before */
	size_t subpart; /* replaced together by one character */
};

static const struct invalid invalid[] = {
	/* Continuations and bytes that are never part of UTF-8. */
	{"\x80", 0, 1},
	{"a\xbf", 1, 1},
	{"01234567\xff", 8, 1},
	{"\xfe\xff", 0, 1},
	{"\xf5\x80\x80\x80", 0, 1},
	{"\xf8\x88\x80\x80\x80", 0, 1},
	/* Overlong forms. */
	{"\xc0\x80", 0, 1},
	{"\xc1\xbf", 0, 1},
	{"\xe0\x80\x80", 0, 1},
	{"\xe0\x9f\xbf", 0, 1},
	{"\xf0\x80\x80\x80", 0, 1},
	{"\xf0\x8f\xbf\xbf", 0, 1},
	/* Surrogates; over U+10FFFF. */
	{"\xed\xa0\x80", 0, 1},
	{"\xed\xbf\xbf", 0, 1},
	{"\xf4\x90\x80\x80", 0, 1},
	/* Cut off, at the end or by the next byte. */
	{"\xc2", 0, 1},
	{"ab\xe2\x82", 2, 2},
	{"\xe2", 0, 1},
	{"\xf0\x9f\x98", 0, 3},
	{"\xf0\x9f", 0, 2},
	{"\xc3(", 0, 1},
	{"\xe2\x82(", 0, 2},
	{"\xf0\x9f\x98(", 0, 3},
	{"\xe2\x82\xe2\x82\xac", 0, 2},
	{"\xc3\xa4\xf0\x9f\x98\xc3\xa4", 2, 3},
};

START_TEST(the_first_invalid_byte_is_found)
{
	const struct invalid *entry = &invalid[_i];
	size_t size = strlen(entry->bytes);

	ck_assert_uint_eq(valid_prefix(entry->bytes, size), entry->prefix);
	ck_assert_uint_eq(utf8_invalid_size(entry->bytes + entry->prefix,
				  size - entry->prefix),
		entry->subpart);
}
END_TEST

START_TEST(nothing_invalid_has_no_size)
{
	ck_assert_uint_eq(utf8_invalid_size("", 0), 0);
}
END_TEST

/* Straight from RFC 3629: encode every code point, and try all others. */
START_TEST(three_bytes_are_valid_exactly_if_a_character_encodes_so)
{
	static bool good[1 << 16];

	for (uint32_t point = 0x800; point < 0x10000; point++)
		if (point < 0xd800 || point > 0xdfff)
			good[point] = true;
	for (uint32_t point = 0; point < 0x10000; point++) {
		char bytes[3] = {(char)(0xe0 | point >> 12),
			(char)(0x80 | (point >> 6 & 0x3f)),
			(char)(0x80 | (point & 0x3f))};

		ck_assert_uint_eq(
			utf8_valid_prefix(bytes, 3), good[point] ? 3 : 0);
	}
}
END_TEST

static void check_valid(const char *bytes, size_t size, const char *expected,
	size_t replacements)
{
	struct buffer out = BUFFER_INIT;

	ck_assert_uint_eq(utf8_add_valid(&out, bytes, size), replacements);
	buffer_add_byte(&out, 0);
	ck_assert_str_eq((const char *)out.bytes, expected);
	buffer_clear(&out);
}

#define R UTF8_REPLACEMENT

START_TEST(invalid_bytes_are_replaced)
{
	check_valid("", 0, "", 0);
	check_valid("plain \xc3\xa4", 8, "plain \xc3\xa4", 0);
	check_valid("a\xff"
		    "b",
		3, "a" R "b", 1);
	check_valid("\xff\xff", 2, R R, 2);
	check_valid("\xe2\x82", 2, R, 1);
	check_valid("\xe2\x82\xe2\x82\xac\xe2", 6, R "\xe2\x82\xac" R, 2);
	/* Replaced as Python's errors="replace" and browsers do. */
	check_valid("\xed\xa0\x80", 3, R R R, 3);
	check_valid("\xc0\x80", 2, R R, 2);
	check_valid("\xf4\x90\x80\x80", 4, R R R R, 4);
	check_valid("\xf0\x9f\x98(", 4, R "(", 1);
}
END_TEST

static void check_printable(const char *bytes, const char *expected)
{
	struct buffer out = BUFFER_INIT;

	buffer_add_text(&out, "<");
	utf8_add_printable(&out, bytes, strlen(bytes));
	buffer_add(&out, ">", 2);
	ck_assert_str_eq((const char *)out.bytes, expected);
	buffer_clear(&out);
}

START_TEST(printable_text_is_one_line_of_characters)
{
	check_printable("", "<>");
	check_printable("void f(int)", "<void f(int)>");
	check_printable(" \t\n a \r\n b \v\f", "<a b>");
	check_printable("a\xc2\x85"
			"b\xe2\x80\xa8"
			"c\xe3\x80\x80",
		"<a b c>");
	check_printable("\xf0\x9f\x98\x80", "<\xf0\x9f\x98\x80>");
	check_printable("gr\xc3\xbc\xc3\x9f", "<gr\xc3\xbc\xc3\x9f>");
}
END_TEST

START_TEST(printable_text_escapes_other_characters)
{
	check_printable(
		"\x1b[31mred \x01 \x7f", "<\\u001b[31mred \\u0001 \\u007f>");
	check_printable("\xc2\x9b"
			"31m",
		"<\\u009b31m>");
	check_printable("\xe2\x80\xae"
			"c.exe\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
		"<\\u202ec.exe\\u2066\\u061c\\u200f>");
	check_printable("a\xff"
			"b\xe2\x82",
		"<a\\xffb\\xe2\\x82>");
	check_printable("\xef\xbf\xbf\xf4\x8f\xbf\xbf", "<\\uffff\\U0010ffff>");
	/* Neighbouring code points, which are text. */
	check_printable("\xe2\x80\xaf\xe2\x80\x8d.\xe2\x81\xaa\xe2\x81\xa5",
		"<\xe2\x80\x8d.\xe2\x81\xaa\xe2\x81\xa5>");
}
END_TEST

static bool is_raw(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
	       point == 0x61c || point == 0x200e || point == 0x200f ||
	       (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

/* Each character separately; a copy to the byte, for sanitizers. */
START_TEST(safe_text_ends_before_every_unsafe_character)
{
	for (uint32_t point = 0; point < 0x800; point++) {
		char bytes[2] = {(char)(0xc0 | point >> 6),
			(char)(0x80 | (point & 0x3f))};
		size_t size = point < 0x80 ? 1 : 2;

		if (point < 0x80)
			bytes[0] = (char)point;
		ck_assert_uint_eq(utf8_safe_prefix(bytes, size),
			is_raw(point) ? 0 : size);
	}
	for (uint32_t point = 0x2000; point < 0x2100; point++) {
		char bytes[3] = {(char)0xe2, (char)(0x80 | (point >> 6 & 0x3f)),
			(char)(0x80 | (point & 0x3f))};

		ck_assert_uint_eq(
			utf8_safe_prefix(bytes, 3), is_raw(point) ? 0 : 3);
	}
}
END_TEST

/* For any input, the output is valid. */
START_TEST(any_bytes_come_out_valid)
{
	uint32_t state = 1;

	for (int round = 0; round < 20000; round++) {
		struct buffer out = BUFFER_INIT;
		char bytes[24];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			state = state * 1664525 + 1013904223;
			bytes[i] = (char)(state >> 24 | (state >> 9 & 0xc0));
		}
		(void)utf8_add_valid(&out, bytes, sizeof(bytes));
		ck_assert_uint_eq(
			utf8_valid_prefix((const char *)out.bytes, out.used),
			out.used);
		out.used = 0;
		utf8_add_printable(&out, bytes, sizeof(bytes));
		ck_assert_uint_eq(
			utf8_valid_prefix((const char *)out.bytes, out.used),
			out.used);
		buffer_clear(&out);
	}
}
END_TEST

START_TEST(invisible_characters_are_not_visible)
{
	static const char *const hidden[] = {"", " ", "\t\n", "\xc2\xa0",
		"\xe2\x80\x8b", " \xef\xbb\xbf\xe2\x81\xa0\xe3\x80\x80"};
	static const char *const visible[] = {"a", " a", "\xe2\x80\x8b.",
		"\xc3\xa9", "\x80", "\xf0\x9f", "\x7f", " \xe2\x80\xae"};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		ck_assert(!utf8_is_visible(hidden[i], strlen(hidden[i])));
	for (size_t i = 0; i < sizeof(visible) / sizeof(visible[0]); i++)
		ck_assert(utf8_is_visible(visible[i], strlen(visible[i])));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("utf8");
	TCase *tests = tcase_create("utf8");

	tcase_add_loop_test(tests, valid_text_is_valid_to_its_end, 0,
		sizeof(valid) / sizeof(valid[0]));
	tcase_add_test(tests, invalid_bytes_are_found_anywhere);
	tcase_add_test(tests, a_zero_byte_is_valid);
	tcase_add_loop_test(tests, the_first_invalid_byte_is_found, 0,
		sizeof(invalid) / sizeof(invalid[0]));
	tcase_add_test(tests, nothing_invalid_has_no_size);
	tcase_add_test(
		tests, three_bytes_are_valid_exactly_if_a_character_encodes_so);
	tcase_add_test(tests, invalid_bytes_are_replaced);
	tcase_add_test(tests, printable_text_is_one_line_of_characters);
	tcase_add_test(tests, printable_text_escapes_other_characters);
	tcase_add_test(tests, safe_text_ends_before_every_unsafe_character);
	tcase_add_test(tests, any_bytes_come_out_valid);
	tcase_add_test(tests, invisible_characters_are_not_visible);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
