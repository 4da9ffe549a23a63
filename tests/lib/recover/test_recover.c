/* SPDX-License-Identifier: MIT */
/* recover/recover.[ch] and its dependencies: for every state in which a
 * recorder can die, each of its events is recovered exactly once. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recover_case.h"
#include "support/run_suite.h"

static struct hand hand;

/* The log has this many ranges, each whole, in order, without losses. */
static void expect_ranges(uint64_t count)
{
	struct case_content content =
		record_case_read_log(record_case_path, "inner");

	ck_assert_uint_eq(content.named, count);
	ck_assert_uint_eq(content.kinds[EVENT_END], count);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}

static off_t size_of(const char *path)
{
	struct stat file;

	ck_assert_int_eq(stat(path, &file), 0);
	return file.st_size;
}

static void append(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	(void)close(fd);
}

/* A recording of 30 ranges: 10 are in the log, 10 are new in the same chunk,
 * and 10 in the next. */
static void make_usual(void)
{
	struct chunk *chunk;

	hand_open(&hand, 4);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 10, 0);
	hand_pack(&hand, chunk);
	hand_ranges(&hand, chunk, 10, 100000);
	hand_ranges(&hand, hand_take(&hand, 1, 1), 10, 200000);
	hand_die(&hand);
}

START_TEST(a_log_without_a_block_is_written_whole)
{
	struct recover_result result;

	hand_open(&hand, 4);
	hand_ranges(&hand, hand_take(&hand, 1, 0), 5, 0);
	hand_ranges(&hand, hand_take(&hand, 2, 0), 7, 0);
	hand_die(&hand);
	ck_assert_int_eq(size_of(record_case_path), 0);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_uint_eq(result.events, 24);
	ck_assert(!result.is_cut);
	expect_ranges(12);
	ck_assert_uint_eq(record_case_read_log(record_case_path, "").tracks, 2);
}
END_TEST

START_TEST(processes_without_a_log_are_still_counted)
{
	make_usual();
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	ck_assert_uint_eq(record_case_read_log(record_case_path, "")
				  .losses[LOSS_UNRECORDED],
		0);
	record_case_tear_down();
	record_case_set_up();
	hand_open(&hand, 4);
	hand.spool.header->unrecorded = 3;
	hand_ranges(&hand, hand_take(&hand, 1, 0), 5, 0);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	ck_assert_uint_eq(record_case_read_log(record_case_path, "")
				  .losses[LOSS_UNRECORDED],
		3);
}
END_TEST

START_TEST(logged_events_are_not_written_again)
{
	struct recover_result result;

	make_usual();
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_uint_eq(result.events, 40);
	expect_ranges(30);
}
END_TEST

START_TEST(a_block_half_written_is_cut_off)
{
	static const uint8_t magic[] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff,
		12, 0, 'C', 'T', 8, 0, 200, 0, 0, 0, 3};

	make_usual();
	append(record_case_path, magic, sizeof(magic));
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	expect_ranges(30);
}
END_TEST

START_TEST(blocks_that_are_not_journaled_are_written_anew)
{
	struct chunk *chunk;

	hand_open(&hand, 4);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 10, 0);
	(void)hand_write(&hand, chunk);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	expect_ranges(10);
}
END_TEST

START_TEST(a_header_that_is_not_journaled_is_written_anew)
{
	static const uint8_t torn[] = {0x1f, 0x8b, 8};

	hand_open(&hand, 4);
	hand_ranges(&hand, hand_take(&hand, 1, 0), 5, 0);
	hand_die(&hand);
	append(record_case_path, torn, sizeof(torn));
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	expect_ranges(5);
}
END_TEST

START_TEST(the_journal_may_be_ahead_of_the_chunk)
{
	struct chunk *chunk;

	hand_open(&hand, 4);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 10, 0);
	hand_pack(&hand, chunk);
	chunk->consumed = 0;
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	expect_ranges(10);
}
END_TEST

