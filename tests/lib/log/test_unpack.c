/* SPDX-License-Identifier: MIT */
/* lib/log/unpack.[ch]: every form of every type, and no trust in any of it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/log_maker.h"
#include "log/unpack.h"
#include "support/run_suite.h"

/* One value of a form, with its bytes. */
struct form {
	enum unpack_type type;
	size_t size;
	const char *bytes;
	int64_t integer;
};

#define F(type, bytes, integer) \
	{ \
		type, sizeof(bytes) - 1, bytes, integer \
	}

static const struct form forms[] = {
	F(UNPACK_INT, "\x00", 0),
	F(UNPACK_INT, "\x7f", 127),
	F(UNPACK_INT, "\xe0", -32),
	F(UNPACK_INT, "\xff", -1),
	F(UNPACK_INT, "\xcc\x00", 0),
	F(UNPACK_INT, "\xcc\xff", 255),
	F(UNPACK_INT, "\xcd\x00\x01", 1),
	F(UNPACK_INT, "\xcd\xff\xfe", 65534),
	F(UNPACK_INT, "\xce\x00\x00\x00\x02", 2),
	F(UNPACK_INT, "\xce\xff\xff\xff\xff", INT64_C(4294967295)),
	F(UNPACK_INT, "\xcf\x00\x00\x00\x00\x00\x00\x00\x03", 3),
	F(UNPACK_INT, "\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", INT64_MAX),
	F(UNPACK_INT, "\xd0\x80", -128),
	F(UNPACK_INT, "\xd0\x7f", 127),
	F(UNPACK_INT, "\xd1\x80\x00", -32768),
	F(UNPACK_INT, "\xd1\x7f\xff", 32767),
	F(UNPACK_INT, "\xd2\x80\x00\x00\x00", INT32_MIN),
	F(UNPACK_INT, "\xd2\x7f\xff\xff\xff", INT32_MAX),
	F(UNPACK_INT, "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", INT64_MIN),
	F(UNPACK_INT, "\xd3\x7f\xff\xff\xff\xff\xff\xff\xff", INT64_MAX),
	F(UNPACK_INT, "\xd3\xff\xff\xff\xff\xff\xff\xff\xff", -1),
	F(UNPACK_NIL, "\xc0", 0),
	F(UNPACK_BOOL, "\xc2", 0),
	F(UNPACK_BOOL, "\xc3", 0),
	F(UNPACK_FLOAT, "\xca\xbf\x80\x00\x00", -1),
	F(UNPACK_FLOAT, "\xca\x4b\x00\x00\x00", 8388608),
	F(UNPACK_FLOAT, "\xcb\x40\x08\x00\x00\x00\x00\x00\x00", 3),
	F(UNPACK_TEXT, "\xa0", 0),
	F(UNPACK_TEXT,
		"\xa3"
		"abc",
		3),
	F(UNPACK_TEXT,
		"\xd9\x02"
		"ab",
		2),
	F(UNPACK_TEXT, "\xda\x00\x01z", 1),
	F(UNPACK_TEXT, "\xdb\x00\x00\x00\x01z", 1),
	F(UNPACK_TEXT, "\xc4\x02\xff\xfe", 2),
	F(UNPACK_TEXT, "\xc5\x00\x01\xff", 1),
	F(UNPACK_TEXT, "\xc6\x00\x00\x00\x01\xff", 1),
	F(UNPACK_ARRAY, "\x90", 0),
	F(UNPACK_ARRAY, "\x93\x01\x02\x03", 3),
	F(UNPACK_ARRAY, "\xdc\x00\x02\x01\xc0", 2),
	F(UNPACK_ARRAY, "\xdd\x00\x00\x00\x01\x01", 1),
	F(UNPACK_MAP, "\x80", 0),
	F(UNPACK_MAP, "\x82\x01\x02\x03\x90", 2),
	F(UNPACK_MAP, "\xde\x00\x01\x01\xc3", 1),
	F(UNPACK_MAP, "\xdf\x00\x00\x00\x01\x01\x02", 1),
	F(UNPACK_EXT, "\xd4\x01x", 1),
	F(UNPACK_EXT, "\xd5\x01xx", 2),
	F(UNPACK_EXT, "\xd6\x01xxxx", 4),
	F(UNPACK_EXT, "\xd7\x01xxxxxxxx", 8),
	F(UNPACK_EXT, "\xd8\x01xxxxxxxxxxxxxxxx", 16),
	F(UNPACK_EXT, "\xc7\x03\x01xxx", 3),
	F(UNPACK_EXT, "\xc7\x00\x01", 0),
	F(UNPACK_EXT, "\xc8\x00\x02\x01xx", 2),
	F(UNPACK_EXT, "\xc9\x00\x00\x00\x01\x01x", 1),
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* Reads the next value as this type; returns its value, or size, or count. */
static bool read_as(
	struct cursor *cursor, enum unpack_type type, int64_t *value)
{
	const char *text;
	size_t size = 0;
	uint32_t count = 0;
	double real = 0;
	int8_t ext;
	bool good;

	switch (type) {
	case UNPACK_INT:
		return unpack_int(cursor, value);
	case UNPACK_FLOAT:
		good = unpack_float(cursor, &real);
		*value = (int64_t)real;
		return good;
	case UNPACK_TEXT:
		good = unpack_text(cursor, &text, &size);
		*value = (int64_t)size;
		return good;
	case UNPACK_ARRAY:
		good = unpack_array(cursor, &count);
		*value = count;
		return good;
	case UNPACK_MAP:
		good = unpack_map(cursor, &count);
		*value = count;
		return good;
	case UNPACK_EXT:
		good = unpack_ext(cursor, &ext, &text, &size);
		*value = (int64_t)size;
		return good && ext == 1;
	default:
		return false;
	}
}

START_TEST(each_form_is_known_by_its_first_byte)
{
	const struct form *form = &forms[_i];
	struct cursor cursor;

	cursor_init(&cursor, form->bytes, form->size);
	ck_assert_int_eq(unpack_peek(&cursor), form->type);
	ck_assert_uint_eq(cursor.left, form->size);
	cursor_init(&cursor, form->bytes, 1);
	ck_assert_int_eq(unpack_peek(&cursor), form->type);
}
END_TEST

START_TEST(each_form_is_read_only_as_its_own_type)
{
	const struct form *form = &forms[_i];

	for (enum unpack_type type = UNPACK_INT; type <= UNPACK_EXT; type++) {
		struct cursor cursor;
		int64_t value = 0;
		bool good;

		cursor_init(&cursor, form->bytes, form->size);
		good = read_as(&cursor, type, &value);
		ck_assert_int_eq(
			good, type == form->type && type != UNPACK_BOOL);
		if (good)
			ck_assert_int_eq(value, form->integer);
		if (good && (type <= UNPACK_TEXT || type == UNPACK_EXT))
			ck_assert_uint_eq(cursor.left, 0);
	}
}
END_TEST

START_TEST(each_form_is_passed_over_to_the_byte)
{
	const struct form *form = &forms[_i];
	char bytes[40];
	struct cursor cursor;

	memcpy(bytes, form->bytes, form->size);
	memset(bytes + form->size, 0xc1, sizeof(bytes) - form->size);
	cursor_init(&cursor, bytes, sizeof(bytes));
	ck_assert(unpack_skip(&cursor));
	ck_assert_ptr_eq(cursor.at, bytes + form->size);
}
END_TEST

START_TEST(each_form_cut_off_anywhere_is_refused)
{
	const struct form *form = &forms[_i];

	for (size_t left = 0; left < form->size; left++) {
		char *bytes = malloc(left + 1);
		struct cursor cursor;
		int64_t value = 0;

		ck_assert_ptr_nonnull(bytes);
		/* To the byte, for a sanitizer. */
		bytes = realloc(bytes, left == 0 ? 1 : left);
		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, form->bytes, left);
		cursor_init(&cursor, bytes, left);
		ck_assert(!unpack_skip(&cursor));
		cursor_init(&cursor, bytes, left);
		ck_assert(!read_as(&cursor, form->type, &value));
		free(bytes);
	}
}
END_TEST

