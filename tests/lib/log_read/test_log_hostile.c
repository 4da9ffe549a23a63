/* SPDX-License-Identifier: MIT */
/* Hostile logs: a block that contradicts the format, or claims more than there
 * is, is left out and counted, without other effects. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "log/deflate.h"
#include "log/log.h"
#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

/* Sound members whose blocks contradict the format. Each comes before the last
 * two event blocks of the small log. */
static const char *const contradictions[] = {
	/* Not a block at all. */
	"7",
	"'text'",
	"nil",
	"{1: 2}",
	"[]",
	"[3]",
	"[nil, 1]",
	"['3', 1]",
	"[-1, 1]",
	"[0.0, {}]",
	/* Headers. */
	"[0, {}]",
	"[0, nil]",
	"[0, {'format': 'another log', 'reader': 1}]",
	"[0, {1: 2, 'format': 'ctprof log'}]",
	/* Sites. */
	"[1, 0, [['a', '', 1]]]",
	"[1, -1, []]",
	"[1, 16777216, []]",
	"[1, 16777215, [['a', '', 1], ['b', '', 1]]]",
	"[1, 4294967295, [['a', '', 1]]]",
	"[1, 4294967296, [['a', '', 1]]]",
	"[1, 7]",
	"[1, 7, 8]",
	"[1, 7, [['a', '']]]",
	"[1, 7, [['a', 1, '']]]",
	"[1, 7, [['a', '', -1]]]",
	"[1, 7, [['a', '', 4294967296]]]",
	"[1, 7, ['a', '', 1]]",
	"[1, 7, [['', '', 0, -1, 16, '']]]",
	"[1, 7, [['', '', 0, 1, -16, '']]]",
	"[1, 7, [['', '', 0, 1, 16, 0]]]",
	"[1, 7, [['', '', 0, nil, 16, '']]]",
	/* Modules. */
	"[16, 0, 4096, 8192, 'a', '']",
	"[16, 1048576, 4096, 8192, 'a', '']",
	"[16, 4294967297, 4096, 8192, 'a', '']",
	"[16, 1, -4096, 8192, 'a', '']",
	"[16, 1, 4096, 0.5, 'a', '']",
	"[16, 1, 4096, 8192, 1, '']",
	"[16, 1, 4096, 8192, 'a']",
	"[17, 0]",
	"[17, 1048576]",
	"[17, 'a']",
	/* Tracks. */
	"[2, 4194304, 0, 1, '']",
	"[2, -1, 0, 1, '']",
	"[2, 4294967297, 0, 1, '']",
	"[2, 1, 0, 1]",
	"[2, 1, 0, '1', '']",
	"[2, 1, 0, 18446744073709551615, '']",
	"[2, 1, 0, 1, 1]",
	/* Events. */
	"[3, 1, 1]",
	"[3, 4194304, 0, 0, [0], [], [1], [2], []]",
	"[3, 4294967297, 1, 0, [0], [], [1], [2], []]",
	"[3, -1, 1, 0, [0], [], [1], [2], []]",
	"[3, 1, -1, 0, [0], [], [1], [2], []]",
	"[3, 1, nil, 0, [0], [], [1], [2], []]",
	"[3, 1, 1, 0.0, [0], [], [1], [2], []]",
	"[3, 1, 1, 9223372036854775808, [0], [], [1], [2], []]",
	"[3, 1, 1, 0, [0], 1, [1], [2], []]",
	"[3, 1, 1, 0, [0], ['a'], [1], [2], []]",
	"[3, 1, 1, 0, [0], [16777216], [1], [2], []]",
	"[3, 1, 1, 0, [0], [4294967296], [1], [2], []]",
	"[3, 1, 1, 0, [0], [1 * 1025], [1], [2], []]",
	"[3, 1, 1, 0, [0], [], nil, [2], []]",
	"[3, 1, 1, 0, [0], [], [16777216], [2], []]",
	"[3, 1, 1, 0, [0], [], [4294967296], [2], []]",
	"[3, 1, 1, 0, [0], [], ['main'], [2], []]",
	"[3, 1, 1, 0, [0], [], [1], [3], []]",
	"[3, 1, 1, 0, [0], [], [], [2], []]",
	"[3, 1, 1, 0, [0], [], [1], [4294967295], []]",
	"[3, 1, 1, 0, [0], [], [1], [4294967298], []]",
	"[3, 1, 1, 0, [0], [], [1], [-1], []]",
	"[3, 1, 1, 0, [0], [], [1], [2, 2], []]",
	"[3, 1, 1, 0, [0, 0], [], [1], [2], []]",
	"[3, 1, 1, 0, [], [], [1], [2], []]",
	"[3, 1, 1, 0, ['0'], [], [1], [2], []]",
	"[3, 1, 1, 0, [9223372036854775808], [], [1], [2], []]",
	"[3, 1, 1, 0, [0], [], [1], [2], [[2, 1]]]",
	"[3, 1, 1, 0, [0], [], [1], [1], []]",
	"[3, 1, 1, 0, [0], [], [1], [1], [2]]",
	"[3, 1, 1, 0, [0], [], [1], [1], [{2: 1}]]",
	"[3, 1, 1, 0, [0], [], [1], [1], nil]",
	"[3, 1, 1, 0, [0], [], [1], [2]]",
	"[3, 1, 1, 0, [0 * 1048577], [], [1], [0 * 1048577], []]",
	"[3, 1, 1, 0, [0], [], [1 * 1048577], [2], []]",
	/* Sync, losses, end. */
	"[4, 5]",
	"[4, [5]]",
	"[4, [[1, 2]]]",
	"[4, [[1, '2', 3]]]",
	"[5, 1]",
	"[5, 1, []]",
	"[5, 1, {1: 2}]",
	"[5, 1, {'dropped_ranges': -1}]",
	"[5, 4194304, {'dropped_ranges': 1}]",
	"[6, []]",
	"[6, {1: 2}]",
};

