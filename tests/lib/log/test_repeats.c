/* SPDX-License-Identifier: MIT */
/* lib/log/repeats.[ch] and huffman_block.[ch]: zlib reads the output, for any
 * bytes, and after any other blocks. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log/huffman.h"
#include "log/huffman_block.h"
#include "log/repeats.h"
#include "support/run_suite.h"

/* An empty stored block, marked as the last: ends the stream. */
static const unsigned char end[] = {1, 0, 0, 0xff, 0xff};

static unsigned char bytes[REPEATS_BYTES_MAX];
static struct huffman_block block;

typedef size_t packer(struct huffman_block *block, const void *bytes,
	size_t size, void *out, size_t room);

static void unpack(unsigned char *stream, size_t used, size_t size)
{
	unsigned char *output = malloc(size + 1);
	z_stream zlib = {.next_in = stream,
		.avail_in = (uInt)(used + sizeof(end)),
		.next_out = output,
		.avail_out = (uInt)size + 1};

	ck_assert_ptr_nonnull(output);
	memcpy(stream + used, end, sizeof(end));
	ck_assert_int_eq(inflateInit2(&zlib, -MAX_WBITS), Z_OK);
	ck_assert_int_eq(inflate(&zlib, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(zlib.avail_in, 0);
	ck_assert_uint_eq(zlib.total_out, size);
	ck_assert_int_eq(memcmp(output, bytes, size), 0);
	(void)inflateEnd(&zlib);
	free(output);
}

/* Packs the first bytes and unpacks them again; returns the packed size. */
static size_t check_packer(packer *pack, size_t room, size_t size)
{
	/* To the byte, for a sanitizer. */
	unsigned char *input = malloc(size);
	unsigned char *packed = malloc(room);
	unsigned char *stream = malloc(room + sizeof(end));
	size_t used;

	ck_assert_ptr_nonnull(input);
	ck_assert_ptr_nonnull(packed);
	ck_assert_ptr_nonnull(stream);
	memcpy(input, bytes, size);
	used = pack(&block, input, size, packed, room);
	ck_assert_uint_gt(used, 0);
	ck_assert_uint_le(used, room);
	memcpy(stream, packed, used);
	unpack(stream, used, size);
	free(input);
	free(packed);
	free(stream);
	return used;
}

static size_t check_round_trip(size_t size)
{
	return check_packer(repeats_pack, repeats_bound(size), size);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void fill(uint32_t seed, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)next_random(&seed);
}

START_TEST(a_few_bytes)
{
	for (size_t size = 8; size < 40; size++) {
		memset(bytes, 'a', size);
		(void)check_round_trip(size);
		fill(1, size);
		(void)check_round_trip(size);
	}
}
END_TEST

START_TEST(one_byte_over_and_over_is_one_repetition)
{
	for (size_t size = 200; size < 1100; size++) {
		memset(bytes, (int)size, size);
		ck_assert_uint_lt(check_round_trip(size), 250);
	}
	memset(bytes, 0, sizeof(bytes));
	ck_assert_uint_lt(check_round_trip(sizeof(bytes)), 500);
}
END_TEST

/* `_i` is the distance less 32,765. The largest is 32,768. */
START_TEST(repetitions_are_found_up_to_the_largest_distance)
{
	const size_t distance = 32765 + (size_t)_i;

	fill(3, sizeof(bytes));
	memcpy(bytes + distance, bytes, 10000);
	if (distance <= 32768)
		ck_assert_uint_lt(
			check_round_trip(distance + 10000), distance + 1000);
	else
		ck_assert_uint_gt(
			check_round_trip(distance + 10000), distance + 9000);
}
END_TEST

/* Eight bytes that repeat, between bytes that do not. */
START_TEST(thousands_of_repetitions_are_several_blocks)
{
	size_t used;

	fill(4, sizeof(bytes));
	for (size_t i = 0; i + 9 <= sizeof(bytes); i += 9)
		memcpy(bytes + i + 1, "repeated", 8);
	used = check_round_trip(sizeof(bytes));
	ck_assert_uint_lt(used, sizeof(bytes) / 3);
	for (size_t size = sizeof(bytes) - 40; size < sizeof(bytes); size++)
		(void)check_round_trip(size);
	for (size_t size = (size_t)1022 * 9; size < (size_t)1026 * 9; size++)
		(void)check_round_trip(size);
}
END_TEST

/* The same block for all: its codes fit some, and others have other bytes. */
START_TEST(random_calls)
{
	uint32_t state = 7;

	for (int round = 0; round < 1500; round++) {
		const uint32_t size = 8 + next_random(&state) % 3000;
		const uint32_t range = 1 + next_random(&state) % 256;
		uint32_t at = 0;

		while (at < size) {
			uint32_t length = next_random(&state) % 40;
			uint32_t from = at == 0 ? 0 : next_random(&state) % at;

			bytes[at++] =
				(unsigned char)(next_random(&state) % range);
			for (; length > 0 && at < size; length--)
				bytes[at++] = bytes[from++];
		}
		(void)check_round_trip(size);
		(void)check_packer(huffman_pack, huffman_bound(size), size);
	}
}
END_TEST

/* Fills the first bytes with numbers below this one. */
static void fill_below(uint32_t range, size_t size)
{
	uint32_t state = range;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(next_random(&state) % range);
}

/* `_i` is the logarithm of the range of the block before. Its codes cost at most
 * 4 % in other blocks. */
START_TEST(codes_that_do_not_fit_are_made_again)
{
	const struct huffman_block none = {0};
	const size_t size = 20000;
	const size_t room = huffman_bound(size);

	for (uint32_t range = 2; range <= 256; range *= 2) {
		size_t best;

		fill_below(range, size);
		block = none;
		best = check_packer(huffman_pack, room, size);
		fill_below(UINT32_C(1) << _i, size);
		block = none;
		(void)check_packer(huffman_pack, room, size);
		fill_below(range, size);
		ck_assert_uint_lt(check_packer(huffman_pack, room, size),
			best + best / 25);
	}
}
END_TEST

START_TEST(other_sizes_are_refused)
{
	const size_t room = repeats_bound(1000);
	unsigned char *packed = malloc(room);

	ck_assert_ptr_nonnull(packed);
	ck_assert_uint_eq(
		repeats_pack(&block, bytes, 1000, packed, room - 1), 0);
	ck_assert_uint_eq(repeats_pack(&block, bytes, 7, packed, room), 0);
	ck_assert_uint_eq(repeats_pack(&block, bytes, REPEATS_BYTES_MAX + 1,
				  packed, 10 * REPEATS_BYTES_MAX),
		0);
	ck_assert_uint_gt(repeats_pack(&block, bytes, 1000, packed, room), 0);
	free(packed);
}
END_TEST

START_TEST(repetitions_are_expected_where_a_sample_has_some)
{
	fill(5, 10000);
	ck_assert(!repeats_expected(bytes, 10000));
	ck_assert(repeats_expected(bytes, 1000)); /* too few for a sample */
	for (size_t i = 0; i < 10000; i++)
		bytes[i] = (unsigned char)(i % 100);
	ck_assert(repeats_expected(bytes, 10000));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repeats");
	TCase *tests = tcase_create("repeats");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_few_bytes);
	tcase_add_test(tests, one_byte_over_and_over_is_one_repetition);
	tcase_add_loop_test(
		tests, repetitions_are_found_up_to_the_largest_distance, 0, 8);
	tcase_add_test(tests, thousands_of_repetitions_are_several_blocks);
	tcase_add_test(tests, random_calls);
	tcase_add_loop_test(tests, codes_that_do_not_fit_are_made_again, 0, 9);
	tcase_add_test(tests, other_sizes_are_refused);
	tcase_add_test(tests, repetitions_are_expected_where_a_sample_has_some);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
