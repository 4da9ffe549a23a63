/* SPDX-License-Identifier: MIT */
/* lib/log/deflate.h, in either implementation: stock zlib reads its streams,
 * and it reads zlib's. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log/deflate.h"
#include "log/deflate_open.h"
#include "support/run_suite.h"

enum { SIZE = 300000 };

static uint8_t *input;
static uint8_t *packed;
static uint8_t *output;
static size_t room;
static struct deflater *deflater;
static struct inflater *inflater;

/* A third like source text, a third like noise, a third of zero bytes. */
static void setup(void)
{
	uint32_t state = 1;

	deflater = deflater_new(1);
	inflater = inflater_new();
	ck_assert_ptr_nonnull(deflater);
	ck_assert_ptr_nonnull(inflater);
	room = deflater_bound(deflater, SIZE);
	input = calloc(1, SIZE);
	packed = malloc(room);
	output = malloc(SIZE);
	ck_assert_ptr_nonnull(input);
	ck_assert_ptr_nonnull(packed);
	ck_assert_ptr_nonnull(output);
	for (size_t i = 0; i < SIZE / 3; i++) {
		state = state * 1664525 + 1013904223;
		input[i] = (uint8_t) "static int f(void);\n"[(i + i / 97) % 20];
		input[SIZE / 3 + i] = (uint8_t)(state >> 24);
	}
}

static void teardown(void)
{
	deflater_free(deflater);
	inflater_free(inflater);
	free(input);
	free(packed);
	free(output);
}

/* Unpacks with zlib alone. */
static bool zlib_unpack(size_t size, size_t out_size)
{
	z_stream stream = {.next_in = packed,
		.avail_in = (uInt)size,
		.next_out = output,
		.avail_out = (uInt)out_size};
	int result = inflateInit2(&stream, -MAX_WBITS);

	ck_assert_int_eq(result, Z_OK);
	result = inflate(&stream, Z_FINISH);
	(void)inflateEnd(&stream);
	return result == Z_STREAM_END && stream.avail_in == 0 &&
	       stream.avail_out == 0;
}

/* Every second part is literals, beginning with this one. */
static size_t first_literals = 1;
static enum deflate_kind other_kind = DEFLATE_ANY;

/* Packs input from `from` on as parts of these sizes. */
static size_t pack(size_t from, const size_t *sizes, size_t count)
{
	struct deflate_part parts[8];

	for (size_t i = 0; i < count; i++) {
		parts[i] = (struct deflate_part){input + from, sizes[i],
			i % 2 == first_literals ? DEFLATE_LITERALS
						: other_kind};
		from += sizes[i];
	}
	return deflater_pack(deflater, parts, count, packed, room);
}

static void check_round_trip(size_t from, const size_t *sizes, size_t count)
{
	size_t total = 0;
	size_t size = pack(from, sizes, count);

	for (size_t i = 0; i < count; i++)
		total += sizes[i];
	ck_assert_uint_gt(size, 0);
	ck_assert_uint_le(size, deflater_bound(deflater, total));
	memset(output, 0xaa, SIZE);
	ck_assert(inflater_unpack(inflater, packed, size, output, total));
	ck_assert_int_eq(memcmp(output, input + from, total), 0);
	memset(output, 0xaa, SIZE);
	ck_assert(zlib_unpack(size, total));
	ck_assert_int_eq(memcmp(output, input + from, total), 0);
}

START_TEST(packed_bytes_unpack)
{
	static const size_t sizes[] = {
		1, 2, 10, 255, 4096, 65535, 65536, 99999, SIZE};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t from = 0; from + sizes[i] <= SIZE; from += 70001)
			check_round_trip(from, &sizes[i], 1);
}
END_TEST

/* `_i % 2` is the first part of literals; `_i / 2` is whether the others are
 * searched for long repetitions. */
