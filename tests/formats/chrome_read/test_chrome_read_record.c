/* SPDX-License-Identifier: MIT */
/* formats/chrome_read/chrome_read_record.h */
#include <check.h>

#include "support/run_suite.h"
#include "chrome_read/chrome_read_record.h"

#define KEY_NS INT64_C(1000)

static const uint8_t args[] = {1, 2, 3};

/* Packs a record with its arguments at an arbitrary address and unpacks it;
 * returns the packed size. */
static size_t pack(const struct chrome_read_record *record, int64_t key_ns)
{
	uint8_t bytes[1 + sizeof(*record) + sizeof(args)];
	uint8_t *behind = bytes + 1 + sizeof(*record);
	const uint8_t *from;
	struct chrome_read_record again;

	memcpy(behind, args, sizeof(args));
	from = chrome_read_record_pack(behind, record, key_ns);
	ck_assert_ptr_eq(
		chrome_read_record_unpack(&again, from, key_ns), behind);
	ck_assert_mem_eq(&again, record, sizeof(again));
	ck_assert_mem_eq(behind, args, sizeof(args));
	return (size_t)(behind - from);
}

/* A record with the largest numbers of a short one. */
static struct chrome_read_record largest_short(void)
{
	return (struct chrome_read_record){.kind = CHROME_READ_COUNTERS,
		.event = UINT8_MAX,
		.flow = 15,
		.class = 15,
		.track = UINT32_MAX,
		.site = UINT32_MAX,
		.arg_count = UINT8_MAX,
		.time_ns = KEY_NS - (int64_t)UINT32_MAX,
		.dur_ns = UINT32_MAX,
		.id = UINT32_MAX,
		.external = UINT32_MAX,
		.order = UINT32_MAX};
}

START_TEST(small_numbers_make_a_short_record)
{
	struct chrome_read_record record = largest_short();

	ck_assert_uint_eq(
		pack(&record, KEY_NS), sizeof(struct chrome_read_record_short));
	record = (struct chrome_read_record){.time_ns = INT64_MIN};
	ck_assert_uint_eq(pack(&record, INT64_MIN),
		sizeof(struct chrome_read_record_short));
}
END_TEST

START_TEST(oversized_values_are_kept_whole)
{
	struct chrome_read_record records[8];

	for (size_t i = 0; i < 8; i++)
		records[i] = largest_short();
	records[0].arg_count++;
	records[1].time_ns--;
	records[2].dur_ns++;
	records[3].id++;
	records[4].external++;
	records[5].order++;
	records[6].frame = 1;
	records[7].after = -1;
	for (size_t i = 0; i < 8; i++)
		ck_assert_uint_eq(
			pack(&records[i], KEY_NS), sizeof(records[i]));
}
END_TEST

START_TEST(time_far_from_the_key_is_kept_whole)
{
	struct chrome_read_record record = {.time_ns = KEY_NS + 1};

	ck_assert_uint_eq(pack(&record, KEY_NS), sizeof(record));
	record.time_ns = INT64_MIN;
	ck_assert_uint_eq(pack(&record, INT64_MAX), sizeof(record));
	/* Their distance is 1, with wrap-around. */
	record.time_ns = INT64_MAX;
	(void)pack(&record, INT64_MIN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chrome_read_record");
	TCase *all = tcase_create("all");

	tcase_add_test(all, small_numbers_make_a_short_record);
	tcase_add_test(all, oversized_values_are_kept_whole);
	tcase_add_test(all, time_far_from_the_key_is_kept_whole);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
