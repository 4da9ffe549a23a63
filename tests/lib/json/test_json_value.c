/* SPDX-License-Identifier: MIT */
/* JSON numbers to the last digit, and unescaped strings. */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "json/json_value.h"
#include "support/run_suite.h"

static void expect_scaled(const char *text, int power, int64_t wanted)
{
	int64_t value = 0;

	ck_assert_msg(json_value_scaled(text, strlen(text), power, &value),
		"'%s' is refused", text);
	ck_assert_msg(value == wanted, "'%s' is %lld, not %lld", text,
		(long long)value, (long long)wanted);
}

START_TEST(decimals_are_exact)
{
	expect_scaled("0", 3, 0);
	expect_scaled("1.5", 3, 1500);
	expect_scaled("-1.5", 3, -1500);
	expect_scaled("1712345678901234.567", 3, INT64_C(1712345678901234567));
	expect_scaled("9223372036854775.807", 3, INT64_MAX);
	expect_scaled("-9223372036854775.808", 3, INT64_MIN);
	expect_scaled("1.0005", 3, 1001);
	expect_scaled("1.00049999999999999999999", 3, 1000);
	expect_scaled("-0.0005", 3, -1);
	expect_scaled("0.0004", 3, 0);
	expect_scaled("1e3", 0, 1000);
	expect_scaled("1.25E-2", 4, 125);
	expect_scaled("25e-1", 0, 3);
	expect_scaled(" +7 ", 0, 7);
	expect_scaled("0e999999999999999999999", 3, 0);
	expect_scaled("1e-999999999999999999999", 3, 0);
}
END_TEST

START_TEST(numbers_too_large_are_refused)
{
	static const char *const wrong[] = {"9223372036854775.808",
		"-9223372036854775.809", "1e30", "1e999999999", "", "-", " ",
		"abc", "1x", "++1", "+-1", "NaN"};
	int64_t value;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!json_value_scaled(
				      wrong[i], strlen(wrong[i]), 3, &value),
			"'%s' is taken", wrong[i]);
}
END_TEST

static void expect_unescaped(const char *text, const char *wanted)
{
	struct buffer out = BUFFER_INIT;

	ck_assert(json_value_unescape(text, strlen(text), &out));
	buffer_add_byte(&out, 0);
	ck_assert_str_eq((const char *)out.bytes, wanted);
	buffer_clear(&out);
}

START_TEST(escapes_are_undone)
{
	expect_unescaped("", "");
	expect_unescaped("plain", "plain");
	expect_unescaped("a\\nb\\\\\\\"\\/\\t", "a\nb\\\"/\t");
	expect_unescaped("\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac");
	expect_unescaped("\\ud83d\\ude00!", "\xf0\x9f\x98\x80!");
	expect_unescaped("\\ud83d!", "\\ud83d!");
	expect_unescaped("\\ude00", "\\ude00");
	expect_unescaped("\\q\\", "\\q\\");
	expect_unescaped("\\u12", "\\u12");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_value");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, decimals_are_exact);
	tcase_add_test(tcase, numbers_too_large_are_refused);
	tcase_add_test(tcase, escapes_are_undone);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
