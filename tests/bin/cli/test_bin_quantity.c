/* SPDX-License-Identifier: MIT */
/* Sizes, times and shares as people write and read them. */
#include <check.h>

#include "cli/quantity.h"
#include "support/run_suite.h"

static uint64_t size_of(const char *text)
{
	uint64_t bytes = 12345;

	ck_assert_msg(quantity_read_size(text, &bytes), "refused: %s", text);
	return bytes;
}

static uint64_t time_of(const char *text)
{
	uint64_t time_ns = 12345;

	ck_assert_msg(quantity_read_time(text, &time_ns), "refused: %s", text);
	return time_ns;
}

START_TEST(sizes_have_binary_units)
{
	ck_assert_uint_eq(size_of("0"), 0);
	ck_assert_uint_eq(size_of("65536"), 65536);
	ck_assert_uint_eq(size_of("64K"), 65536);
	ck_assert_uint_eq(size_of("64kib"), 65536);
	ck_assert_uint_eq(size_of("2M"), 2097152);
	ck_assert_uint_eq(size_of("3GB"), UINT64_C(3221225472));
	ck_assert_uint_eq(size_of("10B"), 10);
	ck_assert_uint_eq(size_of("18446744073709551615"), UINT64_MAX);
}
END_TEST

START_TEST(invalid_sizes_are_refused)
{
	static const char *const wrong[] = {"", "K", "-1", "1.5M", "1X", "1Kx",
		"1iB", " 1", "18446744073709551616", "16777216T"};
	uint64_t bytes = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!quantity_read_size(wrong[i], &bytes),
			"taken: '%s'", wrong[i]);
	ck_assert_uint_eq(bytes, 7);
}
END_TEST

START_TEST(times_are_exact)
{
	ck_assert_uint_eq(time_of("1500"), 1500);
	ck_assert_uint_eq(time_of("1.5us"), 1500);
	ck_assert_uint_eq(time_of("0.1s"), 100000000);
	ck_assert_uint_eq(time_of("20ms"), 20000000);
	ck_assert_uint_eq(time_of("1.999999999s"), 1999999999);
	ck_assert_uint_eq(time_of("18446744073.709551615s"), UINT64_MAX);
}
END_TEST

START_TEST(invalid_times_are_refused)
{
	static const char *const wrong[] = {
		"", "s", "1m", "1 s", "1,5s", "0.5%", "18446744073.709551616s"};
	uint64_t time_ns = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!quantity_read_time(wrong[i], &time_ns),
			"taken: '%s'", wrong[i]);
	ck_assert_uint_eq(time_ns, 7);
}
END_TEST

START_TEST(shares_are_parts_per_million)
{
	uint32_t ppm = 7;

	ck_assert(quantity_read_share("0.5%", &ppm));
	ck_assert_uint_eq(ppm, 5000);
	ck_assert(quantity_read_share("100%", &ppm));
	ck_assert_uint_eq(ppm, 1000000);
	ck_assert(quantity_read_share("0.0001%", &ppm));
	ck_assert_uint_eq(ppm, 1);
	ck_assert(!quantity_read_share("100.1%", &ppm));
	ck_assert(!quantity_read_share("5", &ppm));
	ck_assert(!quantity_read_share("%", &ppm));
	ck_assert_uint_eq(ppm, 1);
}
END_TEST

START_TEST(growth_may_be_more_than_all)
{
	uint32_t ppm = 7;

	ck_assert(quantity_read_growth("150.5%", &ppm));
	ck_assert_uint_eq(ppm, 1505000);
	ck_assert(quantity_read_growth("429496.7295%", &ppm));
	ck_assert_uint_eq(ppm, UINT32_MAX);
	ck_assert(!quantity_read_growth("429496.7296%", &ppm));
	ck_assert(!quantity_read_growth("150", &ppm));
	ck_assert_uint_eq(ppm, UINT32_MAX);
}
END_TEST

