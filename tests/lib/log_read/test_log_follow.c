/* SPDX-License-Identifier: MIT */
/* Logs that are read while they are written. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "support/log_case.h"
#include "support/log_maker.h"
#include "log_read/log_read.h"
#include "support/run_suite.h"

static FILE *file;
static int writer; /* the same file, at its end */
static struct event_source *source;
static uint64_t events;

static void set_up(void)
{
	char path[] = "/tmp/ctprof_follow.XXXXXX";

	log_case_set_up();
	writer = mkstemp(path);
	ck_assert_int_ge(writer, 0);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(
		log_read_open(file, NULL, 0, NULL, &source, NULL), CTP_OK);
	source->follow(source, true);
	events = 0;
}

static void tear_down(void)
{
	source->close(source);
	(void)fclose(file);
	(void)close(writer);
	log_case_tear_down();
}

static void append(const void *bytes, size_t size)
{
	ck_assert_int_eq(write(writer, bytes, size), (ssize_t)size);
}

/* Reads all available events. */
static enum ctp_status read_on(void)
{
	enum ctp_status status = CTP_OK;
	struct event event;

	while (status == CTP_OK) {
		status = source->next(source, &event, NULL);
		events += status == CTP_OK;
	}
	return status;
}

static uint64_t line_count(const char *text)
{
	uint64_t count = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		count++;
	return count;
}

/* `_i` bytes come at a time. */
START_TEST(a_log_that_comes_in_pieces_is_read_as_a_whole_one)
{
	for (size_t at = 0; at < log_case_small.used; at += (size_t)_i) {
		size_t left = log_case_small.used - at;

		ck_assert(!source->is_whole(source));
		append(log_case_small.bytes + at,
			left < (size_t)_i ? left : (size_t)_i);
		ck_assert_int_eq(read_on(), CTP_END);
	}
	ck_assert(source->is_whole(source));
	source->follow(source, false);
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert_uint_eq(events, line_count(log_case_whole.events));
	ck_assert_uint_eq(source->position(source), log_case_small.used);
	ck_assert_uint_eq(source->trace->losses[LOSS_DAMAGED_BLOCKS], 0);
	ck_assert_uint_eq(source->trace->losses[LOSS_SKIPPED_BYTES], 0);
	ck_assert_uint_eq(source->trace->losses[LOSS_TRUNCATED], 0);
}
END_TEST

START_TEST(every_block_is_read_as_soon_as_it_is_whole)
{
	static const uint8_t want[13] = {
		0, 0, 0, 0, 4, 4, 6, 6, 20, 25, 25, 25, 25};
	struct log_maker_span span;

	for (size_t i = 0; i < 13; i++) {
		ck_assert(log_maker_find(&log_case_small, i, &span));
		append(log_case_small.bytes + span.begin,
			span.end - span.begin - 1);
		ck_assert_int_eq(read_on(), CTP_END);
		ck_assert_uint_eq(events, i == 0 ? 0 : want[i - 1]);
		append(log_case_small.bytes + span.end - 1, 1);
		ck_assert_int_eq(read_on(), CTP_END);
		ck_assert_uint_eq(events, want[i]);
	}
}
END_TEST

START_TEST(an_empty_file_is_not_an_error)
{
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert(!source->is_whole(source));
}
END_TEST

/* The bytes after it show that it is not a member half written. */
START_TEST(damage_is_passed_over_while_the_log_grows)
{
	struct log_maker_span span;

	ck_assert(log_maker_find(&log_case_small, 6, &span));
	/* Its size claims 16 MiB. */
	memcpy(log_case_small.bytes + span.begin + LOG_MAGIC_BYTES,
		"\0\0\0\x01", 4);
	append(log_case_small.bytes, span.end);
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert_uint_eq(source->trace->losses[LOSS_DAMAGED_BLOCKS], 0);
	append(log_case_small.bytes + span.end, log_case_small.used - span.end);
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert_uint_eq(source->trace->losses[LOSS_DAMAGED_BLOCKS], 1);
	ck_assert_uint_eq(source->trace->losses[LOSS_SKIPPED_BYTES],
		span.end - span.begin);
	ck_assert(source->is_whole(source));
	ck_assert_uint_eq(events, line_count(log_case_whole.events) - 2);
}
END_TEST

START_TEST(a_half_written_block_is_counted_when_following_ends)
{
	struct log_maker_span span;

	ck_assert(log_maker_find(&log_case_small, 9, &span));
	append(log_case_small.bytes, span.begin + 30);
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert_uint_eq(source->trace->losses[LOSS_DAMAGED_BLOCKS], 0);
	source->follow(source, false);
	ck_assert_int_eq(read_on(), CTP_END);
	ck_assert_uint_eq(source->trace->losses[LOSS_DAMAGED_BLOCKS], 1);
	ck_assert_uint_eq(source->trace->losses[LOSS_SKIPPED_BYTES], 30);
	ck_assert_uint_eq(source->trace->losses[LOSS_TRUNCATED], 1);
}
END_TEST

static TCase *make_follow(void)
{
	TCase *tests = tcase_create("follow");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 20);
	tcase_add_loop_test(tests,
		a_log_that_comes_in_pieces_is_read_as_a_whole_one, 1, 40);
	tcase_add_test(tests, every_block_is_read_as_soon_as_it_is_whole);
	tcase_add_test(tests, an_empty_file_is_not_an_error);
	tcase_add_test(tests, damage_is_passed_over_while_the_log_grows);
	tcase_add_test(
		tests, a_half_written_block_is_counted_when_following_ends);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_follow");

	suite_add_tcase(suite, make_follow());
	return run_suite(suite);
}
