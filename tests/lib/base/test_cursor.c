/* SPDX-License-Identifier: MIT */
/* base/cursor.[ch]: nothing is ever read beyond the end. Inputs are copied to
 * the heap, to the byte, so that a sanitizer sees it too. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "support/run_suite.h"

static const uint8_t digits[] = {
	0x01, 0x02, 0x03, 0x04, 0x85, 0x06, 0x07, 0x88};

static void *copy_of(const void *bytes, size_t size)
{
	void *copy = malloc(size == 0 ? 1 : size);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, size);
	return copy;
}

START_TEST(bytes_are_borrowed_in_order)
{
	struct cursor cursor;

	cursor_init(&cursor, digits, sizeof(digits));
	ck_assert_ptr_eq(cursor_bytes(&cursor, 3), digits);
	ck_assert_ptr_eq(cursor_bytes(&cursor, 0), digits + 3);
	ck_assert_ptr_eq(cursor_bytes(&cursor, 5), digits + 3);
	ck_assert_uint_eq(cursor.left, 0);
	ck_assert_ptr_eq(cursor_bytes(&cursor, 0), digits + 8);
	ck_assert_ptr_null(cursor_bytes(&cursor, 1));
}
END_TEST

START_TEST(too_many_bytes_take_nothing)
{
	static const size_t sizes[] = {
		9, 1000, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX};
	struct cursor cursor;

	cursor_init(&cursor, digits, sizeof(digits));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ck_assert_ptr_null(cursor_bytes(&cursor, sizes[i]));
		ck_assert_ptr_eq(cursor.at, digits);
		ck_assert_uint_eq(cursor.left, sizeof(digits));
	}
}
END_TEST

START_TEST(little_endian_numbers)
{
	struct cursor cursor;
	uint8_t u8;
	uint16_t le16;
	uint32_t le32;
	uint64_t le64;

	cursor_init(&cursor, digits, sizeof(digits));
	ck_assert(cursor_u8(&cursor, &u8));
	ck_assert_uint_eq(u8, 0x01);
	ck_assert(cursor_le16(&cursor, &le16));
	ck_assert_uint_eq(le16, 0x0302);
	ck_assert(cursor_le32(&cursor, &le32));
	ck_assert_uint_eq(le32, 0x07068504);
	ck_assert_uint_eq(cursor.left, 1);
	cursor_init(&cursor, digits, sizeof(digits));
	ck_assert(cursor_le64(&cursor, &le64));
	ck_assert_uint_eq(le64, UINT64_C(0x8807068504030201));
	ck_assert_uint_eq(cursor.left, 0);
}
END_TEST

START_TEST(big_endian_numbers)
{
	struct cursor cursor;
	uint64_t value;

	cursor_init(&cursor, digits, sizeof(digits));
	ck_assert(cursor_be(&cursor, 1, &value));
	ck_assert_uint_eq(value, 0x01);
	ck_assert(cursor_be(&cursor, 2, &value));
	ck_assert_uint_eq(value, 0x0203);
	ck_assert(cursor_be(&cursor, 4, &value));
	ck_assert_uint_eq(value, 0x04850607);
	cursor_init(&cursor, digits, sizeof(digits));
	ck_assert(cursor_be(&cursor, 8, &value));
	ck_assert_uint_eq(value, UINT64_C(0x0102030485060788));
}
END_TEST

/* Reads a number of `size` bytes with the function for that size. */
static bool take(struct cursor *cursor, size_t size, bool big)
{
	uint8_t u8;
	uint16_t le16;
	uint32_t le32;
	uint64_t value;

	if (big || size == 8)
		return big ? cursor_be(cursor, size, &value)
			   : cursor_le64(cursor, &value);
	if (size == 4)
		return cursor_le32(cursor, &le32);
	return size == 2 ? cursor_le16(cursor, &le16) : cursor_u8(cursor, &u8);
}

/* `_i` is log2 of the number's size, plus 4 for big endian. */
START_TEST(a_number_is_read_at_the_exact_end_and_not_past_it)
{
	size_t size = (size_t)1 << (_i & 3);
	bool big = _i >= 4;

	for (size_t left = 0; left <= size; left++) {
		void *bytes = copy_of(digits, left);
		struct cursor cursor;

		cursor_init(&cursor, bytes, left);
		ck_assert_int_eq(take(&cursor, size, big), left == size);
		ck_assert_uint_eq(cursor.left, left == size ? 0 : left);
		ck_assert(cursor.at ==
			  (const uint8_t *)bytes + (left == size ? size : 0));
		free(bytes);
	}
}
END_TEST

START_TEST(an_empty_input_may_be_null)
{
	struct cursor cursor;
	uint8_t u8;

	cursor_init(&cursor, NULL, 0);
	ck_assert(!cursor_u8(&cursor, &u8));
	ck_assert_ptr_null(cursor_bytes(&cursor, SIZE_MAX));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cursor");
	TCase *tests = tcase_create("cursor");

	tcase_add_test(tests, bytes_are_borrowed_in_order);
	tcase_add_test(tests, too_many_bytes_take_nothing);
	tcase_add_test(tests, little_endian_numbers);
	tcase_add_test(tests, big_endian_numbers);
	tcase_add_loop_test(
		tests, a_number_is_read_at_the_exact_end_and_not_past_it, 0, 8);
	tcase_add_test(tests, an_empty_input_may_be_null);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
