/* SPDX-License-Identifier: MIT */
/* recorder/device_link.[ch], and the path of device activities from there into
 * the log and out of it: fields, order, fork, death, full buffers. */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/device_link.h"
#include "recorder/writer_thread.h"
#include "recorder/instrument_abi.h"
#include "support/log_maker.h"
#include "support/log_text.h"
#include "lib/recover/recover_case.h"
#include "support/run_suite.h"

/* On the device's clock, near 0 of the recording's. */
#define EPOCH INT64_C(1700000000000000000)

static struct {
	uint32_t stream;
	uint32_t kernel; /* a site's number */
} told;

/* Begins a recording whose clock counts events, so that all times are known:
 * the first event is at 1. */
static void start(enum ctp_policy policy)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_path;
	options.spool = record_case_directory;
	options.clock = CTP_CLOCK_EVENTS;
	options.policy = policy;
	options.buffer_bytes = 256 * 1024;
	options.buffer_max = 256 * 1024;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
}

static uint32_t site_of(const char *name, const char *category)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = name;
	info.category = category;
	return ctp_private_site_number(ctp_site_intern_info(&info));
}

/* Hands over a block made from a recipe with a number in it. */
static void tell(enum log_block kind, const char *recipe, uint32_t number)
{
	struct buffer bytes = BUFFER_INIT;

/* The recipes are constants of this file. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	log_maker_pack(&bytes, recipe, number);
#pragma GCC diagnostic pop
	ck_assert(ctp_private_block(kind, bytes.bytes, bytes.used));
	buffer_clear(&bytes);
}

/* A stream, a kernel, and an instant on both clocks. */
static void tell_usual(void)
{
	const struct device_place place = {1, 2};

	ck_assert_uint_ne(ctp_private_device_session(), 0);
	told.stream = ctp_private_stream(LOG_STREAM, 7, &place, "stream 7");
	ck_assert_uint_ne(told.stream, 0);
	told.kernel = site_of("_Z6vecAddPfS_i", "kernel");
	tell(LOG_DESCRIPTIONS,
		"[9, 1, [[1, %u, {'grid': [4, 1, 1], 'registers per thread': "
		"24}]]]",
		told.kernel);
	ck_assert(ctp_private_device_sync(ctp_private_ticks(), EPOCH));
}

static bool store(int64_t start_ns, uint64_t dur_ns, uint32_t correlation)
{
	const struct device_activity activity = {.start_ns = EPOCH + start_ns,
		.dur_ns = dur_ns,
		.track = told.stream,
		.description = 1,
		.correlation = correlation};

	return ctp_private_activity(&activity);
}

static struct log_text read_log(const char *path)
{
	static char bytes[1 << 22];
	FILE *file = fopen(path, "rb");
	struct log_text text;
	size_t size;

	ck_assert_ptr_nonnull(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	ck_assert_uint_lt(size, sizeof(bytes));
	(void)fclose(file);
	text = log_text_read(bytes, size);
	ck_assert_int_eq(text.status, CTP_END);
	return text;
}

/* The number of occurrences in the text. */
static uint32_t times_in(const char *text, const char *what)
{
	uint32_t count = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		count++;
	return count;
}

#define EXPECT_IN(text, what) \
	ck_assert_msg( \
		strstr(text, what) != NULL, "no %s in:\n%.2000s", what, text)

START_TEST(an_activity_comes_out_with_all_its_fields)
{
	struct device_activity activity = {.start_ns = EPOCH - 5,
		.dur_ns = 1234,
		.description = 2,
		.correlation = UINT32_MAX,
		.bytes = 4096,
		.node = UINT64_C(1) << 63};
	struct log_text text;
	uint32_t copy;

	start(CTP_POLICY_BLOCK);
	record_case_begin("cuLaunchKernel");
	ctp_private_correlate(99);
	ctp_end();
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	tell_usual(); /* at 4 */
	copy = site_of("Memcpy HtoD", "gpu_memcpy");
	tell(LOG_DESCRIPTIONS,
		"[9, 2, [[2, %u, {'kind': 'HtoD', 'async': 1}]]]", copy);
	activity.track = told.stream;
	ck_assert(store(1000, 50, 99));
	ck_assert(ctp_private_activity(&activity));
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	ck_assert_str_eq(text.events,
		"0 1 begin cuLaunchKernel\n"
		"0 2 correlation 99\n"
		"0 3 end\n"
		"1 1004 activity vecAdd(float*, float*, int) 99 50ns 0B "
		"grid='[4,1,1]' registers per thread=24\n"
		"1 -1 activity Memcpy HtoD 4294967295 1234ns 4096B kind='HtoD' "
		"async=1 graph node id=-9223372036854775808\n");
	EXPECT_IN(text.tracks, " 7 'stream 7' of 1 in 2 to ");
	ck_assert_int_eq(text.end_ns, 1233);
	log_text_clear(&text);
}
END_TEST

START_TEST(the_delivering_thread_is_not_in_the_log)
{
	struct log_text text;

	start(CTP_POLICY_BLOCK);
	ctp_private_mute();
	ck_assert_uint_ne(ctp_private_device_session(), 0);
	tell_usual();
	ck_assert(store(0, 1, 1));
	record_case_begin("is not recorded");
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(record_case_path);
	ck_assert_uint_eq(times_in(text.tracks, "\n"), 1);
	EXPECT_IN(text.tracks, "stream ");
	ck_assert_uint_eq(times_in(text.events, "\n"), 1);
	log_text_clear(&text);
}
END_TEST

START_TEST(activities_keep_their_order_over_many_chunks)
{
	enum { COUNT = 6000 };
	struct log_text text;
	char expected[256];
	const char *at;

	start(CTP_POLICY_BLOCK);
	tell_usual();
	for (uint32_t i = 0; i < COUNT; i++) /* neither sorted nor even */
		ck_assert(store((int64_t)i * 1000 - i % 7 * 5000, i % 100, i));
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	at = text.events;
	for (uint32_t i = 0; i < COUNT; i++) {
		int size = snprintf(expected, sizeof(expected),
			"0 %d activity vecAdd(float*, float*, int) %u %uns 0B "
			"grid='[4,1,1]' registers per thread=24\n",
			1 + (int)i * 1000 - (int)(i % 7) * 5000, i, i % 100);

		ck_assert_msg(strncmp(at, expected, (size_t)size) == 0,
			"not %s but %.200s", expected, at);
		at += size;
	}
	ck_assert_str_eq(at, "");
	log_text_clear(&text);
}
END_TEST

START_TEST(device_facts_are_in_the_trace)
{
	struct log_text text;

	start(CTP_POLICY_BLOCK);
	tell(LOG_DEVICE,
		"[10, 3, {'name': 'H', 'numSms': %u, 'share': 0.5, 'l': [1]}]",
		132);
	tell(LOG_DEVICE_LOSSES, "[12, {'device_times': %u}]", 2);
	tell(LOG_DEVICE_LOSSES, "[12, {'device_times': 5, 'other': %u}]", 1);
	tell(LOG_DEVICE_FACTS, "[13, {'gpu.state': 'off', 'gpu.k': %u}]", 4);
	tell(LOG_DEVICE_FACTS,
		"[13, {'gpu.state': 'recording', 'host': 'no dot', 'a.b': "
		"['x', 'y']%.0u}]",
		0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(record_case_path);
	EXPECT_IN(text.devices, " 3 name='H' numSms=132 share=0x1p-1 l='[1]'");
	ck_assert_str_eq(text.losses, "device_times 5\n");
	EXPECT_IN(text.facts, "gpu.state=recording\ngpu.k=4\na.b=x y\n");
	ck_assert_ptr_null(strstr(text.facts, "no dot"));
	ck_assert_ptr_null(strstr(text.facts, "=off"));
	log_text_clear(&text);
}
END_TEST

START_TEST(invalid_blocks_are_left_out)
{
	static char bytes[DEVICE_BLOCK_BYTES + 1];
	static const char *const recipes[] = {
		"7", "[10]", "[12, {}]", "{10: 1}", "[nil, 10]"};
	struct log_text text;

	start(CTP_POLICY_BLOCK);
	ck_assert(!ctp_private_block(LOG_DEVICE, bytes, sizeof(bytes)));
	ck_assert(ctp_private_block(LOG_DEVICE, "", 0));
	ck_assert(ctp_private_block(LOG_DEVICE, "\x93\x0a\x01", 3));
	ck_assert(ctp_private_block(LOG_DEVICE, "\x93\x0a\x01\x80\x00", 5));
	ck_assert(ctp_private_block(LOG_ACTIVITIES, "\x92\x08\x01", 3));
	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		struct buffer block = BUFFER_INIT;

		log_maker_pack(&block, "%s", recipes[i]);
		ck_assert(
			ctp_private_block(LOG_DEVICE, block.bytes, block.used));
		buffer_clear(&block);
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert(!ctp_private_block(LOG_DEVICE, bytes, 1));
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	ck_assert_str_eq(text.devices, "");
	log_text_clear(&text);
}
END_TEST

START_TEST(a_lack_of_room_is_reported)
{
	struct log_text text;
	uint32_t stored = 0;

	start(CTP_POLICY_DROP);
	tell_usual();
	writer_thread_pause();
	while (store(stored, 1, 1)) {
		ck_assert_uint_lt(stored, 1000000);
		stored++;
	}
	ck_assert_uint_gt(stored, 100);
	writer_thread_resume();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	ck_assert_uint_eq(times_in(text.events, "activity"), stored);
	log_text_clear(&text);
}
END_TEST

START_TEST(nothing_is_taken_without_a_recording)
{
	const struct device_place place = {0, 0};

	ck_assert_uint_eq(ctp_private_device_session(), 0);
	ck_assert(!store(0, 1, 1));
	ck_assert(!ctp_private_device_sync(1, 1));
	ck_assert_uint_eq(ctp_private_stream(LOG_STREAM, 7, &place, ""), 0);
	ctp_private_correlate(1);
}
END_TEST

static uint32_t stops, locks, unlocks, children;

static void stop(void)
{
	stops++;
	if (children == 0)
		(void)store(4000, 1, 77);
}

static void lock(void)
{
	locks++;
}

static void unlock(void)
{
	unlocks++;
}

static void child(void)
{
	children++;
}

static const struct device_calls calls = {stop, lock, unlock, child};

START_TEST(a_stop_stores_records_handed_over_by_then)
{
	struct log_text text;
	uint64_t first;

	ctp_private_devices(&calls);
	start(CTP_POLICY_BLOCK);
	first = ctp_private_device_session();
	tell_usual();
	ck_assert(store(1000, 1, 1));
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(stops, 1);
	start(CTP_POLICY_BLOCK);
	ck_assert_uint_gt(ctp_private_device_session(), first);
	tell_usual();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(stops, 2);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	ck_assert_uint_eq(times_in(text.events, "\n"), 1);
	EXPECT_IN(text.events, "activity vecAdd(float*, float*, int) 77 ");
	log_text_clear(&text);
}
END_TEST

START_TEST(a_forked_child_has_nothing_of_the_devices)
{
	struct log_text text;
	pid_t forked;

	ctp_private_devices(&calls);
	start(CTP_POLICY_BLOCK);
	tell_usual();
	ck_assert(store(1, 1, 1));
	forked = fork();
	if (forked == 0) {
		record_case_begin("child");
		if (locks != 1 || unlocks != 0 || children != 1)
			_exit(3);
		ctp_end();
		record_case_leave();
	}
	record_case_wait(forked);
	ck_assert_uint_eq(locks, 1);
	ck_assert_uint_eq(unlocks, 1);
	ck_assert_uint_eq(children, 0);
	ck_assert(store(3, 1, 3));
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	/* Two, and those stored by the stop. */
	ck_assert_uint_eq(times_in(text.events, "\n"), 3);
	log_text_clear(&text);
	text = read_log(record_case_child_path(forked));
	ck_assert_str_eq(text.losses, "");
	EXPECT_IN(text.events, " begin child");
	ck_assert_ptr_null(strstr(text.events, "activity"));
	log_text_clear(&text);
}
END_TEST

/* Waits for a child that kills itself, and completes its log. */
static void recover_from(pid_t forked)
{
	int status;

	ck_assert_int_eq(waitpid(forked, &status, 0), forked);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
}

START_TEST(the_dead_programs_activities_are_recovered)
{
	struct log_text text;
	pid_t forked = fork();

	if (forked == 0) {
		start(CTP_POLICY_BLOCK);
		tell_usual();
		for (uint32_t i = 0; i < 3000; i++)
			if (!store(i, 1, i))
				_exit(3);
		tell(LOG_DEVICE_LOSSES, "[12, {'device_dropped': %u}]", 9);
		(void)raise(SIGKILL);
	}
	recover_from(forked);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "device_dropped 9\n");
	ck_assert_uint_eq(times_in(text.events, "\n"), 3000);
	EXPECT_IN(text.events, " 3000 activity vecAdd(float*, float*, int) "
			       "2999 1ns 0B grid='[4,1,1]'");
	ck_assert_uint_eq(times_in(text.tracks, "\n"), 1);
	log_text_clear(&text);
}
END_TEST

/* The cause of an activity comes before it, whichever was recorded first. */
START_TEST(the_dead_programs_calls_come_first)
{
	struct log_text text;
	pid_t forked = fork();

	if (forked == 0) {
		start(CTP_POLICY_BLOCK);
		tell_usual();
		if (!store(5, 1, 99))
			_exit(3);
		record_case_begin("cuLaunchKernel");
		ctp_private_correlate(99);
		(void)raise(SIGKILL);
	}
	recover_from(forked);
	text = read_log(record_case_path);
	ck_assert_str_eq(text.losses, "");
	ck_assert_str_eq(text.events,
		"1 2 begin cuLaunchKernel\n1 3 correlation 99\n"
		"0 6 activity vecAdd(float*, float*, int) 99 1ns 0B "
		"grid='[4,1,1]' registers per thread=24\n");
	log_text_clear(&text);
}
END_TEST

START_TEST(options_choose_the_device_records)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct log_text text;

	ck_assert_int_eq(ctp_private_gpu(), CTP_GPU_OFF);
	ck_assert_int_eq(setenv("CTPROF_GPU", "light", 1), 0);
	ck_assert_int_eq(ctp_private_gpu(), CTP_GPU_LIGHT);
	ck_assert_int_eq(setenv("CTPROF_GPU", "much", 1), 0);
	ck_assert_int_eq(ctp_private_gpu(), CTP_GPU_OFF);
	options.out = record_case_path;
	options.spool = record_case_directory;
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_FORMAT);
	ck_assert_str_eq(
		ctp_status(), "stopped: CTPROF_GPU=much: invalid value");
	ck_assert_int_eq(unsetenv("CTPROF_GPU"), 0);
	options.gpu = CTP_GPU_FULL;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	ck_assert_int_eq(ctp_private_gpu(), CTP_GPU_FULL);
	/* The recorder is linked into this program. */
	EXPECT_IN(ctp_status(), "(without GPUs: libctprof-inject.so.0 is not "
				"where libctprof is)");
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_ptr_null(getenv("CUDA_INJECTION64_PATH"));
	text = read_log(record_case_path);
	EXPECT_IN(text.facts, "gpu.mode=full\ngpu.state=off: libctprof-inject");
	log_text_clear(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_log");
	TCase *tests = tcase_create("device_log");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_add_test(tests, an_activity_comes_out_with_all_its_fields);
	tcase_add_test(tests, the_delivering_thread_is_not_in_the_log);
	tcase_add_test(tests, activities_keep_their_order_over_many_chunks);
	tcase_add_test(tests, device_facts_are_in_the_trace);
	tcase_add_test(tests, invalid_blocks_are_left_out);
	tcase_add_test(tests, a_lack_of_room_is_reported);
	tcase_add_test(tests, nothing_is_taken_without_a_recording);
	tcase_add_test(tests, a_stop_stores_records_handed_over_by_then);
	tcase_add_test(tests, a_forked_child_has_nothing_of_the_devices);
	tcase_add_test(tests, the_dead_programs_activities_are_recovered);
	tcase_add_test(tests, the_dead_programs_calls_come_first);
	tcase_add_test(tests, options_choose_the_device_records);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
