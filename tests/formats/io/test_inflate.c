/* SPDX-License-Identifier: MIT */
/* formats/inflate_*.[ch]: a gzip'd file is read like its contents, up to damage
 * at any position. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "io/inflate_file.h"
#include "support/run_suite.h"

#define PLAIN_BYTES ((size_t)5 << 20) /* more than all buffers */

static uint8_t plain[PLAIN_BYTES];
static uint8_t packed[2 * PLAIN_BYTES];
static size_t packed_bytes;

/* Half of it is noise. */
static void make_plain(void)
{
	uint32_t state = 7;

	for (size_t i = 0; i < PLAIN_BYTES; i++) {
		state = state * 1664525 + 1013904223;
		plain[i] = i / 4096 % 2 ? (uint8_t)(state >> 24)
					: (uint8_t)(i >> 8);
	}
}

/* Adds a member with [from, to) of `plain`. */
static void pack_as(size_t from, size_t to, gz_header *header)
{
	z_stream zlib = {0};

	ck_assert_int_eq(deflateInit2(&zlib, 1, Z_DEFLATED, MAX_WBITS + 16, 8,
				 Z_DEFAULT_STRATEGY),
		Z_OK);
	if (header != NULL)
		ck_assert_int_eq(deflateSetHeader(&zlib, header), Z_OK);
	zlib.next_in = plain + from;
	zlib.avail_in = (uInt)(to - from);
	zlib.next_out = packed + packed_bytes;
	zlib.avail_out = (uInt)(sizeof(packed) - packed_bytes);
	ck_assert_int_eq(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	packed_bytes += zlib.total_out;
	ck_assert_int_eq(deflateEnd(&zlib), Z_OK);
}

static void pack(size_t from, size_t to)
{
	pack_as(from, to, NULL);
}

static void setup(void)
{
	make_plain();
	packed_bytes = 0;
}

/* The first `size` bytes as a file, 20 of which are already read. */
static struct inflate_file *open_packed(size_t size, FILE **file)
{
	size_t head = size < 20 ? size : 20;
	struct inflate_file *inflate;

	*file = tmpfile();
	ck_assert_ptr_nonnull(*file);
	ck_assert_uint_eq(fwrite(packed, 1, size, *file), size);
	ck_assert_int_eq(fflush(*file), 0);
	ck_assert_int_eq(
		lseek(fileno(*file), (off_t)head, SEEK_SET), (off_t)head);
	ck_assert_int_eq(
		inflate_file_open(&inflate, fileno(*file), packed, head, NULL),
		CTP_OK);
	return inflate;
}

/* Reads everything in pieces of several sizes; returns the size. It must be a
 * prefix of `plain`. */
static size_t read_all(struct inflate_file *inflate)
{
	static uint8_t bytes[PLAIN_BYTES + 1];
	static const size_t pieces[] = {1, 3000, 100000, 1 << 20};
	FILE *in = inflate_file_stream(inflate);
	size_t size = 0;
	size_t got = 1;

	for (size_t i = 0; got > 0 && size < sizeof(bytes); i++) {
		size_t piece = pieces[i % 4];

		if (piece > sizeof(bytes) - size)
			piece = sizeof(bytes) - size;
		got = fread(bytes + size, 1, piece, in);
		size += got;
	}
	ck_assert_uint_le(size, PLAIN_BYTES);
	ck_assert_int_eq(memcmp(bytes, plain, size), 0);
	return size;
}

static struct inflate_facts read_facts(size_t size, size_t *got)
{
	FILE *file;
	struct inflate_file *inflate = open_packed(size, &file);
	struct inflate_facts facts;

	*got = read_all(inflate);
	ck_assert_int_eq(ferror(inflate_file_stream(inflate)), 0);
	facts = inflate_file_facts(inflate);
	ck_assert_uint_eq(facts.position, size);
	inflate_file_close(inflate);
	ck_assert_int_eq(fclose(file), 0);
	return facts;
}

START_TEST(members_are_one_file)
{
	struct inflate_facts facts;
	size_t got;

	pack(0, 1);
	pack(1, 1);
	pack(1, 3000000);
	pack(3000000, PLAIN_BYTES);
	facts = read_facts(packed_bytes, &got);
	ck_assert_uint_eq(got, PLAIN_BYTES);
	ck_assert_ptr_null(facts.damage);
	ck_assert_uint_eq(facts.strange_bytes, 0);
}
END_TEST

/* A small file is decompressed at once, unless its header has more than a
 * name. */
START_TEST(fields_of_the_header_are_skipped)
{
	char name[] = "rank0.json";
	uint8_t extra[] = {'a', 'b', 1, 0, 'c'};
	gz_header headers[] = {
		{.name = (Bytef *)name},
		{.extra = extra, .extra_len = sizeof(extra)},
		{.comment = (Bytef *)name},
		{.name = (Bytef *)name, .hcrc = 1},
	};
	size_t count = sizeof(headers) / sizeof(headers[0]);

	for (size_t i = 0; i < count; i++) {
		struct inflate_facts facts;
		size_t got;

		packed_bytes = 0;
		pack_as(0, 100000, &headers[i]);
		facts = read_facts(packed_bytes, &got);
		ck_assert_uint_eq(got, 100000);
		ck_assert_ptr_null(facts.damage);
	}
}
END_TEST

/* As on tapes and block devices; and a member after it. */
START_TEST(zeros_are_padding)
{
	struct inflate_facts facts;
	size_t got;

	pack(0, 1000);
	memset(packed + packed_bytes, 0, 600000);
	packed_bytes += 600000;
	pack(1000, 2000);
	facts = read_facts(packed_bytes, &got);
	ck_assert_uint_eq(got, 2000);
	ck_assert_ptr_null(facts.damage);
	ck_assert_uint_eq(facts.strange_bytes, 0);
}
END_TEST

START_TEST(trailing_bytes_are_counted)
{
	struct inflate_facts facts;
	size_t got;

	pack(0, 1000);
	memset(packed + packed_bytes, 'x', 600000);
	packed_bytes += 600000;
	facts = read_facts(packed_bytes, &got);
	ck_assert_uint_eq(got, 1000);
	ck_assert_ptr_null(facts.damage);
	ck_assert_uint_eq(facts.strange_bytes, 600000);
}
END_TEST

/* For any end of the file. */
START_TEST(beginning_of_a_file_is_used)
{
	size_t last = 0;
	size_t first;

	pack(0, 3000);
	first = packed_bytes;
	pack(3000, 9000);
	for (size_t size = 1; size < packed_bytes; size += 7) {
		struct inflate_facts facts;
		size_t got;

		facts = read_facts(size, &got);
		ck_assert_uint_ge(got, last);
		last = got;
		if (size == first)
			continue;
		ck_assert_ptr_nonnull(facts.damage);
		ck_assert_uint_eq(facts.damage_at, size);
	}
	ck_assert_uint_gt(last, 8000);
}
END_TEST

START_TEST(damage_ends_the_file_there)
{
	struct inflate_facts facts;
	size_t got;

	pack(0, PLAIN_BYTES);
	/* In the checksum: everything is read before it is checked. */
	packed[packed_bytes - 5] ^= 1;
	facts = read_facts(packed_bytes, &got);
	ck_assert_uint_eq(got, PLAIN_BYTES);
	ck_assert_str_eq(facts.damage, "incorrect data check");
	ck_assert_uint_eq(facts.damage_at, packed_bytes - 4);
}
END_TEST

/* After the fixed part of the header, every change is noticed. */
START_TEST(damage_inside_is_found)
{
	pack(0, 3000);
	for (size_t at = 10; at < packed_bytes; at += 11) {
		FILE *file;
		struct inflate_file *inflate;
		static uint8_t bytes[100000];

		packed[at] ^= 0x55;
		inflate = open_packed(packed_bytes, &file);
		while (fread(bytes, 1, sizeof(bytes),
			       inflate_file_stream(inflate)) > 0)
			;
		ck_assert_ptr_nonnull(inflate_file_facts(inflate).damage);
		inflate_file_close(inflate);
		ck_assert_int_eq(fclose(file), 0);
		packed[at] ^= 0x55;
	}
}
END_TEST

/* The descriptor cannot be read: that is not an end. */
START_TEST(reading_fails_as_reading)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct inflate_file *inflate;
	char byte;

	pack(0, 1000);
	ck_assert_int_eq(
		inflate_file_open(&inflate, fd, packed, 20, NULL), CTP_OK);
	ck_assert_uint_eq(fread(&byte, 1, 1, inflate_file_stream(inflate)), 0);
	ck_assert_int_eq(errno, EBADF);
	ck_assert(ferror(inflate_file_stream(inflate)));
	ck_assert(!feof(inflate_file_stream(inflate)));
	inflate_file_close(inflate);
	ck_assert_int_eq(close(fd), 0);
}
END_TEST

