/* SPDX-License-Identifier: MIT */
/* json/json.[ch]: the output is valid JSON for any input. */
#include <check.h>
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/json_value.h"
#include "support/run_suite.h"

static struct json json;

static void setup(void)
{
	ck_assert(json_init(&json, NULL));
}

static void teardown(void)
{
	json_clear(&json);
}

/* Compares and clears the output. */
static void expect(const char *text)
{
	ck_assert(!json.failed);
	json_raw(&json, "", 1);
	ck_assert_str_eq(json.bytes, text);
	json.used = 0;
	json.comma = false;
}

START_TEST(items_get_commas_where_they_belong)
{
	json_begin(&json, '{');
	json_key(&json, "empty");
	json_begin(&json, '[');
	json_end(&json, ']');
	json_key(&json, "rows");
	json_begin(&json, '[');
	json_int(&json, -1);
	json_begin(&json, '{');
	json_end(&json, '}');
	json_none(&json);
	json_bool(&json, true);
	json_bool(&json, false);
	json_text(&json, "x");
	json_end(&json, ']');
	json_key(&json, "last");
	json_value(&json, "[1]", 3);
	json_end(&json, '}');
	expect("{\"empty\":[],\"rows\":[-1,{},null,true,false,\"x\"],"
	       "\"last\":[1]}");
}
END_TEST

START_TEST(strings_are_escaped)
{
	json_text_sized(&json, "a\"b\\c/\b\t\n\f\r\x01\x1f\x7f\0z", 16);
	expect("\"a\\\"b\\\\c/\\b\\t\\n\\f\\r\\u0001\\u001f\\u007f\\u0000z\"");
	ck_assert_uint_eq(json.replaced, 0);
}
END_TEST

/* One byte of each kind at each position of a string of each length. The string
 * is an exact-size copy, so that a sanitizer sees reads beyond it. */
START_TEST(odd_bytes_are_found_anywhere)
{
	static const struct {
		char byte;
		const char *written;
	} odd[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\x1f', "\\u001f"},
		{'\0', "\\u0000"}, {'\x7f', "\\u007f"},
		{'\x80', "\xef\xbf\xbd"}, {'\xff', "\xef\xbf\xbd"}};
	static const char plain[] = "!#0123456789:=?@ABC[]^_`abcxyz{|}~ ,./;'-";
	const size_t kinds = sizeof(odd) / sizeof(odd[0]);
	char expected[sizeof(plain) + 8];

	for (size_t size = 1; size < sizeof(plain); size++) {
		char *text = malloc(size);

		ck_assert_ptr_nonnull(text);
		for (size_t at = 0; at < size * kinds; at++) {
			int before = (int)(at % size);
			int behind = (int)size - before - 1;

			memcpy(text, plain, size);
			text[before] = odd[at / size].byte;
			json_text_sized(&json, text, size);
			(void)snprintf(expected, sizeof(expected),
				"\"%.*s%s%.*s\"", before, plain,
				odd[at / size].written, behind,
				plain + before + 1);
			expect(expected);
			ck_assert_int_eq(
				json_value_needs_sanitizing(text, size),
				text[before] == '\\' ||
					(unsigned char)text[before] >= 0x80);
		}
		free(text);
	}
}
END_TEST

/* The text stays the same; a terminal shows nothing else. */
START_TEST(marks_of_direction_and_c1_are_escaped)
{
	json_text(&json, "a\xe2\x80\xae"
			 "b\xe2\x80\xa8\xc2\x9b\xd8\x9c\xe2\x81\xa9.");
	expect("\"a\\u202eb\\u2028\\u009b\\u061c\\u2069.\"");
	json_text(&json, "\xe2\x82\xac\xc2\xa0\xd8\x9d\xe2\x80\xaf");
	expect("\"\xe2\x82\xac\xc2\xa0\xd8\x9d\xe2\x80\xaf\"");
	ck_assert_uint_eq(json.replaced, 0);
}
END_TEST