START_TEST(parts_of_literals_are_one_stream)
{
	static const size_t sizes[][4] = {
		{100000, 100000, 100000, 0},
		{1, 1, 1, 1},
		{50000, 3, 50000, 100000},
		{0, 1000, 0, 1000},
		{1000, 0, 1000, 0},
		{255, 256, 257, 3},
		{256, 1, 300, 0},
		{99999, 70000, 1, 1},
	};

	first_literals = (size_t)_i % 2;
	other_kind = _i / 2 == 0 ? DEFLATE_ANY : DEFLATE_REPEATS;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t from = 0; from <= SIZE; from += 50000)
			if (from + sizes[i][0] + sizes[i][1] + sizes[i][2] +
					sizes[i][3] <=
				SIZE)
				check_round_trip(from, sizes[i], 4);
}
END_TEST

/* `_i % 2` is the first part of literals; `_i / 2` is whether the others are
 * searched for long repetitions. */
START_TEST(every_level_packs)
{
	static const size_t sizes[] = {100000, 100000, 100000};

	first_literals = (size_t)_i;
	for (int level = 1; level <= 9; level++) {
		deflater_free(deflater);
		deflater = deflater_new(level);
		ck_assert_ptr_nonnull(deflater);
		check_round_trip(0, sizes, 3);
		ck_assert_uint_lt(pack(0, sizes, 1), 20000);
	}
}
END_TEST

START_TEST(too_little_room_is_reported)
{
	static const size_t size = 100000;
	struct deflate_part part = {input + 100000, size, DEFLATE_ANY};
	size_t needed = pack(100000, &size, 1);
	uint8_t *small;

	for (size_t less = 1; less < needed; less += 9973) {
		small = malloc(needed - less);
		ck_assert_ptr_nonnull(small);
		ck_assert_uint_eq(
			deflater_pack(deflater, &part, 1, small, needed - less),
			0);
		free(small);
	}
	/* The deflater still works after an error. */
	check_round_trip(0, &size, 1);
}
END_TEST

START_TEST(a_wrong_size_is_refused)
{
	static const size_t sizes[] = {1, 1000, 150000};

	for (size_t i = 0; i < 3; i++) {
		size_t size = pack(0, &sizes[i], 1);

		ck_assert(!inflater_unpack(
			inflater, packed, size, output, sizes[i] - 1));
		ck_assert(!inflater_unpack(
			inflater, packed, size, output, sizes[i] + 1));
		ck_assert(!inflater_unpack(
			inflater, packed, size, output, sizes[i] / 2));
		ck_assert(inflater_unpack(
			inflater, packed, size, output, sizes[i]));
	}
}
END_TEST

START_TEST(bytes_behind_the_stream_are_refused)
{
	static const size_t size = 1000;
	size_t used = pack(0, &size, 1);

	for (size_t more = 1; more < 20; more++) {
		packed[used + more - 1] = 0;
		ck_assert(!inflater_unpack(
			inflater, packed, used + more, output, size));
	}
	ck_assert(inflater_unpack(inflater, packed, used, output, size));
}
END_TEST

START_TEST(a_stream_that_is_cut_off_is_refused)
{
	static const size_t size = 2000;
	size_t used = pack(99000, &size, 1);

	for (size_t less = 0; less < used; less++) {
		uint8_t *cut = malloc(less + 1);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, packed, less);
		ck_assert(!inflater_unpack(inflater, cut, less, output, size));
		free(cut);
	}
}
END_TEST