START_TEST(counts_begin_at_one)
{
	uint32_t count = 7;

	ck_assert(!quantity_read_count("0", &count));
	ck_assert(!quantity_read_count("1x", &count));
	ck_assert(!quantity_read_count("4294967296", &count));
	ck_assert_uint_eq(count, 7);
	ck_assert(quantity_read_count("4294967295", &count));
	ck_assert_uint_eq(count, UINT32_MAX);
}
END_TEST

START_TEST(texts_have_the_largest_unit)
{
	char text[QUANTITY_TEXT];

	ck_assert_str_eq(quantity_bytes(text, 0), "0 B");
	ck_assert_str_eq(quantity_bytes(text, 999), "999 B");
	ck_assert_str_eq(quantity_bytes(text, 1249999), "1.2 MB");
	ck_assert_str_eq(quantity_bytes(text, 1250000), "1.3 MB");
	ck_assert_str_eq(quantity_bytes(text, 1000), "1.0 kB");
	ck_assert_str_eq(quantity_bytes(text, 999949), "999.9 kB");
	ck_assert_str_eq(quantity_bytes(text, 999950), "1.0 MB");
	ck_assert_str_eq(quantity_time(text, 999), "999 ns");
	ck_assert_str_eq(quantity_time(text, 999949999), "999.9 ms");
	ck_assert_str_eq(quantity_time(text, 999950000), "1.0 s");
	ck_assert_str_eq(quantity_time(text, 850), "850 ns");
	ck_assert_str_eq(quantity_time(text, UINT64_C(3400000000)), "3.4 s");
	ck_assert_str_eq(quantity_time(text, UINT64_MAX), "18446744073.7 s");
}
END_TEST

START_TEST(means_are_to_the_nearest)
{
	ck_assert_uint_eq(quantity_mean(98718, 17), 5807);
	ck_assert_uint_eq(quantity_mean(3, 2), 2);
	ck_assert_uint_eq(quantity_mean(4, 3), 1);
	ck_assert_uint_eq(quantity_mean(5, 3), 2);
	ck_assert_uint_eq(quantity_mean(UINT64_MAX, 1), UINT64_MAX);
	ck_assert_uint_eq(quantity_mean(1, UINT64_MAX), 0);
	ck_assert_uint_eq(quantity_mean(7, 0), 0);
}
END_TEST

START_TEST(columns_have_three_decimals)
{
	char text[QUANTITY_TEXT];

	ck_assert_str_eq(quantity_in(text, 1250499, 1000000), "1.250");
	ck_assert_str_eq(quantity_in(text, 1250500, 1000000), "1.251");
	ck_assert_str_eq(quantity_in(text, 1999999, 1000000), "2.000");
	ck_assert_str_eq(
		quantity_in(text, UINT64_MAX, 1000000), "18446744073709.552");
	ck_assert_str_eq(quantity_in(text, 7, 1000), "0.007");
	ck_assert_str_eq(quantity_in(text, 7, 1), "7");
}
END_TEST

START_TEST(dates_may_be_before_1970)
{
	char text[QUANTITY_TEXT];

	ck_assert_str_eq(
		quantity_date(text, 0), "1970-01-01 00:00:00.000000000 UTC");
	ck_assert_str_eq(
		quantity_date(text, -1), "1969-12-31 23:59:59.999999999 UTC");
	ck_assert_str_eq(quantity_date(text, INT64_MIN),
		"1677-09-21 00:12:43.145224192 UTC");
	ck_assert_str_eq(quantity_date(text, INT64_MAX),
		"2262-04-11 23:47:16.854775807 UTC");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("quantity");
	TCase *all = tcase_create("all");

	tcase_add_test(all, sizes_have_binary_units);
	tcase_add_test(all, invalid_sizes_are_refused);
	tcase_add_test(all, times_are_exact);
	tcase_add_test(all, invalid_times_are_refused);
	tcase_add_test(all, shares_are_parts_per_million);
	tcase_add_test(all, growth_may_be_more_than_all);
	tcase_add_test(all, counts_begin_at_one);
	tcase_add_test(all, texts_have_the_largest_unit);
	tcase_add_test(all, means_are_to_the_nearest);
	tcase_add_test(all, columns_have_three_decimals);
	tcase_add_test(all, dates_may_be_before_1970);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
