/* SPDX-License-Identifier: MIT */
/* The scan by headers finds the same members as the reader, which unpacks
 * everything, whatever damage the log has. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/log_case.h"
#include "log_read/log_member.h"
#include "support/log_maker.h"
#include "log_read/log_scan.h"
#include "support/run_suite.h"

static int file = -1;

static void set_up(void)
{
	log_case_set_up();
	file = memfd_create("log", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
}

static void tear_down(void)
{
	(void)close(file);
	log_case_tear_down();
}

static void write_file(const void *bytes, size_t size)
{
	ck_assert_int_eq(ftruncate(file, 0), 0);
	ck_assert_int_eq(pwrite(file, bytes, size, 0), (ssize_t)size);
}

/* All sound blocks, one after the other, each after its size. */
static void add_block(struct buffer *blocks, struct cursor block)
{
	buffer_add(blocks, &block.left, sizeof(block.left));
	buffer_add(blocks, block.at, block.left);
}

static void read_by_input(struct buffer *blocks, const void *bytes, size_t size)
{
	FILE *in = fmemopen((void *)(uintptr_t)bytes, size, "r");
	struct trace *trace = trace_new(NULL);
	struct log_input *input = log_input_new(in, NULL, 0, trace->losses);
	struct cursor block;

	while (log_input_next(input, &block, NULL) == CTP_OK)
		add_block(blocks, block);
	log_input_free(input);
	trace_free(trace);
	(void)fclose(in);
}

static void read_by_scan(struct buffer *blocks)
{
	struct log_scan *scan = log_scan_new(file);
	struct log_member member;
	struct cursor block;
	bool sound;

	while (log_scan_next(scan, &member, NULL) == CTP_OK) {
		ck_assert_int_eq(
			log_scan_unpack(scan, &member, &block, &sound, NULL),
			CTP_OK);
		if (sound)
			add_block(blocks, block);
	}
	log_scan_free(scan);
}

/* Compares both readers on the log, and starts a new one. Returns the number of
 * bytes of blocks. */
static size_t compare_made(void)
{
	struct buffer expected = BUFFER_INIT;
	struct buffer found = BUFFER_INIT;
	size_t size;

	write_file(log_case_made.bytes, log_case_made.used);
	read_by_input(&expected, log_case_made.bytes, log_case_made.used);
	read_by_scan(&found);
	ck_assert_uint_eq(found.used, expected.used);
	if (found.used != 0)
		ck_assert_mem_eq(found.bytes, expected.bytes, found.used);
	size = found.used;
	buffer_clear(&expected);
	buffer_clear(&found);
	log_case_made.used = 0;
	return size;
}

START_TEST(members_come_in_order_with_kind_offset_and_size)
{
	static const uint8_t kinds[] = {0, 4, 1, 2, 3, 2, 3, 1, 3, 3, 5, 4, 6};
	struct log_scan *scan = log_scan_new(file);
	struct log_member member;
	struct log_maker_span span;
	size_t count = 0;

	write_file(log_case_small.bytes, log_case_small.used);
	while (log_scan_next(scan, &member, NULL) == CTP_OK) {
		ck_assert_uint_lt(count, sizeof(kinds));
		ck_assert(log_maker_find(&log_case_small, count, &span));
		ck_assert_uint_eq(member.offset, span.begin);
		ck_assert_uint_eq(member.size, span.end - span.begin);
		ck_assert_uint_eq(member.kind, kinds[count++]);
	}
	ck_assert_uint_eq(count, sizeof(kinds));
	log_scan_free(scan);
}
END_TEST

START_TEST(the_file_offset_is_left_alone)
{
	write_file(log_case_small.bytes, log_case_small.used);
	ck_assert_int_eq(lseek(file, 5, SEEK_SET), 5);
	log_case_copy_members(0, SIZE_MAX);
	ck_assert_uint_gt(compare_made(), 0);
	ck_assert_int_eq(lseek(file, 0, SEEK_CUR), 5);
}
END_TEST

START_TEST(every_prefix_has_the_same_members)
{
	for (size_t size = 1; size <= log_case_small.used; size++) {
		buffer_add(&log_case_made, log_case_small.bytes, size);
		(void)compare_made();
	}
}
END_TEST

/* `_i` is the member in which each bit is flipped in turn. */
START_TEST(a_flipped_bit_leaves_the_same_members)
{
	struct log_maker_span span;

	ck_assert(log_maker_find(&log_case_small, (size_t)_i, &span));
	for (size_t bit = span.begin * 8; bit < span.end * 8; bit++) {
		log_case_copy_members(0, SIZE_MAX);
		log_case_made.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_uint_gt(compare_made(), 0);
	}
}
END_TEST

START_TEST(garbage_between_members_is_passed_over)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;

	for (size_t member = 0; member <= 13; member++) {
		log_case_copy_members(0, member);
		buffer_add(&log_case_made, magic, 1 + member);
		buffer_add(&log_case_made, magic, sizeof(magic));
		buffer_add(&log_case_made, "\x7f\0\0\0\0\0\0\0 no member", 18);
		log_case_copy_members(member, SIZE_MAX);
		ck_assert_uint_gt(compare_made(), 0);
	}
}
END_TEST