START_TEST(valid_utf8_stays_as_it_is)
{
	json_text(&json, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf");
	expect("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf\"");
	ck_assert_uint_eq(json.replaced, 0);
}
END_TEST

START_TEST(invalid_utf8_is_replaced_and_counted)
{
	json_text(&json, "a\xff\"b");
	expect("\"a\xef\xbf\xbd\\\"b\"");
	ck_assert_uint_eq(json.replaced, 1);
	json_text(&json, "\xe2\x82");
	expect("\"\xef\xbf\xbd\"");
	ck_assert_uint_eq(json.replaced, 2);
	/* Overlong, a surrogate, beyond the last character. */
	json_text(&json, "\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80");
	ck_assert(json.replaced >= 5);
	json_raw(&json, "", 1);
	ck_assert_ptr_null(strpbrk(json.bytes, "\xc0\xed\xf4"));
}
END_TEST

START_TEST(long_strings_are_whole)
{
	const size_t size = 3000000;
	char *text = malloc(size);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < size; i++)
		text[i] = i % 1000 == 999 ? '\x02' : 'a';
	json_text_sized(&json, text, size);
	ck_assert_uint_eq(json.used, size + 2 + size / 1000 * 5);
	ck_assert_int_eq(memcmp(json.bytes + 1000, "\\u0002aaa", 9), 0);
	free(text);
}
END_TEST

START_TEST(integers_are_exact)
{
	json_begin(&json, '[');
	json_int(&json, 0);
	json_int(&json, INT64_MIN);
	json_int(&json, INT64_MAX);
	json_uint(&json, UINT64_MAX);
	json_end(&json, ']');
	expect("[0,-9223372036854775808,9223372036854775807,"
	       "18446744073709551615]");
}
END_TEST

START_TEST(integers_of_every_length_are_exact)
{
	uint64_t power = 1;

	for (int digits = 1; digits <= 20; digits++) {
		char want[32];

		for (uint64_t value = power - 1; value <= power + 1; value++) {
			(void)snprintf(want, sizeof(want), "%llu",
				(unsigned long long)value);
			json_uint(&json, value);
			expect(want);
		}
		power *= 10;
	}
}
END_TEST

static void expect_us(int64_t time_ns, const char *text)
{
	char number[JSON_NUMBER_MAX];
	char *end = json_put_us(number, time_ns);

	json_raw(&json, number, (size_t)(end - number));
	expect(text);
}

START_TEST(microseconds_have_three_decimals)
{
	expect_us(0, "0.000");
	expect_us(1, "0.001");
	expect_us(-5, "-0.005");
	expect_us(999, "0.999");
	expect_us(1000, "1.000");
	expect_us(-123456789, "-123456.789");
	expect_us(1010, "1.010");
	expect_us(INT64_MAX, "9223372036854775.807");
	expect_us(INT64_MIN, "-9223372036854775.808");
}
END_TEST

START_TEST(durations_use_all_64_bits)
{
	char number[JSON_NUMBER_MAX];
	char *end = json_put_duration_us(number, UINT64_MAX);

	json_raw(&json, number, (size_t)(end - number));
	expect("18446744073709551.615");
}
END_TEST

START_TEST(doubles_are_short)
{
	json_begin(&json, '[');
	json_double(&json, 0.1);
	json_double(&json, 1.0);
	json_double(&json, -0.0);
	json_double(&json, 1e300);
	json_double(&json, 5e-324);
	json_double(&json, 1.0 / 3.0);
	json_double(&json, 117.121212);
	json_double(&json, 0.0001);
	json_double(&json, 0.00001);
	json_double(&json, 999999999.999999);
	json_double(&json, 1234567890.5);
	json_end(&json, ']');
	expect("[0.1,1.0,-0.0,1e+300,4.94065645841247e-324,"
	       "0.3333333333333333,117.121212,0.0001,1e-05,"
	       "999999999.999999,1234567890.5]");
}
END_TEST

