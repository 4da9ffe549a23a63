/* SPDX-License-Identifier: MIT */
/* formats/io/gzip_file.[ch]: one member of gzip, with the same bytes whatever
 * the number of threads. */
#include <check.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/gzip_file.h"
#include "support/run_suite.h"

#define BLOCK_BYTES ((size_t)512 << 10)
#define SIZE_MAX_HERE (5 * BLOCK_BYTES + 77)

static uint8_t *input;
static uint8_t *output;

/* Text, noise and zero bytes. */
static void setup(void)
{
	uint32_t state = 1;

	input = calloc(1, SIZE_MAX_HERE);
	output = malloc(SIZE_MAX_HERE);
	ck_assert_ptr_nonnull(input);
	ck_assert_ptr_nonnull(output);
	for (size_t i = 0; i < SIZE_MAX_HERE; i++) {
		state = state * 1664525 + 1013904223;
		if (i / 100000 % 3 == 0)
			input[i] = (uint8_t) "{\"name\":\"step\"},\n"
				[(i + i / 97) % 17];
		else if (i / 100000 % 3 == 1)
			input[i] = (uint8_t)(state >> 24);
	}
}

static void teardown(void)
{
	free(input);
	free(output);
}

/* Compresses the first `size` bytes, in pieces; the caller frees the result. */
static char *pack(size_t size, size_t piece, size_t *packed_size)
{
	char *packed = NULL;
	FILE *out = open_memstream(&packed, packed_size);
	FILE *file;

	ck_assert_ptr_nonnull(out);
	file = gzip_file_open(out);
	ck_assert_ptr_nonnull(file);
	for (size_t at = 0; at < size; at += piece) {
		size_t part = size - at < piece ? size - at : piece;

		ck_assert_uint_eq(fwrite(input + at, 1, part, file), part);
	}
	ck_assert_int_eq(ftello(file), (off_t)size);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(fclose(out), 0);
	return packed;
}

/* A reader may know only the first member. */
static void check_unpacked(char *packed, size_t packed_size, size_t size)
{
	z_stream zlib = {.next_in = (Bytef *)packed,
		.avail_in = (uInt)packed_size,
		.next_out = output,
		.avail_out = (uInt)SIZE_MAX_HERE};

	ck_assert_int_eq(inflateInit2(&zlib, MAX_WBITS + 16), Z_OK);
	ck_assert_int_eq(inflate(&zlib, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(zlib.avail_in, 0);
	ck_assert_uint_eq(zlib.total_out, size);
	ck_assert_int_eq(inflateEnd(&zlib), Z_OK);
	ck_assert(size == 0 || memcmp(input, output, size) == 0);
}

static const size_t sizes[] = {0, 1, BLOCK_BYTES - 1, BLOCK_BYTES,
	BLOCK_BYTES + 1, 3 * BLOCK_BYTES, SIZE_MAX_HERE};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

START_TEST(bytes_are_one_member)
{
	size_t packed_size;
	char *packed = pack(sizes[_i], 100003, &packed_size);

	check_unpacked(packed, packed_size, sizes[_i]);
	free(packed);
}
END_TEST

START_TEST(bytes_do_not_depend_on_pieces)
{
	static const size_t pieces[] = {1000, 65536, 3 * BLOCK_BYTES};
	size_t packed_size;
	char *packed = pack(SIZE_MAX_HERE, SIZE_MAX_HERE, &packed_size);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t other_size;
		char *other = pack(SIZE_MAX_HERE, pieces[i], &other_size);

		ck_assert_uint_eq(other_size, packed_size);
		ck_assert_int_eq(memcmp(other, packed, packed_size), 0);
		free(other);
	}
	free(packed);
}
END_TEST

START_TEST(bytes_do_not_depend_on_processors)
{
	size_t packed_size;
	size_t other_size;
	char *packed = pack(SIZE_MAX_HERE, 4096, &packed_size);
	char *other;
	cpu_set_t allowed;
	cpu_set_t one;

	CPU_ZERO(&one);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (size_t i = 0; CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &allowed))
			CPU_SET(i, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	other = pack(SIZE_MAX_HERE, 4096, &other_size);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
	ck_assert_uint_eq(other_size, packed_size);
	ck_assert_int_eq(memcmp(other, packed, packed_size), 0);
	free(packed);
	free(other);
}
END_TEST

START_TEST(full_disk_is_an_error)
{
	FILE *out = fopen("/dev/full", "w");
	FILE *file;

	ck_assert_ptr_nonnull(out);
	file = gzip_file_open(out);
	ck_assert_ptr_nonnull(file);
	(void)fwrite(input, 1, sizes[_i], file);
	(void)fwrite(input, 1, sizes[_i], file);
	(void)fclose(file);
	ck_assert(fflush(out) != 0 || ferror(out));
	(void)fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gzip_file");
	TCase *tests = tcase_create("gzip_file");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, bytes_are_one_member, 0, SIZES);
	tcase_add_test(tests, bytes_do_not_depend_on_pieces);
	tcase_add_test(tests, bytes_do_not_depend_on_processors);
	tcase_add_loop_test(tests, full_disk_is_an_error, 0, SIZES);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
