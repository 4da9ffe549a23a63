/* SPDX-License-Identifier: MIT */
/* Damaged logs: every sound block is used, and losses are counted, without
 * other effects. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

START_TEST(every_prefix_is_read_and_reported_as_truncated)
{
	struct log_maker_span first;

	ck_assert(log_maker_find(&log_case_small, 0, &first));
	for (size_t size = 0; size < log_case_small.used; size++) {
		buffer_add(&log_case_made, log_case_small.bytes, size);
		log_case_read_made();
		if (size < first.end) {
			ck_assert_int_eq(log_case_text.status, CTP_ERR_FORMAT);
			continue;
		}
		ck_assert_int_eq(log_case_text.status, CTP_END);
		ck_assert_uint_eq(log_case_lost("truncated"), 1);
		ck_assert_int_eq(
			strncmp(log_case_whole.events, log_case_text.events,
				strlen(log_case_text.events)),
			0);
	}
}
END_TEST

START_TEST(a_cut_between_blocks_loses_only_later_blocks)
{
	for (size_t members = 1; members < 13; members++) {
		log_case_copy_members(0, members);
		log_case_read_made();
		ck_assert_uint_eq(log_case_lost("truncated"), 1);
		ck_assert_uint_eq(log_case_lost("damaged_blocks"), 0);
		ck_assert_uint_eq(log_case_lost("skipped_bytes"), 0);
	}
}
END_TEST

/* `_i` is the member in which each bit is flipped in turn. */
START_TEST(a_flipped_bit_costs_one_block_at_most)
{
	struct log_maker_span span;
	char *rest = log_case_without((size_t)_i);

	ck_assert(log_maker_find(&log_case_small, (size_t)_i, &span));
	for (size_t bit = span.begin * 8; bit < span.end * 8; bit++) {
		log_case_small.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		log_text_clear(&log_case_text);
		log_case_text = log_text_read(
			log_case_small.bytes, log_case_small.used);
		log_case_small.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_int_eq(log_case_text.status, CTP_END);
		if (strcmp(log_case_text.losses, log_case_whole.losses) == 0) {
			ck_assert_str_eq(
				log_case_text.events, log_case_whole.events);
			continue;
		}
		ck_assert_str_eq(log_case_text.events, rest);
		ck_assert_uint_gt(log_case_lost("damaged_blocks") +
					  log_case_lost("skipped_bytes"),
			0);
	}
	free(rest);
}
END_TEST

START_TEST(a_missing_block_is_counted_and_its_ranges_mended)
{
	log_case_copy_members(0, 8);
	log_case_copy_members(9, SIZE_MAX);
	log_case_read_made();
	/* The lost block ended `parse`, began another one, which looks the
	 * same, and one more inside. */
	ck_assert_ptr_nonnull(
		strstr(log_case_text.events, "1 600 end\n"
					     "0 2000 begin parse\n"
					     "0 2000 begin parse\n"
					     "0 2000 end\n"
					     "0 2010 begin lex\n"));
	ck_assert_str_eq(log_case_text.losses,
		"dropped_ranges 3\ncut_text 1\n"
		"missing_blocks 1\nmissing_events 15\nreopened_ranges 2\n");
	log_case_copy_members(0, 4);
	log_case_copy_members(5, SIZE_MAX);
	log_case_read_made();
	ck_assert_ptr_eq(
		strstr(log_case_text.events, "1 500"), log_case_text.events);
	ck_assert_ptr_nonnull(strstr(log_case_text.events,
		"0 1100 begin main\n0 1100 begin parse\n"));
	ck_assert_uint_eq(log_case_lost("reopened_ranges"), 1);
}
END_TEST

START_TEST(ranges_that_a_missing_block_ended_are_closed)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[1, 1, [['f', '', 0], ['g', '', 0]]]");
	log_maker_add(&log_case_made,
		"[3, 1, 0, 10, [0, 1, 1], [], [1, 2], [2, 3, 3], []]");
	/* Block 1, 2 and 3 are lost: two ranges ended, another began. */
	log_maker_add(&log_case_made,
		"[3, 1, 4, 100, [0, 1, 1, 1], [1, 1], [2], [2, 0, 0, 0], []]");
	log_maker_add(&log_case_made, "[6, {'log': 200}]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 10 begin f\n0 11 begin g\n"
					       "0 12 begin g\n"
					       "0 100 end\n0 100 end\n"
					       "0 100 begin f\n"
					       "0 100 begin g\n0 101 end\n"
					       "0 102 end\n0 103 end\n");
	ck_assert_str_eq(log_case_text.losses,
		"missing_blocks 3\nreopened_ranges 1\n"
		"closed_ranges 2\n");
}
END_TEST

START_TEST(a_gap_before_a_block_that_knows_no_stack_mends_nothing)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[1, 1, [['f', '', 0]]]");
	log_maker_add(
		&log_case_made, "[3, 1, 0, 10, [0, 1], [], [1], [2, 2], []]");
	log_maker_add(&log_case_made, "[3, 1, 2, 100, [0], nil, [], [0], []]");
	log_maker_add(&log_case_made, "[6, {'log': 200}]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 10 begin f\n0 11 begin f\n0 100 end\n");
	ck_assert_str_eq(log_case_text.losses, "missing_blocks 1\n");
}
END_TEST