START_TEST(a_block_that_contradicts_the_format_is_left_out)
{
	log_case_copy_members(0, 8);
	log_maker_add(&log_case_made, "%s", contradictions[_i]);
	log_case_copy_members(8, SIZE_MAX);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_msg(log_case_lost("damaged_blocks") == 1, "%s: %s",
		contradictions[_i], log_case_text.losses);
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_str_eq(log_case_text.tracks, log_case_whole.tracks);
	ck_assert_str_eq(log_case_text.facts, log_case_whole.facts);
	ck_assert_str_eq(log_case_text.losses,
		"dropped_ranges 3\ncut_text 1\ndamaged_blocks 1\n"
		"unknown_events 1\n");
}
END_TEST

/* The part of a block before the contradiction has no effect either. */
START_TEST(a_block_is_used_as_a_whole_or_not_at_all)
{
	log_case_copy_members(0, 8);
	log_maker_add(&log_case_made, "[1, 1, [['wrong', '', 0], 5]]");
	log_maker_add(&log_case_made, "[4, [[600000000, 601000000, 0], 5]]");
	log_maker_add(&log_case_made,
		"[5, 1, {'dropped_events': 5, 'cut_text': ''}]");
	log_maker_add(&log_case_made, "[6, {'log': 99999999, 1: 1}]");
	log_case_copy_members(8, SIZE_MAX);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_str_eq(log_case_text.losses,
		"dropped_ranges 3\ncut_text 1\ndamaged_blocks 4\n"
		"unknown_events 1\n");
	ck_assert_int_eq(log_case_text.end_ns, 3000);
}
END_TEST

