/* SPDX-License-Identifier: MIT */
/* Stray stores of a program into the mapped spool: the recorder relies only on
 * the records, and counts those that it cannot read. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_case.h"
#include "pack/spool.h"
#include "support/run_suite.h"

#define RANGES 100

static uint8_t *spool;
static size_t spool_bytes;

/* Its address in memory, as the only mapped file of its kind. */
static void find_spool(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[8192];

	ck_assert_ptr_nonnull(maps);
	spool = NULL;
	while (fgets(line, sizeof(line), maps) != NULL) {
		const char *dash;

		if (strstr(line, SPOOL_DIRECTORY "/ctprof.") == NULL)
			continue;
		dash = strchr(line, '-');
		ck_assert_ptr_nonnull(dash);
		spool = (uint8_t *)(uintptr_t)strtoull(line, NULL, 16);
		spool_bytes = strtoull(dash + 1, NULL, 16) - (uintptr_t)spool;
	}
	(void)fclose(maps);
	ck_assert_ptr_nonnull(spool);
}

static struct chunk *chunk_at(size_t index)
{
	return (struct chunk *)(void *)(spool + (1 + index) * CHUNK_BYTES);
}

/* Our chunk is the first that is not the registry's. */
static struct chunk *find_chunk(void)
{
	size_t index = 0;

	while (chunk_at(index)->track == 0) {
		index++;
		ck_assert_uint_lt((2 + index) * CHUNK_BYTES, spool_bytes);
	}
	return chunk_at(index);
}

static void start(void)
{
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_record(1); /* the site is known from now on */
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	find_spool();
}

START_TEST(a_destroyed_header_and_heads_cost_nothing)
{
	struct case_content content;

	start();
	record_case_record(RANGES);
	memset(spool, 0xff, sizeof(struct spool_header));
	for (size_t i = 0; (1 + i) * CHUNK_BYTES < spool_bytes; i++)
		memset(chunk_at(i), 0xff, offsetof(struct chunk, words));
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	/* And over many chunks. */
	record_case_record(100 * RANGES);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 101 * RANGES + 1);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(records_behind_a_destroyed_one_are_counted)
{
	struct case_content content;

	start();
	record_case_record(RANGES);
	find_chunk()->words[2 + RANGES] = 0;
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 1 + RANGES / 2);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_EVENTS], RANGES);
}
END_TEST

/* The chunk was full, and is returned: it holds no data any more. */
START_TEST(records_of_a_full_chunk_are_counted_as_well)
{
	struct case_content content;
	struct chunk *chunk;

	start();
	chunk = find_chunk();
	record_case_record((int)CHUNK_WORDS / 2 - 2);
	chunk->words[10] = 0;
	record_case_record(10 * (int)CHUNK_WORDS);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN] +
				  content.kinds[EVENT_END] +
				  content.losses[LOSS_DROPPED_EVENTS],
		2 * (1 + CHUNK_WORDS / 2 - 2 + 10 * CHUNK_WORDS));
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_wild");
	TCase *tests = tcase_create("record_wild");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, a_destroyed_header_and_heads_cost_nothing);
	tcase_add_test(tests, records_behind_a_destroyed_one_are_counted);
	tcase_add_test(tests, records_of_a_full_chunk_are_counted_as_well);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
