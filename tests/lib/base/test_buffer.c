/* SPDX-License-Identifier: MIT */
/* base/buffer.[ch]. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "support/run_suite.h"

START_TEST(it_grows_and_keeps_its_entries)
{
	struct buffer buffer = BUFFER_INIT;

	for (unsigned i = 0; i < 100000; i++) {
		buffer_add_byte(&buffer, (uint8_t)i);
		ck_assert_uint_le(buffer.used, buffer.room);
	}
	ck_assert(!buffer.failed);
	ck_assert_uint_eq(buffer.used, 100000);
	for (unsigned i = 0; i < 100000; i++)
		ck_assert_uint_eq(buffer.bytes[i], (uint8_t)i);
	buffer_clear(&buffer);
}
END_TEST

START_TEST(pieces_of_any_size_stand_one_behind_the_other)
{
	static const size_t sizes[] = {0, 1, 255, 256, 257, 0, 70000, 1};
	char piece[70000];
	struct buffer buffer = BUFFER_INIT;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(piece, (int)i + 1, sizes[i]);
		buffer_add(&buffer, piece, sizes[i]);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t j = 0; j < sizes[i]; j++)
			ck_assert_uint_eq(buffer.bytes[at++], i + 1);
	ck_assert_uint_eq(buffer.used, at);
	buffer_clear(&buffer);
}
END_TEST

START_TEST(empty_additions_take_no_memory)
{
	struct buffer buffer = BUFFER_INIT;

	buffer_add(&buffer, "x", 0);
	buffer_add(&buffer, NULL, 0);
	buffer_add_text(&buffer, "");
	ck_assert(buffer_reserve(&buffer, 0));
	ck_assert_uint_eq(buffer.used, 0);
	ck_assert_uint_eq(buffer.room, 0);
	ck_assert_ptr_null(buffer.bytes);
	ck_assert(!buffer.failed);
}
END_TEST

START_TEST(reserved_room_is_there_and_not_used)
{
	struct buffer buffer = BUFFER_INIT;
	uint8_t *bytes;

	buffer_add_text(&buffer, "abc");
	ck_assert(buffer_reserve(&buffer, 5000));
	ck_assert_uint_eq(buffer.used, 3);
	ck_assert_uint_ge(buffer.room - buffer.used, 5000);
	bytes = buffer.bytes;
	memset(bytes + 3, 'x', 5000);
	ck_assert(buffer_reserve(&buffer, 5000));
	ck_assert_ptr_eq(buffer.bytes, bytes);
	ck_assert_int_eq(memcmp(bytes, "abcx", 4), 0);
	buffer_clear(&buffer);
}
END_TEST

START_TEST(room_that_cannot_be_fails_and_adds_nothing)
{
	static const size_t sizes[] = {
		SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 + 2};
	struct buffer buffer = BUFFER_INIT;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		buffer_add_text(&buffer, "abc");
		ck_assert(!buffer.failed);
		ck_assert(!buffer_reserve(&buffer, sizes[i]));
		ck_assert(buffer.failed);
		ck_assert_uint_eq(buffer.used, 3);
		ck_assert_int_eq(memcmp(buffer.bytes, "abc", 3), 0);
		buffer_clear(&buffer);
	}
}
END_TEST

START_TEST(a_cleared_buffer_is_as_new)
{
	struct buffer buffer = BUFFER_INIT;

	buffer_add_text(&buffer, "text");
	(void)buffer_reserve(&buffer, SIZE_MAX);
	buffer_clear(&buffer);
	ck_assert_ptr_null(buffer.bytes);
	ck_assert_uint_eq(buffer.used, 0);
	ck_assert_uint_eq(buffer.room, 0);
	ck_assert(!buffer.failed);
	buffer_add_text(&buffer, "more");
	ck_assert_uint_eq(buffer.used, 4);
	buffer_clear(&buffer);
	buffer_clear(&buffer);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("buffer");
	TCase *tests = tcase_create("buffer");

	tcase_add_test(tests, it_grows_and_keeps_its_entries);
	tcase_add_test(tests, pieces_of_any_size_stand_one_behind_the_other);
	tcase_add_test(tests, empty_additions_take_no_memory);
	tcase_add_test(tests, reserved_room_is_there_and_not_used);
	tcase_add_test(tests, room_that_cannot_be_fails_and_adds_nothing);
	tcase_add_test(tests, a_cleared_buffer_is_as_new);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