/* Unknown rows: the block is sound all the same. */
static const char *const rows[] = {"[]", "[nil]", "[-1]", "[99]", "[0, 1]",
	"[[1, 2]]", "[1]", "[1, 'key']", "[1, 5, 6]", "[1, 'key', nil]",
	"[1, 'key', [1]]", "[1, 'key', 9223372036854775808]", "[2]", "[2, '']",
	"[2, 16777216]", "[2, -1]", "[2, 4294967297]", "[3]", "[3, 1]",
	"[3, 1, [2]]", "[4, 1]", "[4, 1, -1]", "[5, 1, '']", "[6, 1]",
	"[6, 1, 2]", "[6, 1, 2, 2147483648]", "[6, 1, 2, -2147483649]",
	"[7, -1, 2, 0]", "[8, 1]", "[8, 1, 2]", "[8, 1, 2, []]",
	"[4294967298, 1]"};

START_TEST(an_unknown_row_is_not_an_event)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[1, 1, [['f', '', 0]]]");
	log_maker_add(&log_case_made,
		"[3, 1, 0, 0, [1, 1, 1, 1], [], [1], [2, 1, 1, 0], [%s, [2, "
		"1]]]",
		rows[_i]);
	log_maker_add(&log_case_made, "[6, {'log': 9}]");
	log_case_read_made();
	ck_assert_str_eq(
		log_case_text.events, "0 1 begin f\n0 3 instant f\n0 4 end\n");
	ck_assert_str_eq(log_case_text.losses, "unknown_events 1\n");
}
END_TEST

/* The row is the last element of `extras`: the next element is not a part of
 * it. */
START_TEST(a_row_does_not_reach_beyond_itself)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[1, 1, [['f', '', 0]]]");
	log_maker_add(&log_case_made,
		"[3, 1, 0, 0, [1], [], [], [1], [%s], 2, 1, 1, 1]", rows[_i]);
	log_maker_add(&log_case_made, "[3, 1, 1, 0, [1], [], [], [1], [%s], 2]",
		rows[_i]);
	log_maker_add(&log_case_made, "[6, {'log': 9}]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "");
	ck_assert_str_eq(log_case_text.losses, "unknown_events 2\n");
}
END_TEST

/* A member between sound ones that must not be used. */
static void check_refused(const struct log_maker_member *member)
{
	log_case_copy_members(0, 6);
	log_maker_add_member(&log_case_made, member);
	log_case_copy_members(6, SIZE_MAX);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_uint_ge(log_case_lost("damaged_blocks"), 1);
}

/* Packed zero bytes; free with free(). */
static void *pack_zeros(size_t size, size_t *packed_size, uint32_t *crc)
{
	struct deflater *deflater = deflater_new(6);
	void *zeros = calloc(1, size);
	struct deflate_part part = {zeros, size, DEFLATE_ANY};
	size_t room;
	void *packed;

	ck_assert_ptr_nonnull(deflater);
	ck_assert_ptr_nonnull(zeros);
	room = deflater_bound(deflater, size);
	packed = malloc(room);
	ck_assert_ptr_nonnull(packed);
	*packed_size = deflater_pack(deflater, &part, 1, packed, room);
	ck_assert_uint_gt(*packed_size, 0);
	*crc = deflate_crc32(zeros, size);
	deflater_free(deflater);
	free(zeros);
	return packed;
}

START_TEST(a_block_of_over_16_mib_is_refused)
{
	struct log_maker_member member = {.kind = 4, .unpacked = 17 << 20};
	void *packed = pack_zeros(17 << 20, &member.size, &member.crc);

	member.data = packed;
	check_refused(&member);
	free(packed);
}
END_TEST

START_TEST(a_block_that_unpacks_to_more_than_its_size_is_refused)
{
	static const uint32_t sizes[] = {
		0, 1, 100, (16 << 20) - 1, UINT32_MAX, INT32_MAX};
	struct log_maker_member member = {.kind = 4};
	void *packed = pack_zeros(16 << 20, &member.size, &member.crc);

	member.data = packed;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		member.unpacked = sizes[i];
		check_refused(&member);
	}
	free(packed);
}
END_TEST