START_TEST(empty_input_and_the_reserved_byte_are_not_values)
{
	struct cursor cursor;

	cursor_init(&cursor, "\xc1", 1);
	ck_assert_int_eq(unpack_peek(&cursor), UNPACK_NONE);
	ck_assert(!unpack_skip(&cursor));
	cursor_init(&cursor, "", 0);
	ck_assert_int_eq(unpack_peek(&cursor), UNPACK_NONE);
	ck_assert(!unpack_skip(&cursor));
}
END_TEST

START_TEST(integers_that_do_not_fit_are_refused)
{
	static const char big[] = "\xcf\x80\x00\x00\x00\x00\x00\x00\x00";
	static const char most[] = "\xcf\xff\xff\xff\xff\xff\xff\xff\xff";
	static const char *const negative[] = {"\xff", "\xd0\xff",
		"\xd1\xff\xff", "\xd2\xff\xff\xff\xff",
		"\xd3\xff\xff\xff\xff\xff\xff\xff\xff"};
	struct cursor cursor;
	int64_t integer;
	uint64_t natural;

	cursor_init(&cursor, big, 9);
	ck_assert(!unpack_int(&cursor, &integer));
	cursor_init(&cursor, most, 9);
	ck_assert(!unpack_int(&cursor, &integer));
	cursor_init(&cursor, big, 9);
	ck_assert(unpack_uint(&cursor, &natural));
	ck_assert_uint_eq(natural, UINT64_C(1) << 63);
	cursor_init(&cursor, most, 9);
	ck_assert(unpack_uint(&cursor, &natural));
	ck_assert_uint_eq(natural, UINT64_MAX);
	for (size_t i = 0; i < 5; i++) {
		cursor_init(&cursor, negative[i], strlen(negative[i]));
		ck_assert(!unpack_uint(&cursor, &natural));
		cursor_init(&cursor, negative[i], strlen(negative[i]));
		ck_assert(unpack_int(&cursor, &integer));
		ck_assert_int_eq(integer, -1);
	}
	/* Signed forms of non-negative numbers. */
	cursor_init(&cursor, "\xd1\x01\x00", 3);
	ck_assert(unpack_uint(&cursor, &natural));
	ck_assert_uint_eq(natural, 256);
}
END_TEST