/* Returned and taken by another thread, the journal's chunk has new records. */
START_TEST(the_journals_chunk_may_be_another_by_now)
{
	for (uint32_t track = 1; track <= 2; track++) {
		struct chunk *chunk;
		struct chunk *next;

		hand_open(&hand, 4);
		hand_begin_log(&hand);
		chunk = hand_take(&hand, 1, 0);
		hand_ranges(&hand, chunk, 10, 0);
		hand_pack(&hand, chunk);
		spool_push_free(&hand.spool, chunk);
		next = hand_take(&hand, track, 2 - track);
		ck_assert_ptr_eq(next, chunk);
		hand_ranges(&hand, next, 3, 100000);
		hand_die(&hand);
		ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
		expect_ranges(13);
	}
}
END_TEST

START_TEST(a_chunk_half_cleared_is_not_read_again)
{
	for (uint32_t cleared = 0; cleared <= 20; cleared++) {
		struct chunk *chunk;

		hand_open(&hand, 4);
		hand_begin_log(&hand);
		chunk = hand_take(&hand, 1, 0);
		hand_ranges(&hand, chunk, 10, 0);
		hand_pack(&hand, chunk);
		hand_commit(&hand, NULL, 0);
		memset(chunk->words, 0, cleared * sizeof(chunk->words[0]));
		if (cleared == 20)
			chunk->consumed = 0;
		hand_die(&hand);
		ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
		expect_ranges(10);
	}
}
END_TEST

START_TEST(a_record_half_stored_ends_its_chunk)
{
	struct chunk *chunk;

	hand_open(&hand, 4);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 2, 0);
	chunk->words[5] = hand.start; /* of a long record at words[4] */
	chunk->words[6] = 1;
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	expect_ranges(2);
}
END_TEST

START_TEST(chunks_come_in_the_order_of_their_numbers)
{
	struct chunk *chunks[6];

	hand_open(&hand, 8);
	for (uint32_t i = 0; i < 6; i++)
		chunks[i] = hand_take(&hand, 1 + i % 2, 5 - i / 2);
	for (uint32_t i = 0; i < 6; i++)
		hand_ranges(&hand, chunks[i], 2 + i, (5 - i / 2) * 1000000);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	expect_ranges(2 + 3 + 4 + 5 + 6 + 7);
}
END_TEST

START_TEST(losses_are_carried_on)
{
	struct case_content content;
	struct chunk *chunk;

	hand_open(&hand, 4);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	chunk->dropped_ranges = 5;
	chunk->cut_text = 1;
	hand_ranges(&hand, chunk, 1, 0);
	hand_pack(&hand, chunk);
	chunk = hand_take(&hand, 1, 1);
	chunk->dropped_ranges = 5;
	chunk->cut_text = 1;
	chunk->dropped_events = 3;
	hand_ranges(&hand, chunk, 1, 10000);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	content = record_case_read_log(record_case_path, "inner");
	ck_assert_uint_eq(content.named, 2);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_RANGES], 5);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_EVENTS], 3);
	ck_assert_uint_eq(content.losses[LOSS_CUT_TEXT], 1);
	ck_assert_uint_eq(record_case_lost(&content), 5 + 3);
}
END_TEST

START_TEST(short_ranges_are_left_out_and_counted)
{
	struct case_content content;

	hand_open(&hand, 4);
	hand.spool.header->facts.min_ns = 1500;
	hand_ranges(&hand, hand_take(&hand, 1, 0), 9, 0);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	content = record_case_read_log(record_case_path, "inner");
	ck_assert_uint_eq(content.named, 0);
	ck_assert_uint_eq(content.losses[LOSS_SHORT_RANGES], 9);
}
END_TEST

START_TEST(ranges_still_open_are_closed_and_counted)
{
	struct case_content content;
	struct chunk *chunk;

	hand_open(&hand, 4);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 3, 0);
	chunk->words[5] = 0; /* the last one's end */
	hand_pack(&hand, chunk);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	content = record_case_read_log(record_case_path, "inner");
	ck_assert_uint_eq(content.named, 3);
	ck_assert_uint_eq(content.kinds[EVENT_END], 2);
}
END_TEST

