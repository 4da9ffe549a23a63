/* SPDX-License-Identifier: MIT */
/* pstats/marshal.[ch]: the bytes are those that Python's marshal reads. */
#include <check.h>
#include <stdlib.h>

#include "pstats/marshal.h"
#include "support/run_suite.h"

/* The output so far. */
static FILE *out;
static char *bytes;
static size_t size;

static void set_up(void)
{
	out = open_memstream(&bytes, &size);
	ck_assert_ptr_nonnull(out);
}

static void tear_down(void)
{
	(void)fclose(out);
	free(bytes);
}

static void expect(const char *expected, size_t expected_size)
{
	ck_assert_int_eq(fflush(out), 0);
	ck_assert_uint_eq(size, expected_size);
	ck_assert_mem_eq(bytes, expected, size);
}

#define EXPECT(text) expect(text, sizeof(text) - 1)

START_TEST(numbers_up_to_2_to_the_31_are_ints)
{
	marshal_int(out, 0);
	marshal_int(out, 258);
	marshal_int(out, INT32_MAX);
	EXPECT("i\0\0\0\0"
	       "i\2\1\0\0"
	       "i\xff\xff\xff\x7f");
}
END_TEST

START_TEST(bigger_numbers_are_longs_without_a_leading_zero)
{
	marshal_int(out, UINT64_C(1) << 31);
	marshal_int(out, UINT64_C(1) << 45);
	marshal_int(out, UINT64_MAX);
	EXPECT("l\3\0\0\0\0\0\0\0\2\0"
	       "l\4\0\0\0\0\0\0\0\0\0\1\0"
	       "l\5\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x0f\0");
}
END_TEST

START_TEST(floats_are_eight_bytes_little_endian)
{
	marshal_float(out, 1.0);
	marshal_float(out, -2.5);
	EXPECT("g\0\0\0\0\0\0\xf0\x3f"
	       "g\0\0\0\0\0\0\x04\xc0");
}
END_TEST

START_TEST(text_is_counted_in_bytes_and_may_hold_zeros)
{
	marshal_text(out, "", 0);
	marshal_text(out, "\xf0\x9f\x98\x80", 4);
	marshal_text(out, "a\0b", 3);
	EXPECT("u\0\0\0\0"
	       "u\4\0\0\0\xf0\x9f\x98\x80"
	       "u\3\0\0\0a\0b");
}
END_TEST

START_TEST(a_dict_ends_with_a_null_and_a_tuple_with_its_last_item)
{
	marshal_begin_dict(out);
	marshal_tuple(out, 2);
	marshal_int(out, 1);
	marshal_int(out, 2);
	marshal_begin_dict(out);
	marshal_end_dict(out);
	marshal_end_dict(out);
	EXPECT("{(\2\0\0\0i\1\0\0\0i\2\0\0\0{00");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("marshal");
	TCase *tests = tcase_create("marshal");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, numbers_up_to_2_to_the_31_are_ints);
	tcase_add_test(tests, bigger_numbers_are_longs_without_a_leading_zero);
	tcase_add_test(tests, floats_are_eight_bytes_little_endian);
	tcase_add_test(tests, text_is_counted_in_bytes_and_may_hold_zeros);
	tcase_add_test(
		tests, a_dict_ends_with_a_null_and_a_tuple_with_its_last_item);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