START_TEST(limits_of_numbers_are_kept)
{
	struct cursor cursor;
	uint32_t out = 0;

	cursor_init(&cursor, "\x05", 1);
	ck_assert(unpack_u32(&cursor, 5, &out));
	ck_assert_uint_eq(out, 5);
	cursor_init(&cursor, "\x05", 1);
	ck_assert(!unpack_u32(&cursor, 4, &out));
	cursor_init(&cursor, "\xff", 1);
	ck_assert(!unpack_u32(&cursor, UINT32_MAX, &out));
	cursor_init(&cursor, "\xce\xff\xff\xff\xff", 5);
	ck_assert(unpack_u32(&cursor, UINT32_MAX, &out));
	ck_assert_uint_eq(out, UINT32_MAX);
	cursor_init(&cursor, "\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9);
	ck_assert(!unpack_u32(&cursor, UINT32_MAX, &out));
	cursor_init(&cursor, "\xcf\x00\x00\x00\x00\x00\x00\x00\x07", 9);
	ck_assert(unpack_u32(&cursor, UINT32_MAX, &out));
	ck_assert_uint_eq(out, 7);
}
END_TEST

START_TEST(counts_of_more_than_there_is_are_refused)
{
	static const struct form claims[] = {
		F(UNPACK_ARRAY, "\x91", 0),
		F(UNPACK_ARRAY, "\x9f\x01\x01\x01", 0),
		F(UNPACK_ARRAY, "\xdc\x00\x03\x01\x01", 0),
		F(UNPACK_ARRAY, "\xdc\xff\xff\x01\x01", 0),
		F(UNPACK_ARRAY, "\xdd\xff\xff\xff\xff\x01\x01", 0),
		F(UNPACK_MAP, "\x81\x01", 0),
		F(UNPACK_MAP, "\x82\x01\x01\x01", 0),
		F(UNPACK_MAP, "\xde\x00\x02\x01\x01\x01", 0),
		F(UNPACK_MAP, "\xdf\xff\xff\xff\xff\x01", 0),
		F(UNPACK_MAP, "\xdf\x80\x00\x00\x00", 0),
		F(UNPACK_TEXT, "\xa2x", 0),
		F(UNPACK_TEXT, "\xd9\xffx", 0),
		F(UNPACK_TEXT, "\xdb\xff\xff\xff\xffx", 0),
		F(UNPACK_TEXT, "\xc6\xff\xff\xff\xffx", 0),
		F(UNPACK_EXT, "\xc9\xff\xff\xff\xff\x01x", 0),
	};

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct cursor cursor;
		int64_t value = 0;

		cursor_init(&cursor, claims[i].bytes, claims[i].size);
		ck_assert_int_eq(unpack_peek(&cursor), claims[i].type);
		ck_assert(!read_as(&cursor, claims[i].type, &value));
		cursor_init(&cursor, claims[i].bytes, claims[i].size);
		ck_assert(!unpack_skip(&cursor));
	}
}
END_TEST