/* A pipe with a silent writer does not block closing. */
START_TEST(close_does_not_wait)
{
	struct inflate_file *inflate;
	int ends[2];

	pack(0, 1000);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(
		inflate_file_open(&inflate, ends[0], packed, 20, NULL), CTP_OK);
	inflate_file_close(inflate);
	ck_assert_int_eq(close(ends[0]), 0);
	ck_assert_int_eq(close(ends[1]), 0);
}
END_TEST

/* Nor does a full ring. */
START_TEST(rest_need_not_be_read)
{
	struct inflate_file *inflate;
	FILE *file;
	uint8_t byte;

	pack(0, PLAIN_BYTES);
	inflate = open_packed(packed_bytes, &file);
	ck_assert_uint_eq(fread(&byte, 1, 1, inflate_file_stream(inflate)), 1);
	ck_assert_uint_eq(byte, plain[0]);
	inflate_file_close(inflate);
	ck_assert_int_eq(fclose(file), 0);
}
END_TEST

START_TEST(gzip_is_recognized_by_its_first_bytes)
{
	ck_assert(inflate_file_probe("\x1f\x8b\x08", 3));
	ck_assert(inflate_file_probe("\x1f\x8b\x08", 2));
	ck_assert(inflate_file_probe("\x1f", 1));
	ck_assert(!inflate_file_probe("\x1f\x8b\x08", 0));
	ck_assert(!inflate_file_probe("\x1f\x8c", 2));
	ck_assert(!inflate_file_probe("\x1f\x8b\x07", 3));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inflate");
	TCase *tests = tcase_create("inflate");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, members_are_one_file);
	tcase_add_test(tests, fields_of_the_header_are_skipped);
	tcase_add_test(tests, zeros_are_padding);
	tcase_add_test(tests, trailing_bytes_are_counted);
	tcase_add_test(tests, beginning_of_a_file_is_used);
	tcase_add_test(tests, damage_ends_the_file_there);
	tcase_add_test(tests, damage_inside_is_found);
	tcase_add_test(tests, reading_fails_as_reading);
	tcase_add_test(tests, close_does_not_wait);
	tcase_add_test(tests, rest_need_not_be_read);
	tcase_add_test(tests, gzip_is_recognized_by_its_first_bytes);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
