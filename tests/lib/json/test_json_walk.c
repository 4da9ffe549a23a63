/* SPDX-License-Identifier: MIT */
/* json/json_walk.[ch]: valid and invalid JSON. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/json_walk.h"
#include "support/run_suite.h"

static const char *const sound[] = {"0", "-0", "12.5e+3", "1E9", "-1.0e-400",
	"\"\"", "\"a\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\xc3\xa9\"",
	"true", "false", "null", "[]", "{}", "[[],{}]", " [ 1 , 2 ] ",
	"\t{ \"a\" : [ ] , \"a\" : { \"b\" : null } }\r\n",
	"[1,[2,[3,{\"x\":[4]}]],5]"};

START_TEST(valid_json_is_accepted)
{
	ck_assert_msg(
		json_check(sound[_i], strlen(sound[_i])), "%s", sound[_i]);
}
END_TEST

/* No proper prefix of these values is a value, except of numbers. */
START_TEST(truncated_json_is_rejected)
{
	const char *text = sound[_i];
	size_t first = strspn(text, " \t\r\n");
	size_t end = strlen(text);

	while (strchr(" \t\r\n", text[end - 1]) != NULL)
		end--;
	for (size_t size = 0; size < end; size++) {
		bool is_number = strchr("-0123456789", text[first]) != NULL;

		ck_assert_msg(is_number || !json_check(text, size), "%.*s",
			(int)size, text);
	}
}
END_TEST

static const char *const unsound[] = {"", " ", "-", "01", "1.", ".5", "1e",
	"+1", "1e+", "nan", "Infinity", "tru", "truex", "nullnull", "\"",
	"\"\\", "\"\\x\"", "\"\\u12g4\"", "\"\\u123\"", "\"\t\"", "\"\xff\"",
	"'a'", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{]", "{",
	"{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\" 1}",
	"{a:1}", "{1:1}", "{\"a\":1:2}", "[\"a\":1]", "[]]", "{}{}", "1 2",
	"[1]x", "}", ":", ","};

START_TEST(invalid_json_is_rejected)
{
	ck_assert_msg(!json_check(unsound[_i], strlen(unsound[_i])), "%s",
		unsound[_i]);
}
END_TEST

/* A zero byte is not an end, and no byte is read beyond the size. */
START_TEST(the_size_decides)
{
	ck_assert(!json_check("1\0", 2));
	ck_assert(json_check("12x", 2));
	ck_assert(!json_check("true", 3));
	ck_assert(!json_check("\"a\"", 2));
}
END_TEST

START_TEST(depth_has_a_limit)
{
	enum { DEEP = 1000000 };
	char *text = malloc(DEEP);

	ck_assert_ptr_nonnull(text);
	memset(text, '[', JSON_WALK_DEPTH_MAX + 1);
	memset(text + JSON_WALK_DEPTH_MAX + 1, ']', JSON_WALK_DEPTH_MAX + 1);
	ck_assert(json_check(text + 1, 2 * (size_t)JSON_WALK_DEPTH_MAX));
	ck_assert(!json_check(text, 2 * (size_t)JSON_WALK_DEPTH_MAX + 2));
	memset(text, '[', DEEP);
	ck_assert(!json_check(text, DEEP));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json_walk");
	TCase *tests = tcase_create("json_walk");
	int count = (int)(sizeof(sound) / sizeof(sound[0]));

	tcase_add_loop_test(tests, valid_json_is_accepted, 0, count);
	tcase_add_loop_test(tests, truncated_json_is_rejected, 0, count);
	tcase_add_loop_test(tests, invalid_json_is_rejected, 0,
		(int)(sizeof(unsound) / sizeof(unsound[0])));
	tcase_add_test(tests, the_size_decides);
	tcase_add_test(tests, depth_has_a_limit);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