/* 16 MiB from 16 KiB: deflate's best ratio, well formed, but not a block. */
START_TEST(mebibytes_of_zeros_are_not_a_block)
{
	struct log_maker_member member = {.kind = 4, .unpacked = 16 << 20};
	void *packed = pack_zeros(16 << 20, &member.size, &member.crc);

	member.data = packed;
	for (int i = 0; i < 20; i++) {
		log_case_copy_members(0, 6);
		log_maker_add_member(&log_case_made, &member);
		log_case_copy_members(6, SIZE_MAX);
	}
	log_case_read_made();
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 20);
	ck_assert_uint_eq(log_case_lost("skipped_bytes"), 0);
	free(packed);
}
END_TEST

START_TEST(a_wrong_crc_or_size_is_refused)
{
	struct log_maker_member member = {.kind = 4, .unpacked = 1000};
	void *packed = pack_zeros(1000, &member.size, &member.crc);

	member.data = packed;
	member.crc++;
	check_refused(&member);
	member.crc--;
	member.unpacked++;
	check_refused(&member);
	member.unpacked -= 2;
	check_refused(&member);
	member.unpacked++;
	member.size--;
	check_refused(&member);
	free(packed);
}
END_TEST

START_TEST(bytes_behind_the_packed_data_are_refused)
{
	struct log_maker_member member = {.kind = 4, .unpacked = 1000};
	uint8_t *packed = pack_zeros(1000, &member.size, &member.crc);
	uint8_t *longer = calloc(1, member.size + 1);

	ck_assert_ptr_nonnull(longer);
	memcpy(longer, packed, member.size++);
	member.data = longer;
	check_refused(&member);
	free(longer);
	free(packed);
}
END_TEST

/* Invalid sizes in the extra field. */
START_TEST(a_member_with_a_wrong_size_costs_itself_alone)
{
	static const uint32_t sizes[] = {0, 1, 24, 31, 32, 33, 16 << 20,
		(16 << 20) + 1, INT32_MAX, UINT32_MAX};
	struct log_maker_span span;
	char *rest = log_case_without(6);

	ck_assert(log_maker_find(&log_case_small, 6, &span));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		log_case_copy_members(0, SIZE_MAX);
		memcpy(log_case_made.bytes + span.begin + LOG_MAGIC_BYTES,
			&sizes[i], 4);
		log_case_read_made();
		ck_assert_int_eq(log_case_text.status, CTP_END);
		ck_assert_str_eq(log_case_text.events, rest);
		ck_assert_uint_eq(
			log_case_lost("skipped_bytes"), span.end - span.begin);
	}
	free(rest);
}
END_TEST

/* The member that a reader may not take for the end of the log. */
START_TEST(a_member_that_claims_the_rest_of_the_log_costs_itself_alone)
{
	struct log_maker_span span;
	char *rest = log_case_without(4);
	uint32_t size;

	ck_assert(log_maker_find(&log_case_small, 4, &span));
	for (size_t end = span.end + 1; end <= log_case_small.used; end += 5) {
		log_case_copy_members(0, SIZE_MAX);
		size = (uint32_t)(end - span.begin);
		memcpy(log_case_made.bytes + span.begin + LOG_MAGIC_BYTES,
			&size, 4);
		log_case_read_made();
		ck_assert_str_eq(log_case_text.events, rest);
		ck_assert_uint_eq(log_case_lost("damaged_blocks"), 1);
	}
	free(rest);
}
END_TEST

