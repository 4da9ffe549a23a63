/* SPDX-License-Identifier: MIT */
/* lib/log/log_write.[ch]: members in the form of FORMAT.md, and a log that
 * stays valid when the disk is full. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/log_maker.h"
#include "support/log_text.h"
#include "log/log_write.h"
#include "support/run_suite.h"

static char path[32];
static int fd;
static struct log_writer *writer;
static uint8_t log_bytes[1 << 20];
static size_t log_size;

static void setup(void)
{
	(void)snprintf(path, sizeof(path), "./test_log_write.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	writer = log_writer_new(fd, 1);
	ck_assert_ptr_nonnull(writer);
}

static void teardown(void)
{
	log_writer_free(writer);
	(void)unlink(path);
}

static enum ctp_status add(
	enum log_block kind, const struct buffer *block, struct ctp_error *err)
{
	return log_writer_add(writer, kind,
		&(struct deflate_part){block->bytes, block->used, DEFLATE_ANY},
		1, err);
}

static void read_file(void)
{
	FILE *file = fopen(path, "rb");

	ck_assert_ptr_nonnull(file);
	log_size = fread(log_bytes, 1, sizeof(log_bytes), file);
	(void)fclose(file);
}

/* Unpacks one gzip member with zlib's own gzip reader. Returns its size. */
static size_t gunzip(
	const uint8_t *member, size_t size, uint8_t *out, size_t *out_size)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)member,
		.avail_in = (uInt)size,
		.next_out = out,
		.avail_out = (uInt)*out_size};

	ck_assert_int_eq(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
	ck_assert_int_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	*out_size = stream.total_out;
	(void)inflateEnd(&stream);
	return stream.total_in;
}

START_TEST(a_member_follows_the_format)
{
	static const uint8_t begin[] = {
		0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 12, 0, 'C', 'T', 8, 0};
	uint8_t out[100];
	size_t out_size = sizeof(out);
	struct buffer block = BUFFER_INIT;

	log_maker_pack(&block, "[5, 1, {'cut_text': 1}]");
	ck_assert_int_eq(add(LOG_LOSSES, &block, NULL), CTP_OK);
	read_file();
	ck_assert_int_eq(memcmp(log_bytes, begin, sizeof(begin)), 0);
	ck_assert_uint_eq(
		log_bytes[16] | (unsigned)log_bytes[17] << 8, log_size);
	ck_assert_int_eq(memcmp(log_bytes + 18, "\0\0\5\0\0\0", 6), 0);
	ck_assert_uint_eq(
		gunzip(log_bytes, log_size, out, &out_size), log_size);
	ck_assert_uint_eq(out_size, block.used);
	ck_assert_int_eq(memcmp(out, block.bytes, out_size), 0);
	ck_assert_uint_eq(log_writer_bytes(writer), log_size);
	ck_assert_uint_eq(log_writer_blocks(writer), 1);
	buffer_clear(&block);
}
END_TEST

START_TEST(written_values_are_read)
{
	static const char *const recipes[] = {
		"[0, {'format': 'ctprof log', 'reader': 1}]",
		"[1, 1, [['f', 'a.c', 1]]]",
		"[3, 1, 0, 0, [5, 6], [], [1], [2, 0], []]",
		"[3, 1, 1, 20, [7 * 1000], [], [1], [2 * 500, 0 * 500], []]",
		"[6, {'log': 9000}]"};
	struct buffer made = BUFFER_INIT;
	struct log_text written;
	struct log_text expected;

	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		struct buffer block = BUFFER_INIT;

		log_maker_pack(&block, "%s", recipes[i]);
		ck_assert_int_eq(add((enum log_block)(recipes[i][1] - '0'),
					 &block, NULL),
			CTP_OK);
		log_maker_add(&made, "%s", recipes[i]);
		buffer_clear(&block);
	}
	read_file();
	ck_assert_uint_eq(log_writer_bytes(writer), log_size);
	ck_assert_uint_eq(log_writer_blocks(writer), 5);
	written = log_text_read(log_bytes, log_size);
	expected = log_text_read(made.bytes, made.used);
	ck_assert_int_eq(written.status, CTP_END);
	ck_assert_str_eq(written.events, expected.events);
	ck_assert_str_eq(written.losses, "");
	log_text_clear(&written);
	log_text_clear(&expected);
	buffer_clear(&made);
}
END_TEST

START_TEST(parts_are_one_block)
{
	struct buffer block = BUFFER_INIT;
	uint8_t out[5000];
	size_t out_size = sizeof(out);
	size_t third;

	log_maker_pack(
		&block, "[3, 1, 0, 0, [0 * 1000], [], [1], [2 * 1000], []]");
	third = block.used / 3;
	ck_assert_int_eq(
		log_writer_add(writer, LOG_EVENTS,
			(struct deflate_part[]){
				{block.bytes, third, DEFLATE_ANY},
				{block.bytes + third, third, DEFLATE_LITERALS},
				{block.bytes + 2 * third,
					block.used - 2 * third, DEFLATE_ANY}},
			3, NULL),
		CTP_OK);
	read_file();
	(void)gunzip(log_bytes, log_size, out, &out_size);
	ck_assert_uint_eq(out_size, block.used);
	ck_assert_int_eq(memcmp(out, block.bytes, out_size), 0);
	buffer_clear(&block);
}
END_TEST

