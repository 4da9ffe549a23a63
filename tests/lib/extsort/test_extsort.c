/* SPDX-License-Identifier: MIT */
/* lib/extsort/extsort.[ch]: with any amount of memory, records come back
 * complete and in qsort()'s order, and a full disk is an error. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/run_suite.h"
#include "extsort/extsort.h"

#define TINY 0 /* 128 KiB: four runs are merged at a time */
#define LARGE ((size_t)64 << 20)

/* The records added; the bytes follow from order and size. */
struct expected {
	int64_t time;
	int64_t rank;
	uint32_t order;
	uint32_t size;
};

static struct expected *expected;
static uint32_t expected_count;
static bool reversed;
static bool shrinks; /* set when all is sorted */

static uint32_t random_next(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static int compare(const void *a, const void *b)
{
	const struct expected *left = a;
	const struct expected *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return (left->order < right->order) != reversed ? -1 : 1;
}

/* The bytes of one record: its order, then what depends on it. */
static void fill(uint8_t *bytes, uint32_t order, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i < 4 ? order >> 8 * i : order + i);
}

static void begin(uint32_t count)
{
	expected = calloc(count, sizeof(*expected));
	ck_assert_ptr_nonnull(expected);
	expected_count = 0;
	reversed = false;
}

/* Memory for a record's bytes; one more, so that it is not empty. */
static uint8_t *room_for(uint32_t size)
{
	uint8_t *bytes = malloc(size + 1);

	if (bytes == NULL)
		ck_abort_msg("out of memory");
	return bytes;
}

/* Here and in check_all() each assertion would be a system call. */
static void add(struct extsort *sort, int64_t time, int64_t rank, uint32_t size)
{
	uint8_t *bytes = room_for(size);
	struct extsort_record record = {time, rank, bytes, size};
	struct ctp_error err = {0};

	fill(bytes, expected_count, size);
	if (extsort_add(sort, &record, &err) != CTP_OK)
		ck_abort_msg("%s", err.message);
	free(bytes);
	expected[expected_count] =
		(struct expected){time, rank, expected_count, size};
	expected_count++;
}

static void reverse(struct extsort *sort)
{
	extsort_reverse_ties(sort);
	reversed = true;
}

static bool is_right(
	const struct extsort_record *record, const struct expected *wanted)
{
	uint8_t *bytes = room_for(wanted->size);
	bool same;

	fill(bytes, wanted->order, wanted->size);
	same = record->time_ns == wanted->time &&
	       record->rank == wanted->rank && record->size == wanted->size &&
	       memcmp(bytes, record->bytes, wanted->size) == 0;
	free(bytes);
	return same;
}

/* Reads all records, and frees the sort. */
static void check_all(struct extsort *sort)
{
	struct extsort_record record;
	struct ctp_error err = {0};

	ck_assert_msg(extsort_sort(sort, &err) == CTP_OK, "%s", err.message);
	ck_assert_msg(!shrinks || extsort_shrink(sort, TINY, &err) == CTP_OK,
		"%s", err.message);
	qsort(expected, expected_count, sizeof(*expected), compare);
	for (uint32_t i = 0; i < expected_count; i++) {
		if (extsort_next(sort, &record, &err) != CTP_OK)
			ck_abort_msg("record %u: %s", i, err.message);
		if (!is_right(&record, &expected[i]))
			ck_abort_msg("record %u is another one", i);
	}
	ck_assert_int_eq(extsort_next(sort, &record, &err), CTP_END);
	ck_assert_int_eq(extsort_next(sort, &record, &err), CTP_END);
	extsort_free(sort);
	free(expected);
}

static struct extsort *extsort_of(size_t memory)
{
	struct extsort *sort = extsort_new(memory);

	ck_assert_ptr_nonnull(sort);
	return sort;
}

/* Counts the memory, and checks that most of it is returned in the end. */
static const struct {
	size_t bytes;
	bool shrinks;
} memories[] = {
	{TINY, false},
	{(size_t)1 << 20, false},
	{LARGE, false},
	{(size_t)1 << 20, true},
	{LARGE, true},
};

static struct extsort *extsort_for(int memory)
{
	shrinks = memories[memory].shrinks;
	return extsort_of(memories[memory].bytes);
}

START_TEST(nothing_gives_nothing)
{
	begin(1);
	check_all(extsort_for(_i));
}
END_TEST