START_TEST(any_depth_is_passed_over_without_recursion)
{
	enum { DEPTH = 100000 };
	char *bytes = malloc(2 * DEPTH + 1);
	struct cursor cursor;

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, 0x91, DEPTH);
	bytes[DEPTH] = 7;
	cursor_init(&cursor, bytes, DEPTH + 1);
	ck_assert(unpack_skip(&cursor));
	ck_assert_uint_eq(cursor.left, 0);
	cursor_init(&cursor, bytes, DEPTH);
	ck_assert(!unpack_skip(&cursor));
	for (size_t i = 0; i < DEPTH; i++) { /* maps in maps, by value */
		bytes[2 * i] = (char)0x81;
		bytes[2 * i + 1] = 1;
	}
	bytes[2 * (size_t)DEPTH] = 7;
	cursor_init(&cursor, bytes, 2 * DEPTH + 1);
	ck_assert(unpack_skip(&cursor));
	ck_assert_uint_eq(cursor.left, 0);
	free(bytes);
}
END_TEST

/* Each array claims as many elements as there are bytes left. */
START_TEST(sizes_that_add_up_to_too_much_are_refused)
{
	struct buffer bytes = BUFFER_INIT;
	struct cursor cursor;

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t left = (999 - i) * 5;

		buffer_add_byte(&bytes, 0xdd);
		for (int shift = 24; shift >= 0; shift -= 8)
			buffer_add_byte(&bytes, (uint8_t)(left >> shift));
	}
	cursor_init(&cursor, bytes.bytes, bytes.used);
	ck_assert(!unpack_skip(&cursor));
	buffer_clear(&bytes);
}
END_TEST