START_TEST(any_block_may_be_missing)
{
	static const uint8_t events[13] = {[4] = 4, [6] = 2, [8] = 15, [9] = 5};

	for (size_t member = 0; member < 13; member++) {
		log_case_copy_members(0, member);
		log_case_copy_members(member + 1, SIZE_MAX);
		log_case_read_made();
		ck_assert_int_eq(log_case_text.status, CTP_END);
		/* The end block shows it, even if nothing else does. */
		ck_assert_uint_eq(log_case_lost("missing_blocks"), member < 12);
		ck_assert_uint_eq(
			log_case_lost("missing_events"), events[member]);
	}
	log_case_copy_members(0, 12);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_uint_eq(log_case_lost("truncated"), 1);
}
END_TEST

START_TEST(a_block_that_comes_twice_counts_once)
{
	for (size_t member = 1; member < 13; member++) {
		log_case_copy_members(0, member + 1);
		log_case_copy_members(member, SIZE_MAX);
		log_case_read_made();
		ck_assert_int_eq(log_case_text.status, CTP_END);
		ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	}
}
END_TEST

START_TEST(events_out_of_order_are_left_out)
{
	log_case_copy_members(0, 8);
	log_case_copy_members(9, 10);
	log_case_copy_members(8, 9);
	log_case_copy_members(10, SIZE_MAX);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_uint_eq(log_case_lost("missing_blocks"), 1);
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 1);
}
END_TEST

START_TEST(members_may_change_places)
{
	for (size_t member = 0; member + 1 < 13; member++) {
		log_case_copy_members(0, member);
		log_case_copy_members(member + 1, member + 2);
		log_case_copy_members(member, member + 1);
		log_case_copy_members(member + 2, SIZE_MAX);
		log_case_read_made();
		ck_assert_int_eq(log_case_text.status, CTP_END);
	}
}
END_TEST

START_TEST(garbage_between_members_is_skipped_and_counted)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	uint8_t garbage[600];

	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (uint8_t)(i * 7 + 1);
	/* With bytes that look like members, and the beginning of one at its
	 * end. */
	memcpy(garbage + 100, magic, sizeof(magic));
	memcpy(garbage + 200, magic, sizeof(magic));
	memset(garbage + 216, 0, 4);
	for (size_t size = 1; size <= sizeof(garbage); size += 23) {
		for (size_t member = 0; member <= 13; member++) {
			log_case_copy_members(0, member);
			buffer_add(&log_case_made, garbage, size);
			buffer_add(&log_case_made, magic, size % sizeof(magic));
			log_case_copy_members(member, SIZE_MAX);
			log_case_read_made();
			ck_assert_int_eq(log_case_text.status, CTP_END);
			ck_assert_str_eq(
				log_case_text.events, log_case_whole.events);
			ck_assert_uint_eq(log_case_lost("skipped_bytes"),
				size + size % sizeof(magic));
		}
	}
}
END_TEST

/* The gap between the members is larger than one read. */
START_TEST(a_long_gap_is_skipped)
{
	size_t gap = 3000000;

	log_case_copy_members(0, 5);
	ck_assert(buffer_reserve(&log_case_made, gap));
	memset(log_case_made.bytes + log_case_made.used, 0x1f, gap);
	log_case_made.used += gap;
	log_case_copy_members(5, SIZE_MAX);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, log_case_whole.events);
	ck_assert_uint_eq(log_case_lost("skipped_bytes"), gap);
}
END_TEST

/* If the first recording's header is lost, the second's still begins a
 * recording. */
START_TEST(a_lost_header_does_not_cost_the_next_recording)
{
	log_case_copy_members(1, SIZE_MAX);
	log_case_copy_members(0, SIZE_MAX);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 0);
	ck_assert_uint_eq(log_case_lost("dropped_ranges"), 6);
	ck_assert_uint_eq(strlen(log_case_text.events),
		2 * strlen(log_case_whole.events));
}
END_TEST

static TCase *make_damage(void)
{
	TCase *tests = tcase_create("damage");

	tcase_add_checked_fixture(tests, log_case_set_up, log_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, every_prefix_is_read_and_reported_as_truncated);
	tcase_add_test(tests, a_cut_between_blocks_loses_only_later_blocks);
	tcase_add_loop_test(
		tests, a_flipped_bit_costs_one_block_at_most, 0, 13);
	tcase_add_test(tests, a_missing_block_is_counted_and_its_ranges_mended);
	tcase_add_test(tests, ranges_that_a_missing_block_ended_are_closed);
	tcase_add_test(
		tests, a_gap_before_a_block_that_knows_no_stack_mends_nothing);
	tcase_add_test(tests, any_block_may_be_missing);
	tcase_add_test(tests, a_block_that_comes_twice_counts_once);
	tcase_add_test(tests, events_out_of_order_are_left_out);
	tcase_add_test(tests, members_may_change_places);
	tcase_add_test(tests, garbage_between_members_is_skipped_and_counted);
	tcase_add_test(tests, a_long_gap_is_skipped);
	tcase_add_test(tests, a_lost_header_does_not_cost_the_next_recording);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_damage");

	suite_add_tcase(suite, make_damage());
	return run_suite(suite);
}
