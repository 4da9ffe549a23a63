/* SPDX-License-Identifier: MIT */
/* lib/log/huffman.[ch]: zlib reads its output, for any bytes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log/huffman.h"
#include "support/run_suite.h"

/* An empty stored block, marked as the last: ends the stream. */
static const unsigned char end[] = {1, 0, 0, 0xff, 0xff};

/* Packs and unpacks again; returns the packed size. */
static size_t check_round_trip(const unsigned char *bytes, size_t size)
{
	size_t room = huffman_bound(size);
	/* To the byte, for a sanitizer. */
	unsigned char *packed = malloc(room);
	unsigned char *stream = malloc(room + sizeof(end));
	unsigned char *output = malloc(size + 1);
	z_stream zlib = {.next_in = stream,
		.next_out = output,
		.avail_out = (uInt)size + 1};
	size_t used;

	ck_assert_ptr_nonnull(packed);
	ck_assert_ptr_nonnull(stream);
	ck_assert_ptr_nonnull(output);
	used = huffman_pack(NULL, bytes, size, packed, room);
	ck_assert_uint_gt(used, 0);
	ck_assert_uint_le(used, room);
	memcpy(stream, packed, used);
	memcpy(stream + used, end, sizeof(end));
	zlib.avail_in = (uInt)(used + sizeof(end));
	ck_assert_int_eq(inflateInit2(&zlib, -MAX_WBITS), Z_OK);
	ck_assert_int_eq(inflate(&zlib, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(zlib.avail_in, 0);
	ck_assert_uint_eq(zlib.total_out, size);
	if (size > 0)
		ck_assert_int_eq(memcmp(output, bytes, size), 0);
	(void)inflateEnd(&zlib);
	free(packed);
	free(stream);
	free(output);
	return used;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

START_TEST(nothing_and_a_few_bytes)
{
	static const unsigned char few[] = "aabbbc\xff\x00 zz";

	for (size_t size = 0; size < sizeof(few); size++)
		for (size_t from = 0; from + size <= sizeof(few); from++)
			(void)check_round_trip(few + from, size);
}
END_TEST

START_TEST(one_byte_over_and_over_takes_a_bit_each)
{
	unsigned char bytes[8000];

	for (int byte = 0; byte < 256; byte++) {
		memset(bytes, byte, sizeof(bytes));
		ck_assert_uint_lt(check_round_trip(bytes, sizeof(bytes)), 1100);
	}
}
END_TEST

START_TEST(all_bytes_alike_take_eight_bits_each)
{
	unsigned char bytes[256 * 40];
	uint32_t state = 1;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	ck_assert_uint_lt(
		check_round_trip(bytes, sizeof(bytes)), sizeof(bytes) + 200);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)next_random(&state);
	ck_assert_uint_lt(
		check_round_trip(bytes, sizeof(bytes)), sizeof(bytes) + 300);
}
END_TEST

/* Fibonacci numbers as counts need codes as long as the number of symbols,
 * which deflate limits. `_i` is the number of symbols. */
START_TEST(codes_that_would_be_too_long_are_cut)
{
	uint32_t last = 1;
	uint32_t count = 1;
	size_t size = 0;
	unsigned char *bytes = malloc(8000000);

	ck_assert_ptr_nonnull(bytes);
	for (int symbol = 0; symbol < _i; symbol++) {
		uint32_t next = last + count;

		memset(bytes + size, symbol * 7, count);
		size += count;
		last = count;
		count = next;
	}
	(void)check_round_trip(bytes, size);
	free(bytes);
}
END_TEST

/* A few common bytes and each of the others once, as in times. */
START_TEST(rare_bytes_beside_common_ones)
{
	unsigned char *bytes = malloc(300000);

	ck_assert_ptr_nonnull(bytes);
	for (size_t common = 1; common < 300000 - 256; common *= 3) {
		for (size_t i = 0; i < common; i++)
			bytes[i] = (unsigned char)(i % 3 == 0 ? 0xcc : 7);
		for (size_t i = 0; i < 256; i++)
			bytes[common + i] = (unsigned char)i;
		(void)check_round_trip(bytes, common + 256);
	}
	free(bytes);
}
END_TEST

START_TEST(random_distributions)
{
	unsigned char bytes[3000];
	uint32_t state = 7;

	for (int round = 0; round < 3000; round++) {
		uint32_t size = next_random(&state) % sizeof(bytes);
		uint32_t shift = next_random(&state) % 9;
		uint32_t range = 1 + next_random(&state) % 256;

		for (uint32_t i = 0; i < size; i++) {
			uint32_t byte = next_random(&state) % range;

			/* The greater the shift, the rarer are large values. */
			for (uint32_t j = 0; j < shift; j++)
				byte = next_random(&state) % (byte + 1);
			bytes[i] = (unsigned char)byte;
		}
		(void)check_round_trip(bytes, size);
	}
}
END_TEST

START_TEST(a_buffer_below_the_bound_is_refused)
{
	unsigned char bytes[1000] = "text";
	size_t room = huffman_bound(sizeof(bytes));
	unsigned char *packed = malloc(room);

	ck_assert_ptr_nonnull(packed);
	ck_assert_uint_eq(
		huffman_pack(NULL, bytes, sizeof(bytes), packed, room - 1), 0);
	ck_assert_uint_eq(
		huffman_pack(NULL, bytes, sizeof(bytes), packed, 0), 0);
	ck_assert_uint_gt(
		huffman_pack(NULL, bytes, sizeof(bytes), packed, room), 0);
	free(packed);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("huffman");
	TCase *tests = tcase_create("huffman");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, nothing_and_a_few_bytes);
	tcase_add_test(tests, one_byte_over_and_over_takes_a_bit_each);
	tcase_add_test(tests, all_bytes_alike_take_eight_bits_each);
	tcase_add_loop_test(tests, codes_that_would_be_too_long_are_cut, 1, 31);
	tcase_add_test(tests, rare_bytes_beside_common_ones);
	tcase_add_test(tests, random_distributions);
	tcase_add_test(tests, a_buffer_below_the_bound_is_refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