/* Small keys, so that many are equal; some records are long. */
static int64_t any_rank(void)
{
	static const int64_t ranks[] = {
		0, 1, -1, 300, -70000, INT64_MAX, INT64_MIN, -INT64_MAX};

	return ranks[random_next() % (sizeof(ranks) / sizeof(*ranks))];
}

/* Times from a small range, so that many are equal; and at both ends. */
START_TEST(random_records_are_sorted)
{
	struct extsort *sort = extsort_for(_i);

	begin(60000);
	for (int i = 0; i < 60000; i++)
		add(sort,
			i % 1000 == 0 ? INT64_MIN
			: i % 1000 == 1
				? INT64_MAX
				: (int64_t)(random_next() % 20000) - 10000,
			any_rank(), random_next() % 120);
	check_all(sort);
}
END_TEST

/* Like a trace: a few sequences, each nearly sorted. */
START_TEST(sorted_sequences_are_merged)
{
	struct extsort *sort = extsort_for(_i);

	begin(40000);
	for (int i = 0; i < 40000; i++)
		add(sort, i % 10000 * 10 + (int)(random_next() % 25), 0,
			16 + random_next() % 64);
	check_all(sort);
}
END_TEST

START_TEST(backward_times_are_turned)
{
	struct extsort *sort = extsort_for(_i);

	begin(30000);
	for (int i = 0; i < 30000; i++)
		add(sort, -(i / 3), i % 2, 40);
	check_all(sort);
}
END_TEST

START_TEST(equal_records_keep_their_order)
{
	struct extsort *sort = extsort_for(_i);

	begin(30000);
	for (int i = 0; i < 30000; i++)
		add(sort, 5, 5, 30);
	check_all(sort);
}
END_TEST

/* At the start, in the middle, and after all have been added. */
START_TEST(reversed_ties_hold_for_all)
{
	for (int when = 0; when <= 30000; when += 15000) {
		struct extsort *sort = extsort_for(_i);

		begin(30001);
		for (int i = 0; i < 30001; i++) {
			if (i == when)
				reverse(sort);
			add(sort, (int64_t)(random_next() % 4), 1,
				random_next() % 100);
		}
		check_all(sort);
	}
}
END_TEST

/* One larger than all the memory, some larger than a part of it, one empty. */
START_TEST(long_records_come_whole)
{
	struct extsort *sort = extsort_for(_i);

	begin(2000);
	for (int i = 0; i < 2000; i++)
		add(sort, (int64_t)(random_next() % 100), 0,
			i == 700      ? 3000000
			: i == 701    ? 262100
			: i % 97 == 0 ? random_next() % 300000
				      : random_next() % 10);
	reverse(sort);
	check_all(sort);
}
END_TEST

START_TEST(records_of_no_bytes_come_in_order)
{
	struct extsort *sort = extsort_for(_i);

	begin(50000);
	for (int i = 0; i < 50000; i++) {
		if (i == 25000)
			reverse(sort);
		add(sort, (int64_t)(random_next() % 3), any_rank(), 0);
	}
	check_all(sort);
}
END_TEST

/* Later than the one before by 2^n or one less, which take 0 to 8 bytes. */
START_TEST(times_apart_by_any_power_of_two_are_kept)
{
	struct extsort *sort = extsort_for(_i);

	begin(64 * 200);
	for (int i = 0; i < 64 * 200; i++) {
		uint64_t apart = (UINT64_C(1) << i % 64) - (uint64_t)i / 64 % 2;

		add(sort, (int64_t)((uint64_t)INT64_MIN + apart),
			i % 3 == 0 ? (int64_t)apart : -(int64_t)(apart / 2),
			random_next() % 70);
	}
	check_all(sort);
}
END_TEST

/* The largest possible one, among others. */
START_TEST(longest_record_comes_whole)
{
	struct extsort *sort = extsort_for(_i);

	begin(3 * 700);
	for (int i = 0; i < 3 * 700; i++)
		add(sort, i % 7, 0,
			i == 1000 ? EXTSORT_RECORD_MAX : (uint32_t)i % 500);
	check_all(sort);
}
END_TEST

START_TEST(too_long_a_record_is_refused)
{
	struct extsort *sort = extsort_of(TINY);
	struct extsort_record record = {0, 0, "", EXTSORT_RECORD_MAX + 1};
	struct ctp_error err = {0};

	ck_assert_int_eq(extsort_add(sort, &record, &err), CTP_ERR_LIMIT);
	extsort_free(sort);
}
END_TEST