START_TEST(doubles_read_back_as_the_same_number)
{
	static const double some[] = {0.1, 2.0 / 3.0, DBL_MAX, DBL_MIN,
		DBL_TRUE_MIN, 9007199254740993.0, 123456789.123456789, -1e-7};

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		char number[JSON_NUMBER_MAX + 1];

		*json_put_double(number, some[i]) = '\0';
		ck_assert(strtod(number, NULL) == some[i]);
	}
}
END_TEST

START_TEST(nan_and_infinity_become_strings)
{
	json_begin(&json, '[');
	json_double(&json, (double)NAN);
	json_double(&json, (double)INFINITY);
	json_double(&json, -(double)INFINITY);
	json_end(&json, ']');
	expect("[\"NaN\",\"Infinity\",\"-Infinity\"]");
}
END_TEST

/* printf as in a locale with another decimal point, without one being
 * installed: the point is between the digits. */
START_TEST(the_locale_changes_nothing)
{
	static const char *const names[] = {
		"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (setlocale(LC_ALL, names[i]) != NULL)
			break;
	json_double(&json, 1234567.25);
	(void)setlocale(LC_ALL, "C");
	expect("1234567.25");
}
END_TEST

START_TEST(a_stream_gets_all_in_order)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);
	struct json writer;
	size_t at = 0;

	ck_assert_ptr_nonnull(out);
	ck_assert(json_init(&writer, out));
	for (uint64_t i = 0; i < 100000; i++) {
		json_uint(&writer, i);
		if (i == 50000) {
			/* More than the buffer holds, at once. */
			char *large = malloc(JSON_BUFFER_BYTES * 2);

			ck_assert_ptr_nonnull(large);
			memset(large, ' ', JSON_BUFFER_BYTES * 2);
			json_raw(&writer, large, JSON_BUFFER_BYTES * 2);
			free(large);
		}
	}
	json_flush(&writer);
	json_clear(&writer);
	ck_assert_int_eq(fclose(out), 0);
	for (uint64_t i = 0; i < 100000; i++) {
		char *end;

		ck_assert_uint_eq(strtoull(bytes + at, &end, 10), i);
		at = (size_t)(end - bytes);
		while (at < size && (bytes[at] == ',' || bytes[at] == ' '))
			at++;
	}
	ck_assert_uint_eq(at, size);
	free(bytes);
}
END_TEST

START_TEST(a_full_disk_is_remembered_with_its_reason)
{
	FILE *out = fopen("/dev/full", "w");
	struct json writer;

	ck_assert_ptr_nonnull(out);
	ck_assert(json_init(&writer, out));
	for (uint64_t i = 0; i < 1000000; i++)
		json_uint(&writer, i);
	errno = 0;
	json_flush(&writer);
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert(ferror(out));
	ck_assert(!writer.failed);
	json_clear(&writer);
	(void)fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json");
	TCase *tests = tcase_create("json");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, items_get_commas_where_they_belong);
	tcase_add_test(tests, strings_are_escaped);
	tcase_add_test(tests, odd_bytes_are_found_anywhere);
	tcase_add_test(tests, marks_of_direction_and_c1_are_escaped);
	tcase_add_test(tests, valid_utf8_stays_as_it_is);
	tcase_add_test(tests, invalid_utf8_is_replaced_and_counted);
	tcase_add_test(tests, long_strings_are_whole);
	tcase_add_test(tests, integers_are_exact);
	tcase_add_test(tests, integers_of_every_length_are_exact);
	tcase_add_test(tests, microseconds_have_three_decimals);
	tcase_add_test(tests, durations_use_all_64_bits);
	tcase_add_test(tests, doubles_are_short);
	tcase_add_test(tests, doubles_read_back_as_the_same_number);
	tcase_add_test(tests, nan_and_infinity_become_strings);
	tcase_add_test(tests, the_locale_changes_nothing);
	tcase_add_test(tests, a_stream_gets_all_in_order);
	tcase_add_test(tests, a_full_disk_is_remembered_with_its_reason);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
