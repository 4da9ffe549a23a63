/* SPDX-License-Identifier: MIT */
/* Logs that threads read ahead: the result is always that of reading without
 * them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log_read/log_read.h"
#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

#define BLOCKS 160

/* One thread, and several. */
static const unsigned all_jobs[] = {2, 6};

#define ALL_JOBS ((int)(sizeof(all_jobs) / sizeof(*all_jobs)))

static unsigned jobs; /* of the test */

/* Compares both ways of reading. */
static void check(const void *bytes, size_t size)
{
	struct log_text text = log_text_read_ahead(bytes, size, jobs);
	struct log_text want = log_text_read(bytes, size);

	ck_assert_int_eq(text.status, want.status);
	ck_assert_str_eq(text.events, want.events);
	ck_assert_str_eq(text.tracks, want.tracks);
	ck_assert_str_eq(text.losses, want.losses);
	ck_assert_str_eq(text.facts, want.facts);
	ck_assert_str_eq(text.modules, want.modules);
	ck_assert_str_eq(text.devices, want.devices);
	ck_assert_int_eq(text.end_ns, want.end_ns);
	ck_assert_int_eq(text.base_realtime_ns, want.base_realtime_ns);
	if (text.status != CTP_END)
		ck_assert_str_eq(text.err.message, want.err.message);
	log_text_clear(&text);
	log_text_clear(&want);
}

START_TEST(every_prefix_is_read_as_without_threads)
{
	jobs = all_jobs[_i];
	for (size_t size = 0; size <= log_case_small.used; size += 7)
		check(log_case_small.bytes, size);
	check(log_case_small.bytes, log_case_small.used);
}
END_TEST

START_TEST(every_damage_is_read_as_without_threads)
{
	jobs = all_jobs[_i];
	for (size_t at = 0; at < log_case_small.used; at += 5) {
		log_case_small.bytes[at] ^= 0x10;
		check(log_case_small.bytes, log_case_small.used);
		log_case_small.bytes[at] ^= 0x10;
	}
}
END_TEST

/* Blocks of two tracks: sites and syncs between them, blocks with other events,
 * unknown sites, ranges open across blocks, and sites and tracks that change. */
static void add_recording(struct buffer *log, int64_t realtime)
{
	log_maker_add_header(log, realtime, 1);
	if (realtime == 1000)
		log_maker_add(log, "[4, [[0, 0, 0]]]");
	for (int i = 0; i < BLOCKS; i++) {
		const bool deeper = i % 2 == 0;

		if (i % 8 == 0)
			log_maker_add(
				log, "[1, %d, [['f%d', '', 0]]]", 1 + i / 8, i);
		if (i % 48 == 5)
			log_maker_add(log, "[4, [[%d000000, %d100000, 0]]]",
				i * 1000, i * 1000);
		if (i == 60)
			log_maker_add(log, "[2, 2, 1, 7, 'timeline']");
		if (i == 93)
			log_maker_add(log, "[1, 3, [['other', '', 0]]]");
		log_maker_add(log,
			"[3, %d, %d, %d000000000, [1 * 40], [%s], [%d, 1], "
			"[%s], []]",
			1 + i / 4 % 2, i / 8 * 4 + i % 4, i,
			deeper ? "" : "1, 1", 1 + i / 32 + 30 * (i == 40),
			deeper ? "2, 3 * 19, 0 * 18, 3, 3"
			       : "0, 0, 2 * 18, 0 * 18, 0, 0");
		if (i % 12 == 3)
			log_maker_add(log,
				"[3, 3, %d, %d000000000, [0, 1, 1], [], [1], "
				"[2, 1, 0], "
				"[[1, 7]]]",
				i / 12, i);
	}
	log_maker_add(log, "[6, {'log': 999000000000}]");
}

static void add_blocks(struct buffer *log)
{
	add_recording(log, 1000);
	add_recording(log, 5000);
}

START_TEST(blocks_of_all_kinds_are_read_as_without_threads)
{
	struct log_maker_span span;

	jobs = all_jobs[_i];
	log_case_small.used = 0;
	add_blocks(&log_case_small);
	check(log_case_small.bytes, log_case_small.used);
	for (size_t i = 0; log_maker_find(&log_case_small, i, &span); i += 7) {
		log_case_copy_members(0, i);
		log_case_copy_members(i + 1, SIZE_MAX);
		check(log_case_made.bytes, log_case_made.used);
		log_case_made.used = 0;
		/* Damaged instead of missing. */
		log_case_small.bytes[(span.begin + span.end) / 2] ^= 4;
		check(log_case_small.bytes, log_case_small.used);
		log_case_small.bytes[(span.begin + span.end) / 2] ^= 4;
	}
}
END_TEST

START_TEST(a_log_may_be_closed_before_its_end)
{
	const struct read_request request = {.jobs = all_jobs[_i]};
	struct event_source *source;
	struct event event;

	log_case_small.used = 0;
	add_blocks(&log_case_small);
	for (int count = 0; count < 200; count += 9) {
		FILE *file = fmemopen(
			log_case_small.bytes, log_case_small.used, "rb");

		ck_assert_int_eq(
			log_read_open(file, NULL, 0, &request, &source, NULL),
			CTP_OK);
		for (int i = 0; i < count; i++)
			ck_assert_int_eq(
				source->next(source, &event, NULL), CTP_OK);
		source->close(source);
		(void)fclose(file);
	}
}
END_TEST

START_TEST(a_full_memory_is_an_error_as_without_threads)
{
	const struct read_request request = {.jobs = all_jobs[_i]};
	struct event_source *source;
	struct event event;
	enum ctp_status status = CTP_OK;
	FILE *file = fmemopen(log_case_small.bytes, log_case_small.used, "rb");

	ck_assert_int_eq(
		log_read_open(file, NULL, 0, &request, &source, NULL), CTP_OK);
	memory_set_limit(1);
	while (status == CTP_OK)
		status = source->next(source, &event, NULL);
	memory_set_limit(0);
	ck_assert_int_eq(status, CTP_ERR_NOMEM);
	source->close(source);
	(void)fclose(file);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log_ahead");
	TCase *tests = tcase_create("ahead");

	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, log_case_set_up, log_case_tear_down);
	tcase_add_loop_test(
		tests, every_prefix_is_read_as_without_threads, 0, ALL_JOBS);
	tcase_add_loop_test(
		tests, every_damage_is_read_as_without_threads, 0, ALL_JOBS);
	tcase_add_loop_test(tests,
		blocks_of_all_kinds_are_read_as_without_threads, 0, ALL_JOBS);
	tcase_add_loop_test(
		tests, a_log_may_be_closed_before_its_end, 0, ALL_JOBS);
	tcase_add_loop_test(tests, a_full_memory_is_an_error_as_without_threads,
		0, ALL_JOBS);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