START_TEST(a_complete_log_stays_as_it_is)
{
	struct recover_result result;
	struct chunk *chunk;
	off_t size;

	hand_open(&hand, 4);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	hand_ranges(&hand, chunk, 4, 0);
	hand_pack(&hand, chunk);
	hand_end_log(&hand);
	hand_die(&hand); /* before it could remove the spool */
	size = size_of(record_case_path);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert(result.was_complete);
	ck_assert_uint_eq(result.events, 0);
	ck_assert_int_eq(size_of(record_case_path), size);
	expect_ranges(4);
}
END_TEST

START_TEST(a_spool_that_was_not_filled_yet_is_removed)
{
	struct recover_result result;

	hand_open(&hand, 4);
	atomic_store(&hand.spool.header->ready, 0);
	hand_die(&hand);
	ck_assert_int_eq(hand_recover(NULL, &result), CTP_OK);
	ck_assert_str_eq(result.log, "");
	ck_assert_int_eq(size_of(record_case_path), 0);
	hand_open(&hand, 4);
	hand_die(&hand);
	ck_assert_int_eq(truncate(hand_spool(), 0), 0);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
}
END_TEST

START_TEST(a_spool_in_use_is_busy)
{
	static struct spool_file spool;
	struct spool_content content;

	hand_open(&hand, 4);
	hand_ranges(&hand, hand_take(&hand, 1, 0), 4, 0);
	ck_assert_int_eq(spool_file_open(&spool, hand_spool(), NULL), CTP_OK);
	ck_assert(spool.busy);
	ck_assert(spool.ready);
	spool_file_close(&spool);
	hand_die(&hand);
	ck_assert_int_eq(spool_file_open(&spool, hand_spool(), NULL), CTP_OK);
	ck_assert(!spool.busy);
	ck_assert_int_eq(spool_file_count(&spool, &content, NULL), CTP_OK);
	ck_assert_uint_eq(content.events, 8);
	ck_assert_uint_eq(content.ranges, 4);
	ck_assert_int_eq(spool_file_remove(&spool, NULL), CTP_OK);
	spool_file_close(&spool);
}
END_TEST

/* The disk is full after an increasing number of bytes; then there is room. */
START_TEST(a_repair_cut_short_can_be_done_again)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	for (rlim_t more = 0;; more += 20) {
		struct rlimit limit = {0, RLIM_INFINITY};
		enum ctp_status status;

		make_usual();
		limit.rlim_cur = (rlim_t)size_of(record_case_path) + more;
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		status = hand_recover(NULL, NULL);
		limit.rlim_cur = RLIM_INFINITY;
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		if (status == CTP_OK) {
			ck_assert_uint_gt(more, 60);
			break;
		}
		ck_assert_int_eq(status, CTP_ERR_IO);
		ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
		expect_ranges(30);
	}
	expect_ranges(30);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("recover");
	TCase *tests = tcase_create("recover");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_add_test(tests, a_log_without_a_block_is_written_whole);
	tcase_add_test(tests, processes_without_a_log_are_still_counted);
	tcase_add_test(tests, logged_events_are_not_written_again);
	tcase_add_test(tests, a_block_half_written_is_cut_off);
	tcase_add_test(tests, blocks_that_are_not_journaled_are_written_anew);
	tcase_add_test(tests, a_header_that_is_not_journaled_is_written_anew);
	tcase_add_test(tests, the_journal_may_be_ahead_of_the_chunk);
	tcase_add_test(tests, the_journals_chunk_may_be_another_by_now);
	tcase_add_test(tests, a_chunk_half_cleared_is_not_read_again);
	tcase_add_test(tests, a_record_half_stored_ends_its_chunk);
	tcase_add_test(tests, chunks_come_in_the_order_of_their_numbers);
	tcase_add_test(tests, losses_are_carried_on);
	tcase_add_test(tests, short_ranges_are_left_out_and_counted);
	tcase_add_test(tests, ranges_still_open_are_closed_and_counted);
	tcase_add_test(tests, a_complete_log_stays_as_it_is);
	tcase_add_test(tests, a_spool_that_was_not_filled_yet_is_removed);
	tcase_add_test(tests, a_spool_in_use_is_busy);
	tcase_add_test(tests, a_repair_cut_short_can_be_done_again);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
