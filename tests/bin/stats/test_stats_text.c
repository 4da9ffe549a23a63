/* SPDX-License-Identifier: MIT */
/* bin/stats: the exact text of the tables of devices. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device_case.h"
#include "support/run_suite.h"
#include "stats/stats.h"

static struct stats_options options;
static struct profile *sum;
static char *bytes;
static size_t size;

static void setup(void)
{
	device_case_set_up();
	options = (struct stats_options){
		.key = stats_key("device"), .gpu = true, .unit = STATS_NS};
	sum = profile_new();
	ck_assert_ptr_nonnull(sum);
}

static void teardown(void)
{
	device_case_tear_down();
	profile_free(sum);
	free(bytes);
	bytes = NULL;
}

/* Adds the replayed events as one input. */
static void add_input(void)
{
	device_case_finish();
	ck_assert(profile_add(sum, device_case_profile));
}

static void print(enum report_style style)
{
	static char name[] = "run.ctp";
	char *inputs[] = {name};
	struct report report = {
		.schema = "ctprof/stats/1", .inputs = inputs, .input_count = 1};
	struct report_options report_options = {.style = style};
	struct stats stats;
	FILE *out;

	free(bytes);
	bytes = NULL;
	out = open_memstream(&bytes, &size);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(profile_sort(sum, NULL), CTP_OK);
	ck_assert_int_eq(stats_init(&stats, sum, &options, NULL), CTP_OK);
	ck_assert_int_eq(report_write(&report_options, &report, out,
				 stats_write, &stats),
		0);
	stats_clear(&stats);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(work_and_its_launchers_are_two_tables)
{
	run_small();
	did(STREAM, COPY, 1, 77);
	did(NAMELESS, L, 2, 1);
	add_input();
	print(REPORT_TEXT);
	ck_assert_str_eq(bytes,
		"count  total ns  mean ns  min ns  max ns  share %  device     "
		" "
		"what it did\n"
		"    3      8500     2833     500    7000    96.56  1 Tester 9 "
		" "
		"k\n"
		"    2       301      151       1     300     3.42  1 Tester 9 "
		" "
		"Memcpy HtoD\n"
		"    1         2        2       2       2     0.02  3          "
		" "
		"l\n"
		"\n"
		"ncalls  self device ns  device ns  tottime ns  cumtime ns  "
		"launched by\n"
		"     1            7000       8802          30         110  "
		"main (a.c:0)\n"
		"     1            1802       1802          40          70  "
		"f (a.c:0)\n"
		"\n"
		"Device time: 8803 ns in 6 activities\n"
		"Activities whose launch is not in the log: 1\n");
}
END_TEST

START_TEST(callers_and_callees_are_below_them)
{
	run_small();
	add_input();
	options.callers = true;
	options.callees = true;
	options.top = 1;
	print(REPORT_TEXT);
	ck_assert_str_eq(bytes,
		"count  total ns  mean ns  min ns  max ns  share %  device     "
		" "
		"what it did\n"
		"    3      8500     2833     500    7000    96.59  1 Tester 9 "
		" "
		"k\n"
		"    1      7000     7000                    79.55             "
		" "
		"  <- main (a.c:0)\n"
		"    2      1500      750                    17.05             "
		" "
		"  <- f (a.c:0)\n"
		"(1 more not shown; see --top and --min)\n"
		"\n"
		"ncalls  self device ns  device ns  tottime ns  cumtime ns  "
		"launched by\n"
		"     1            7000       8800          30         110  "
		"main (a.c:0)\n"
		"     1            7000       7000                          "
		"  -> k " GPU "\n"
		"     1                                     40          70  "
		"  -> f (a.c:0)\n"
		"     1                                     10          10  "
		"  -> cudaLaunchKernel\n"
		"(1 more function not shown; see --top and --min)\n"
		"\n"
		"Device time: 8800 ns in 4 activities\n"
		"Activities whose launch is not in the log: 0\n");
}
END_TEST

START_TEST(limits_are_of_the_devices_time)
{
	run_small();
	add_input();
	options.min_parts = 250000; /* per million, of 8800 ns */
	print(REPORT_TEXT);
	ck_assert_ptr_null(strstr(bytes, "Memcpy"));
	ck_assert_ptr_null(strstr(bytes, "f (a.c:0)"));
	ck_assert_ptr_nonnull(strstr(bytes, "main (a.c:0)"));
	options.min_parts = 0;
	options.min_cumtime_ns = 300;
	print(REPORT_TEXT);
	ck_assert_ptr_nonnull(strstr(bytes, "Memcpy"));
	ck_assert_ptr_nonnull(strstr(bytes, "f (a.c:0)"));
	ck_assert_ptr_null(strstr(bytes, "not shown"));
}
END_TEST

/* Does `one` come before `two` in the output? */
static bool is_before(const char *one, const char *two)
{
	const char *first = strstr(bytes, one);
	const char *second = strstr(bytes, two);

	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(second);
	return first < second;
}

START_TEST(tables_have_the_requested_order)
{
	run_small();
	did(STREAM, COPY, 20000, 4);
	add_input();
	print(REPORT_TEXT);
	ck_assert(is_before("Memcpy", "k\n"));
	ck_assert(is_before("main (a", "f (a"));
	options.key = stats_key("ncalls");
	print(REPORT_TEXT);
	ck_assert(is_before("k\n", "Memcpy"));
	options.key = stats_key("name");
	print(REPORT_TEXT);
	ck_assert(is_before("f (a", "main (a"));
	options.key = stats_key("tottime");
	print(REPORT_TEXT);
	ck_assert(is_before("f (a", "main (a"));
	options.key = stats_key("self-device");
	print(REPORT_TEXT);
	ck_assert(is_before("main (a", "f (a"));
}
END_TEST

START_TEST(json_has_rows_of_the_host_and_kernels)
{
	run_small();
	did(NAMELESS, L, 2, 1);
	add_input();
	options.top = 0;
	options.callers = true;
	print(REPORT_JSON);
	ck_assert_str_eq(bytes,
		"{\"schema\":\"ctprof/stats/1\",\"inputs\":[\"run.ctp\"],"
		"\"lost\":{},\"notes\":{},\"truncated\":false,"
		"\"total_ns\":8912,\"functions\":6,\"threads\":1,"
		"\"open_calls\":0,\"device_ns\":8802,\"activities\":5,"
		"\"unmatched\":0,\"kernels\":["
		"{\"device\":1,\"device_name\":\"Tester 9\","
		"\"kind\":\"kernel\",\"name\":\"k\",\"count\":3,"
		"\"total_ns\":8500,\"mean_ns\":2833,\"min_ns\":500,"
		"\"max_ns\":7000,\"bytes\":0,\"callers\":["
		"{\"name\":\"main\",\"file\":\"a.c\",\"line\":0,"
		"\"count\":1,\"total_ns\":7000},"
		"{\"name\":\"f\",\"file\":\"a.c\",\"line\":0,"
		"\"count\":2,\"total_ns\":1500}]},"
		"{\"device\":1,\"device_name\":\"Tester 9\","
		"\"kind\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\","
		"\"count\":1,\"total_ns\":300,\"mean_ns\":300,"
		"\"min_ns\":300,\"max_ns\":300,\"bytes\":4096,\"callers\":["
		"{\"name\":\"f\",\"file\":\"a.c\",\"line\":0,"
		"\"count\":1,\"total_ns\":300}]},"
		"{\"device\":3,\"device_name\":null,\"kind\":\"kernel\","
		"\"name\":\"l\",\"count\":1,\"total_ns\":2,\"mean_ns\":2,"
		"\"min_ns\":2,\"max_ns\":2,\"bytes\":0,\"callers\":["
		"{\"name\":\"f\",\"file\":\"a.c\",\"line\":0,"
		"\"count\":1,\"total_ns\":2}]}],"
		"\"rows\":["
		"{\"name\":\"main\",\"file\":\"a.c\",\"line\":0,\"ncalls\":1,"
		"\"pcalls\":1,\"tottime_ns\":30,\"cumtime_ns\":110,"
		"\"self_device_ns\":7000,\"device_ns\":8802,\"callers\":[]},"
		"{\"name\":\"f\",\"file\":\"a.c\",\"line\":0,\"ncalls\":1,"
		"\"pcalls\":1,\"tottime_ns\":40,\"cumtime_ns\":70,"
		"\"self_device_ns\":1802,\"device_ns\":1802,\"callers\":["
		"{\"name\":\"main\",\"file\":\"a.c\",\"line\":0,\"ncalls\":1,"
		"\"pcalls\":1,\"tottime_ns\":40,\"cumtime_ns\":70}]}]}\n");
}
END_TEST

/* All functions in one table, with columns for the device if there is one. */
START_TEST(the_default_table_shows_devices_if_there_are_any)
{
	options.gpu = false;
	run_small();
	add_input();
	print(REPORT_CSV);
	ck_assert_str_eq(bytes,
		"name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns,"
		"self_device_ns,device_ns\n"
		"main,a.c,0,1,1,30,110,7000,8800\n"
		"k," GPU ",0,3,3,8500,8500,8500,8500\n"
		"f,a.c,0,1,1,40,70,1800,1800\n"
		"Memcpy HtoD," GPU ",0,1,1,300,300,300,300\n"
		"cudaLaunchKernel,,0,4,4,40,40,0,0\n");
	options.callers = true;
	options.top = 2;
	print(REPORT_CSV);
	ck_assert_str_eq(bytes,
		"relation,name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns,"
		"self_device_ns,device_ns\n"
		"function,main,a.c,0,1,1,30,110,7000,8800\n"
		"function,k," GPU ",0,3,3,8500,8500,8500,8500\n"
		"caller,main,a.c,0,1,1,7000,7000,,\n"
		"caller,f,a.c,0,2,2,1500,1500,,\n");
}
END_TEST

START_TEST(without_devices_no_device_is_reported)
{
	options.gpu = false;
	options.key = stats_key("cumtime");
	device_case_start((struct replay_options){.device = REPLAY_HOST});
	run_small();
	add_input();
	print(REPORT_JSON);
	ck_assert_ptr_null(strstr(bytes, "device"));
	print(REPORT_CSV);
	ck_assert_ptr_null(strstr(bytes, "device"));
	options.gpu = true;
	print(REPORT_TEXT);
	ck_assert_str_eq(bytes, "No GPU activity.\n");
}
END_TEST

START_TEST(inputs_are_summed)
{
	run_small();
	did(STREAM, K, 100, 99);
	add_input();
	profile_free(device_case_profile);
	device_case_start((struct replay_options){0});
	run_recursion();
	did(STREAM, K, 9000, 99);
	add_input();
	options.top = 1;
	print(REPORT_TEXT);
	ck_assert_ptr_nonnull(strstr(bytes, "    8     17723     2215       3  "
					    "  9000    98.34  1 Tester 9  "
					    "k\n"));
	ck_assert_ptr_nonnull(
		strstr(bytes, "     2            7000       8923          50"));
	ck_assert_ptr_nonnull(strstr(bytes, "not in the log: 2\n"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stats_text");
	TCase *tests = tcase_create("stats_text");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, work_and_its_launchers_are_two_tables);
	tcase_add_test(tests, callers_and_callees_are_below_them);
	tcase_add_test(tests, limits_are_of_the_devices_time);
	tcase_add_test(tests, tables_have_the_requested_order);
	tcase_add_test(tests, json_has_rows_of_the_host_and_kernels);
	tcase_add_test(tests, the_default_table_shows_devices_if_there_are_any);
	tcase_add_test(tests, without_devices_no_device_is_reported);
	tcase_add_test(tests, inputs_are_summed);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