START_TEST(any_bytes_are_unpacked_or_refused)
{
	static const size_t size = 2000;
	size_t used = pack(99000, &size, 1);
	size_t differing = 0;

	for (size_t bit = 0; bit < used * 8; bit++) {
		packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (inflater_unpack(inflater, packed, used, output, size))
			differing += memcmp(output, input + 99000, size) != 0;
		packed[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	/* Errors of that kind are left to the CRC. */
	ck_assert_uint_gt(differing, 0);
	ck_assert(inflater_unpack(inflater, packed, used, output, size));
	ck_assert_int_eq(memcmp(output, input + 99000, size), 0);
}
END_TEST

/* gzip_file.c joins streams in this way. */
START_TEST(open_streams_continue)
{
	static const size_t sizes[] = {1, 0, 10, 70000, 12345, 130000, 5, 2};
	struct deflate_part last = {NULL, 1000, DEFLATE_ANY};
	size_t used = 0;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = deflater_pack_open(deflater, input + at, sizes[i],
			packed + used, room - used);

		ck_assert_uint_gt(size, 0);
		used += size;
		at += sizes[i];
	}
	last.bytes = input + at;
	used += deflater_pack(deflater, &last, 1, packed + used, room - used);
	ck_assert(inflater_unpack(
		inflater, packed, used, output, at + last.size));
	ck_assert_int_eq(memcmp(output, input, at + last.size), 0);
	ck_assert(zlib_unpack(used, at + last.size));
}
END_TEST

/* Every kind of block, at every bit. */
START_TEST(a_stream_ends_at_any_bit)
{
	for (size_t size = 0; size < 3000; size += 1 + size / 40) {
		struct deflate_part part = {input + 98500, size, DEFLATE_ANY};
		size_t used = deflater_pack(deflater, &part, 1, packed, room);
		size_t opened = deflate_open(packed, used, room);

		ck_assert_uint_gt(opened, used);
		ck_assert_uint_le(opened, used + DEFLATE_OPEN_BYTES);
		memcpy(packed + opened, "\3", 2); /* an empty block */
		ck_assert(zlib_unpack(opened + 2, size));
		ck_assert_int_eq(memcmp(output, input + 98500, size), 0);
	}
}
END_TEST

START_TEST(only_a_whole_stream_is_opened)
{
	static const size_t size = 2000;
	size_t used = pack(99000, &size, 1);
	uint8_t *copy = malloc(used + DEFLATE_OPEN_BYTES);

	ck_assert_ptr_nonnull(copy);
	for (size_t less = 0; less < used; less++) {
		uint8_t *cut = malloc(used - less);

		ck_assert_ptr_nonnull(cut);
		memcpy(cut, packed, used - less);
		/* The whole has too little room. */
		ck_assert_uint_eq(deflate_open(cut, used - less, used), 0);
		ck_assert_int_eq(memcmp(cut, packed, used - less), 0);
		free(cut);
	}
	/* A stream or not: stays within its bytes. */
	for (size_t bit = 0; bit < 8 * used; bit++) {
		memcpy(copy, packed, used);
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_uint_le(
			deflate_open(copy, used, used + DEFLATE_OPEN_BYTES),
			used + DEFLATE_OPEN_BYTES);
	}
	free(copy);
}
END_TEST

START_TEST(the_crc_is_that_of_gzip)
{
	ck_assert_uint_eq(deflate_crc32("123456789", 9), 0xcbf43926);
	ck_assert_uint_eq(deflate_crc32("", 0), 0);
	for (size_t size = 0; size < 1000; size++)
		ck_assert_uint_eq(deflate_crc32(input + 100000, size),
			crc32(0, input + 100000, (uInt)size));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deflate");
	TCase *tests = tcase_create("deflate");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, packed_bytes_unpack);
	tcase_add_loop_test(tests, parts_of_literals_are_one_stream, 0, 4);
	tcase_add_loop_test(tests, every_level_packs, 0, 2);
	tcase_add_test(tests, too_little_room_is_reported);
	tcase_add_test(tests, a_wrong_size_is_refused);
	tcase_add_test(tests, bytes_behind_the_stream_are_refused);
	tcase_add_test(tests, a_stream_that_is_cut_off_is_refused);
	tcase_add_test(tests, any_bytes_are_unpacked_or_refused);
	tcase_add_test(tests, open_streams_continue);
	tcase_add_test(tests, a_stream_ends_at_any_bit);
	tcase_add_test(tests, only_a_whole_stream_is_opened);
	tcase_add_test(tests, the_crc_is_that_of_gzip);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