START_TEST(columns_are_read_whatever_form_each_number_has)
{
	static const int64_t expected[] = {0, 127, 128, 255, 256, 65535, 65536,
		INT64_C(4294967295), INT64_C(4294967296), INT64_MAX, -1, -32,
		-33, -128, -129, -32769, INT64_C(-2147483649), INT64_MIN, 1};
	struct buffer bytes = BUFFER_INIT;
	int64_t out[19];
	uint32_t small[19];
	struct cursor cursor;
	uint32_t count;

	log_maker_pack(&bytes,
		"[0, 127, 128, 255, 256, 65535, 65536, 4294967295, 4294967296,"
		" 9223372036854775807, -1, -32, -33, -128, -129, -32769,"
		" -2147483649, -9223372036854775808, 1]");
	cursor_init(&cursor, bytes.bytes, bytes.used);
	ck_assert(unpack_ints(&cursor, out, 19, &count));
	ck_assert_uint_eq(count, 19);
	ck_assert_uint_eq(cursor.left, 0);
	for (size_t i = 0; i < 19; i++)
		ck_assert_int_eq(out[i], expected[i]);
	cursor_init(&cursor, bytes.bytes, bytes.used);
	ck_assert(!unpack_ints(&cursor, out, 18, &count));
	cursor_init(&cursor, bytes.bytes, bytes.used);
	ck_assert(!unpack_u32s(&cursor, small, 19, &count));
	bytes.used = 0;
	log_maker_pack(
		&bytes, "[0, 127, 128, 255, 256, 65535, 65536, 4294967295]");
	cursor_init(&cursor, bytes.bytes, bytes.used);
	ck_assert(unpack_u32s(&cursor, small, 8, &count));
	ck_assert_uint_eq(count, 8);
	ck_assert_uint_eq(cursor.left, 0);
	for (size_t i = 0; i < 8; i++)
		ck_assert_int_eq(small[i], expected[i]);
	buffer_clear(&bytes);
}
END_TEST

START_TEST(columns_cut_off_anywhere_are_refused)
{
	struct buffer bytes = BUFFER_INIT;
	int64_t out[12];
	uint32_t small[12];

	log_maker_pack(&bytes,
		"[1, 200, 2, 3, 1000, 5, 100000, 6, 200, 1000, 4294967295, 7]");
	for (size_t left = 0; left < bytes.used; left++) {
		uint8_t *cut = malloc(left == 0 ? 1 : left);
		struct cursor cursor;
		uint32_t count;

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, bytes.bytes, left);
		cursor_init(&cursor, cut, left);
		ck_assert(!unpack_ints(&cursor, out, 12, &count));
		cursor_init(&cursor, cut, left);
		ck_assert(!unpack_u32s(&cursor, small, 12, &count));
		free(cut);
	}
	buffer_clear(&bytes);
}
END_TEST

/* A column with other elements than integers is invalid. */
START_TEST(columns_hold_integers_alone)
{
	static const char *const recipes[] = {"7", "{}", "[1, '2']",
		"[1, nil, 2]", "[1, [2]]", "[0.5]", "[1, 2, true]"};

	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		struct buffer bytes = BUFFER_INIT;
		int64_t out[12];
		uint32_t small[12];
		struct cursor cursor;
		uint32_t count;

		log_maker_pack(&bytes, "%s", recipes[i]);
		cursor_init(&cursor, bytes.bytes, bytes.used);
		ck_assert(!unpack_ints(&cursor, out, 12, &count));
		cursor_init(&cursor, bytes.bytes, bytes.used);
		ck_assert(!unpack_u32s(&cursor, small, 12, &count));
		buffer_clear(&bytes);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unpack");
	TCase *tests = tcase_create("unpack");

	tcase_add_loop_test(
		tests, each_form_is_known_by_its_first_byte, 0, FORMS);
	tcase_add_loop_test(
		tests, each_form_is_read_only_as_its_own_type, 0, FORMS);
	tcase_add_loop_test(
		tests, each_form_is_passed_over_to_the_byte, 0, FORMS);
	tcase_add_loop_test(
		tests, each_form_cut_off_anywhere_is_refused, 0, FORMS);
	tcase_add_test(tests, empty_input_and_the_reserved_byte_are_not_values);
	tcase_add_test(tests, integers_that_do_not_fit_are_refused);
	tcase_add_test(tests, limits_of_numbers_are_kept);
	tcase_add_test(tests, counts_of_more_than_there_is_are_refused);
	tcase_add_test(tests, any_depth_is_passed_over_without_recursion);
	tcase_add_test(tests, sizes_that_add_up_to_too_much_are_refused);
	tcase_add_test(tests, columns_are_read_whatever_form_each_number_has);
	tcase_add_test(tests, columns_cut_off_anywhere_are_refused);
	tcase_add_test(tests, columns_hold_integers_alone);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