START_TEST(a_block_that_is_too_large_is_refused)
{
	struct buffer block = BUFFER_INIT;
	struct ctp_error err;

	ck_assert(buffer_reserve(&block, LOG_BLOCK_MAX));
	memset(block.bytes, 0, LOG_BLOCK_MAX);
	block.used = LOG_BLOCK_MAX;
	ck_assert_int_eq(add(LOG_EVENTS, &block, &err), CTP_ERR_LIMIT);
	ck_assert_int_eq(err.status, CTP_ERR_LIMIT);
	ck_assert_uint_eq(log_writer_bytes(writer), 0);
	ck_assert_uint_eq(log_writer_blocks(writer), 0);
	buffer_clear(&block);
}
END_TEST

/* Writes blocks until the disk is full, simulated by a limit on file sizes. The
 * limit must be lifted before Check writes its own file. */
static void fill_disk(const struct buffer *block, struct ctp_error *err)
{
	struct rlimit limit = {1000, RLIM_INFINITY};
	int refused;

	(void)signal(SIGXFSZ, SIG_IGN);
	refused = setrlimit(RLIMIT_FSIZE, &limit);
	while (refused == 0 && add(LOG_TRACK, block, err) == CTP_OK)
		refused = log_writer_bytes(writer) > 1000;
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(refused, 0);
}

START_TEST(a_full_disk_leaves_whole_blocks)
{
	struct buffer block = BUFFER_INIT;
	struct ctp_error err = {.status = CTP_OK};
	struct log_text text;
	struct stat status;
	uint64_t blocks;

	log_maker_pack(&block, "[2, 1, 0, 77, 'worker']");
	fill_disk(&block, &err);
	ck_assert_int_eq(err.status, CTP_ERR_IO);
	ck_assert_int_eq(err.sys_errno, EFBIG);
	ck_assert_uint_eq(err.offset, 1000);
	blocks = log_writer_blocks(writer);
	ck_assert_uint_gt(blocks, 10);
	ck_assert_int_eq(fstat(fd, &status), 0);
	ck_assert_uint_eq((uint64_t)status.st_size, log_writer_bytes(writer));
	/* There is room again. */
	ck_assert_int_eq(add(LOG_TRACK, &block, NULL), CTP_OK);
	ck_assert_uint_eq(log_writer_blocks(writer), blocks + 1);
	read_file();
	ck_assert_uint_eq(log_size, log_writer_bytes(writer));
	text = log_text_read(log_bytes, log_size);
	ck_assert_int_eq(text.status, CTP_END);
	ck_assert_str_eq(text.losses, "truncated 1\n");
	log_text_clear(&text);
	buffer_clear(&block);
}
END_TEST

/* Sizes around those of one stored block and of two. */
START_TEST(level_0_stores_blocks)
{
	static const size_t sizes[] = {
		1, 65535 - 5, 65536 - 5, 131070 - 5, 131071 - 5, 200000};
	static uint8_t unpacked[200005];
	struct ctp_error err;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buffer block = BUFFER_INIT;
		const size_t parts = (sizes[i] + 5 + 65534) / 65535;
		size_t unpacked_size = sizeof(unpacked);

		log_writer_free(writer);
		fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
		writer = log_writer_new(fd, 0);
		ck_assert_ptr_nonnull(writer);
		ck_assert(buffer_reserve(&block, sizes[i] + 5));
		block.used = sizes[i] + 5;
		for (size_t j = 0; j < block.used; j++)
			block.bytes[j] = (uint8_t)(j * j);
		ck_assert_int_eq(add(LOG_FACTS, &block, &err), CTP_OK);
		read_file();
		ck_assert_uint_eq(log_size, LOG_HEADER_BYTES + 5 * parts +
						    block.used +
						    LOG_TRAILER_BYTES);
		ck_assert_uint_eq(log_writer_bytes(writer), log_size);
		ck_assert_uint_eq(
			gunzip(log_bytes, log_size, unpacked, &unpacked_size),
			log_size);
		ck_assert_uint_eq(unpacked_size, block.used);
		ck_assert_mem_eq(unpacked, block.bytes, block.used);
		buffer_clear(&block);
	}
}
END_TEST

START_TEST(a_device_that_takes_nothing_is_an_error)
{
	struct buffer block = BUFFER_INIT;
	struct ctp_error err;

	log_writer_free(writer);
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	writer = log_writer_new(fd, 9);
	ck_assert_ptr_nonnull(writer);
	log_maker_pack(&block, "[6, {}]");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(add(LOG_END, &block, &err), CTP_ERR_IO);
		ck_assert_int_eq(err.sys_errno, ENOSPC);
		ck_assert_uint_eq(log_writer_bytes(writer), 0);
	}
	buffer_clear(&block);
}
END_TEST

START_TEST(the_file_is_the_writers)
{
	log_writer_free(writer);
	writer = NULL;
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	ck_assert_int_eq(errno, EBADF);
	log_writer_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log_write");
	TCase *tests = tcase_create("log_write");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, a_member_follows_the_format);
	tcase_add_test(tests, level_0_stores_blocks);
	tcase_add_test(tests, written_values_are_read);
	tcase_add_test(tests, parts_are_one_block);
	tcase_add_test(tests, a_block_that_is_too_large_is_refused);
	tcase_add_test(tests, a_full_disk_leaves_whole_blocks);
	tcase_add_test(tests, a_device_that_takes_nothing_is_an_error);
	tcase_add_test(tests, the_file_is_the_writers);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