/* More than is searched at a time, with bytes that look like members. */
START_TEST(a_long_gap_is_passed_over)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	size_t gap = 600000;

	log_case_copy_members(0, 5);
	ck_assert(buffer_reserve(&log_case_made, gap));
	memset(log_case_made.bytes + log_case_made.used, 0x1f, gap);
	for (size_t at = 0; at + 100 < gap; at += 99)
		memcpy(log_case_made.bytes + log_case_made.used + at, magic,
			sizeof(magic));
	log_case_made.used += gap;
	log_case_copy_members(5, SIZE_MAX);
	ck_assert_uint_gt(compare_made(), 0);
}
END_TEST

START_TEST(a_size_that_covers_sound_members_does_not_hide_them)
{
	struct log_maker_span third;
	struct log_maker_span fifth;

	ck_assert(log_maker_find(&log_case_small, 2, &third));
	ck_assert(log_maker_find(&log_case_small, 4, &fifth));
	log_case_copy_members(0, SIZE_MAX);
	log_case_made.bytes[third.begin + LOG_MAGIC_BYTES] =
		(uint8_t)(fifth.begin - third.begin);
	log_case_made.bytes[third.begin + LOG_MAGIC_BYTES + 1] =
		(uint8_t)((fifth.begin - third.begin) >> 8);
	(void)compare_made();
}
END_TEST

START_TEST(a_peek_gives_the_start_of_a_block)
{
	struct log_scan *scan = log_scan_new(file);
	struct log_member member;
	struct cursor block;
	uint8_t start[64];
	size_t got;
	bool sound;

	/* More than one read, and too large for the buffer. */
	log_maker_add(&log_case_made,
		"[3, 1, 0, 10, [7 * 1000], [], [], [0 * "
		"1000], [], '%02000d']",
		0);
	log_case_copy_members(0, SIZE_MAX);
	write_file(log_case_made.bytes, log_case_made.used);
	while (log_scan_next(scan, &member, NULL) == CTP_OK) {
		ck_assert_int_eq(log_scan_peek(scan, &member, start,
					 sizeof(start), &got, NULL),
			CTP_OK);
		ck_assert_int_eq(
			log_scan_unpack(scan, &member, &block, &sound, NULL),
			CTP_OK);
		ck_assert(sound);
		ck_assert_uint_eq(got, block.left < sizeof(start)
					       ? block.left
					       : sizeof(start));
		ck_assert_mem_eq(start, block.at, got);
	}
	log_scan_free(scan);
}
END_TEST

START_TEST(a_peek_at_damage_gives_less)
{
	struct log_scan *scan = log_scan_new(file);
	struct log_member member = {.offset = 0, .size = 100};
	uint8_t start[64];
	size_t got = 99;

	memset(log_case_small.bytes + LOG_HEADER_BYTES, 0xff, 100);
	write_file(log_case_small.bytes, log_case_small.used);
	ck_assert_int_eq(
		log_scan_peek(scan, &member, start, sizeof(start), &got, NULL),
		CTP_OK);
	ck_assert_uint_eq(got, 0);
	member.offset = log_case_small.used + 1000;
	got = 99;
	ck_assert_int_eq(
		log_scan_peek(scan, &member, start, sizeof(start), &got, NULL),
		CTP_OK);
	ck_assert_uint_eq(got, 0);
	log_scan_free(scan);
}
END_TEST

START_TEST(read_errors_are_errors)
{
	int pipes[2];
	struct log_scan *scan;
	struct log_member member;
	struct ctp_error err = {0};

	ck_assert_int_eq(pipe(pipes), 0);
	scan = log_scan_new(pipes[0]);
	ck_assert_int_eq(log_scan_next(scan, &member, &err), CTP_ERR_IO);
	ck_assert_int_ne(err.sys_errno, 0);
	log_scan_free(scan);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}
END_TEST

static TCase *make_scan(void)
{
	TCase *tests = tcase_create("scan");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, members_come_in_order_with_kind_offset_and_size);
	tcase_add_test(tests, the_file_offset_is_left_alone);
	tcase_add_test(tests, every_prefix_has_the_same_members);
	tcase_add_loop_test(
		tests, a_flipped_bit_leaves_the_same_members, 0, 13);
	tcase_add_test(tests, garbage_between_members_is_passed_over);
	tcase_add_test(tests, a_long_gap_is_passed_over);
	tcase_add_test(
		tests, a_size_that_covers_sound_members_does_not_hide_them);
	tcase_add_test(tests, a_peek_gives_the_start_of_a_block);
	tcase_add_test(tests, a_peek_at_damage_gives_less);
	tcase_add_test(tests, read_errors_are_errors);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_scan");

	suite_add_tcase(suite, make_scan());
	return run_suite(suite);
}