START_TEST(arrays_that_claim_more_than_there_is_are_refused)
{
	/* Counts of 2^32 - 1 in place of each array of an event block. */
	static const uint8_t huge[] = {0xdd, 0xff, 0xff, 0xff, 0xff};
	static const char *const begin[] = {"", "3, 1, 1, 0, ",
		"3, 1, 1, 0, [0], ", "3, 1, 1, 0, [0], [], ",
		"3, 1, 1, 0, [0], [], [1], ", "3, 1, 1, 0, [0], [], [1], [2], ",
		"1, 1, ", "4, ", "5, 1, "};
	/* The block's claimed number of elements. */
	static const uint8_t elements[] = {2, 9, 9, 9, 9, 9, 3, 2, 3};
	struct buffer block = BUFFER_INIT;

	log_case_copy_members(0, 8);
	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
		log_maker_pack(&block, "[%s]", begin[i]);
		block.bytes[0] = 0x90 | elements[i];
		buffer_add(&block, huge, sizeof(huge));
		buffer_add(&block, "\0\0\0\0\0\0\0\0", 8);
		log_maker_add_bytes(&log_case_made, 3, block.bytes, block.used);
		block.used = 0;
	}
	log_case_copy_members(8, SIZE_MAX);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 9);
	buffer_clear(&block);
}
END_TEST

/* Deeper than our stacks allow. */
START_TEST(deep_nesting_in_a_block_is_read)
{
	size_t depth = 1000000;
	struct buffer block = BUFFER_INIT;

	log_maker_pack(&block, "[6, {'log': 5, 'deep': nil}]");
	block.used--;
	ck_assert(buffer_reserve(&block, depth + 1));
	memset(block.bytes + block.used, 0x91, depth);
	block.used += depth;
	buffer_add_byte(&block, 0xc0);
	log_case_copy_members(0, 1);
	log_maker_add_bytes(&log_case_made, 14, block.bytes, block.used);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_str_eq(log_case_text.losses, "");
	buffer_clear(&block);
}
END_TEST

START_TEST(bytes_behind_the_array_of_a_block_are_refused)
{
	struct buffer block = BUFFER_INIT;

	log_case_copy_members(0, 8);
	for (int kind = 0; kind < 8; kind++) {
		log_maker_pack(&block, "%s",
			kind == LOG_EVENTS
				? "[3, 1, 1, 0, [0], [], [1], [2], []]"
				: "[7, 2]");
		buffer_add_byte(&block, 0);
		block.bytes[1] = (uint8_t)kind;
		log_maker_add_bytes(&log_case_made, 3, block.bytes, block.used);
		block.used = 0;
	}
	log_case_copy_members(8, SIZE_MAX);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 8);
	buffer_clear(&block);
}
END_TEST

static TCase *make_hostile(void)
{
	TCase *tests = tcase_create("hostile");
	int blocks = sizeof(contradictions) / sizeof(contradictions[0]);
	int row_count = sizeof(rows) / sizeof(rows[0]);

	tcase_add_checked_fixture(tests, log_case_set_up, log_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests,
		a_block_that_contradicts_the_format_is_left_out, 0, blocks);
	tcase_add_test(tests, a_block_is_used_as_a_whole_or_not_at_all);
	tcase_add_loop_test(
		tests, an_unknown_row_is_not_an_event, 0, row_count);
	tcase_add_loop_test(
		tests, a_row_does_not_reach_beyond_itself, 0, row_count);
	tcase_add_test(tests, a_block_of_over_16_mib_is_refused);
	tcase_add_test(
		tests, a_block_that_unpacks_to_more_than_its_size_is_refused);
	tcase_add_test(tests, mebibytes_of_zeros_are_not_a_block);
	tcase_add_test(tests, a_wrong_crc_or_size_is_refused);
	tcase_add_test(tests, bytes_behind_the_packed_data_are_refused);
	tcase_add_test(tests, a_member_with_a_wrong_size_costs_itself_alone);
	tcase_add_test(tests,
		a_member_that_claims_the_rest_of_the_log_costs_itself_alone);
	tcase_add_test(tests, arrays_that_claim_more_than_there_is_are_refused);
	tcase_add_test(tests, deep_nesting_in_a_block_is_read);
	tcase_add_test(tests, bytes_behind_the_array_of_a_block_are_refused);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_hostile");

	suite_add_tcase(suite, make_hostile());
	return run_suite(suite);
}