/* Adds until something fails, which it must within 20 MB. */
static enum ctp_status add_many(struct extsort *sort, struct ctp_error *err)
{
	static const uint8_t bytes[1000];
	struct extsort_record record = {0, 0, bytes, sizeof(bytes)};
	enum ctp_status status = CTP_OK;

	for (int i = 0; i < 20000 && status == CTP_OK; i++)
		status = extsort_add(sort, &record, err);
	return status;
}

/* A limit on the file's size simulates a full disk. */
START_TEST(full_disk_is_an_error)
{
	struct rlimit limit = {4 << 20, 4 << 20};
	struct extsort *sort = extsort_of(TINY);
	struct ctp_error err = {0};

	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(add_many(sort, &err), CTP_ERR_IO);
	ck_assert_int_eq(err.sys_errno, EFBIG);
	ck_assert_ptr_nonnull(strstr(err.message, "no room"));
	extsort_free(sort);
}
END_TEST

START_TEST(directory_that_is_not_there_is_an_error)
{
	struct extsort *sort = extsort_of(TINY);
	struct ctp_error err = {0};

	ck_assert_int_eq(setenv("TMPDIR", "/", 1), 0);
	ck_assert_int_eq(setenv("CTPROF_TMPDIR", "/is/not/there", 1), 0);
	ck_assert_int_eq(add_many(sort, &err), CTP_ERR_IO);
	ck_assert_int_eq(err.sys_errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(err.message, "/is/not/there"));
	extsort_free(sort);
}
END_TEST

/* If all fits into memory, no directory is needed. */
START_TEST(small_inputs_need_no_file)
{
	struct extsort *sort = extsort_of(LARGE);

	ck_assert_int_eq(setenv("CTPROF_TMPDIR", "/is/not/there", 1), 0);
	begin(10000);
	for (int i = 0; i < 10000; i++)
		add(sort, 10000 - i, 0, 1000);
	check_all(sort);
}
END_TEST

static int count_entries(const char *path)
{
	DIR *directory = opendir(path);
	int count = 0;

	ck_assert_ptr_nonnull(directory);
	while (readdir(directory) != NULL)
		count++;
	(void)closedir(directory);
	return count;
}

START_TEST(files_have_no_name)
{
	char path[] = "test_spill.XXXXXX";
	struct extsort *sort = extsort_of(TINY);
	struct ctp_error err = {0};
	struct stat before;

	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(stat(path, &before), 0);
	ck_assert_int_eq(unsetenv("CTPROF_TMPDIR"), 0);
	ck_assert_int_eq(setenv("TMPDIR", path, 1), 0);
	ck_assert_int_eq(add_many(sort, &err), CTP_OK);
	ck_assert_int_eq(count_entries(path), 2);
	ck_assert_int_eq(extsort_sort(sort, &err), CTP_OK);
	ck_assert_int_eq(count_entries(path), 2);
	extsort_free(sort);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("extsort");
	TCase *tests = tcase_create("extsort");
	int count = sizeof(memories) / sizeof(*memories);

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, nothing_gives_nothing, 0, count);
	tcase_add_loop_test(tests, random_records_are_sorted, 0, count);
	tcase_add_loop_test(tests, sorted_sequences_are_merged, 0, count);
	tcase_add_loop_test(tests, backward_times_are_turned, 0, count);
	tcase_add_loop_test(tests, equal_records_keep_their_order, 0, count);
	tcase_add_loop_test(tests, reversed_ties_hold_for_all, 0, count);
	tcase_add_loop_test(tests, long_records_come_whole, 0, count);
	tcase_add_loop_test(tests, records_of_no_bytes_come_in_order, 0, count);
	tcase_add_loop_test(
		tests, times_apart_by_any_power_of_two_are_kept, 0, count);
	tcase_add_loop_test(tests, longest_record_comes_whole, 0, count);
	tcase_add_test(tests, too_long_a_record_is_refused);
	tcase_add_test(tests, full_disk_is_an_error);
	tcase_add_test(tests, directory_that_is_not_there_is_an_error);
	tcase_add_test(tests, small_inputs_need_no_file);
	tcase_add_test(tests, files_have_no_name);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
