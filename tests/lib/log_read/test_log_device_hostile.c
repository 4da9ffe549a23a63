/* SPDX-License-Identifier: MIT */
/* Blocks of devices that contradict the format, or each other, or claim more
 * than there is, are left out and counted, without other effects. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "names/demangle.h"
#include "log/log.h"
#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

/* A sound log of a device before its end. */
static const char *const sound[] = {
	"[4, [[0, 5000, 1700000000000000000]]]",
	"[1, 1, [['main', 'a.c', 1], ['_Z1fi', '', 0, 0, 0, '', 'kernel', 0]]]",
	"[2, 1, 0, 100, '']",
	"[2, 2, 2, 7, 'stream', 0, 1]",
	"[9, 1, [[1, 2, {'grid': [4, 1, 1]}]]]",
	"[11, [[0, 1000], [2000000, 2001000]]]",
	"[3, 1, 0, 5, [0, 1, 1], [], [1], [2, 1, 0], [[9, 4]]]",
	"[8, 2000, [0, 10], [5, 6], [2, 2], [1, 1], [4, -4], [0, 64], [0, 9]]",
};

#define SOUND (sizeof(sound) / sizeof(sound[0]))

static const char events[] =
	"0 5 begin main\n0 6 correlation 4\n0 7 end\n"
	"1 1000 activity f(int) 4 5ns 0B grid='[4,1,1]'\n"
	"1 1010 activity f(int) 0 6ns 64B grid='[4,1,1]' graph node id=9\n";

/* Inserted before the log's last block. */
static const char *const contradictions[] = {
	/* Tracks. */
	"[2, 3, 2, 7, 'stream']",
	"[2, 3, 2, 7, 'stream', 0]",
	"[2, 3, 3, 7, 'stream', -1, 0]",
	"[2, 3, 3, 7, 'stream', 0, 4294967296]",
	"[2, 1, 2, 7, 'not a stream', 0, 1]",
	"[2, 2, 0, 7, 'nor this a thread']",
	/* Activities. */
	"[8, 0]",
	"[8, nil, [], [], [], [], [], [], []]",
	"[8, 0, [], [], [], [], [], []]",
	"[8, 0, nil, [], [], [], [], [], []]",
	"[8, 0, [0], [1], [2], [1], [0], [], nil]",
	"[8, 0, [0], [], [2], [1], [0], [], []]",
	"[8, 0, [0], [1], [], [1], [0], [], []]",
	"[8, 0, [0], [1], [2], [], [0], [], []]",
	"[8, 0, [0], [1], [2], [1], [], [], []]",
	"[8, 0, [0], [1, 1], [2], [1], [0], [], []]",
	"[8, 0, [0, 0], [1, 1], [2, 2], [1, 1], [0, 0], [1], []]",
	"[8, 0, [0, 0], [1, 1], [2, 2], [1, 1], [0, 0], [], [1]]",
	"[8, 0, [], [], [2], [], [], [], []]",
	"[8, 0, ['0'], [1], [2], [1], [0], [], []]",
	"[8, 0, [0.5], [1], [2], [1], [0], [], []]",
	"[8, 0, [0], [-1], [2], [1], [0], [], []]",
	"[8, 0, [0], [9223372036854775808], [2], [1], [0], [], []]",
	"[8, 0, [0], [1], [4194304], [1], [0], [], []]",
	"[8, 0, [0], [1], [-1], [1], [0], [], []]",
	"[8, 0, [0], [1], [2], [4194304], [0], [], []]",
	"[8, 0, [0], [1], [2], [-1], [0], [], []]",
	"[8, 0, [0], [1], [2], [4294967297], [0], [], []]",
	"[8, 0, [0], [1], [2], [1], [0], [-1], []]",
	"[8, 0, [0 * 1048577], [], [], [], [], [], []]",
	"[8, 0, [0, 1], [1, 1], [2, 1], [1, 1], [0, 0], [], []]", /* a thread */
	"[3, 2, 0, 5, [0], [], [1], [2], []]", /* and a stream */
	/* Descriptions. */
	"[9, 0, [[1, 2, {}]]]",
	"[9, 4194304, []]",
	"[9, 4194303, [[1, 2, {}], [1, 2, {}]]]",
	"[9, 2]",
	"[9, 2, {}]",
	"[9, 2, [1]]",
	"[9, 2, [[1, 2]]]",
	"[9, 2, [[-1, 2, {}]]]",
	"[9, 2, [['1', 2, {}]]]",
	"[9, 2, [[1, 16777216, {}]]]",
	"[9, 2, [[1, -2, {}]]]",
	"[9, 2, [[1, 2, []]]]",
	"[9, 2, [[1, 2, {1: 2}]]]",
	/* Devices. */
	"[10, 0]",
	"[10, -1, {}]",
	"[10, 4294967296, {}]",
	"[10, 0, []]",
	"[10, 0, {nil: 1}]",
	/* Sync. */
	"[11, 5]",
	"[11, [5]]",
	"[11, [[5]]]",
	"[11, [['5', 5]]]",
	"[11, [[5, 0.5]]]",
	"[11, [[9000000, 5], [5, nil]]]",
	/* Losses, facts. */
	"[12, []]",
	"[12, {1: 1}]",
	"[12, {'device_times': -1}]",
	"[12, {'device_times': 'a'}]",
	"[13, []]",
	"[13, {1: 'gpu.state'}]",
};

static void make(struct buffer *log, const char *extra)
{
	log_maker_add_header(log, INT64_C(1700000000000000000), 1);
	for (size_t i = 0; i < SOUND; i++) {
		if (i == SOUND - 1 && extra != NULL)
			log_maker_add(log, "%s", extra);
		log_maker_add(log, "%s", sound[i]);
	}
	log_maker_add(log, "[6, {'log': 3000, 'events': 5, 'blocks': 9}]");
}

START_TEST(a_sound_log_has_all)
{
	struct buffer log = BUFFER_INIT;
	struct log_text text;

	make(&log, NULL);
	text = log_text_read(log.bytes, log.used);
	ck_assert_str_eq(text.events, events);
	ck_assert_str_eq(text.losses, "");
	log_text_clear(&text);
	buffer_clear(&log);
}
END_TEST

START_TEST(a_block_that_contradicts_the_format_is_left_out)
{
	const char *extra = contradictions[_i];
	struct buffer log = BUFFER_INIT;
	struct log_text text;

	make(&log, extra);
	text = log_text_read(log.bytes, log.used);
	ck_assert_msg(text.status == CTP_END, "%s", extra);
	ck_assert_msg(strcmp(text.events, events) == 0, "%s:\n%s", extra,
		text.events);
	ck_assert_msg(strcmp(text.losses, "damaged_blocks 1\n") == 0, "%s: %s",
		extra, text.losses);
	ck_assert_str_eq(text.devices, "");
	log_text_clear(&text);
	buffer_clear(&log);
}
END_TEST

/* Reads a log of a header and these blocks, without an end. */
static struct log_text read_blocks(const char *const *blocks, size_t count)
{
	struct buffer log = BUFFER_INIT;
	struct log_text text;

	log_maker_add_header(&log, 0, 1);
	for (size_t i = 0; i < count; i++)
		log_maker_add(&log, "%s", blocks[i]);
	text = log_text_read(log.bytes, log.used);
	ck_assert_int_eq(text.status, CTP_END);
	buffer_clear(&log);
	return text;
}

#define READ(...) \
	read_blocks((const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

START_TEST(losses_of_an_activity_are_counted)
{
	struct log_text text = READ("[8, 5, [0], [1], [77], [3], [2], [], []]",
		"[8, 9, [0], [1], [77], [3], [2], [], []]");

	ck_assert_str_eq(text.events, "0 5 activity (activity 3) 2 1ns 0B\n"
				      "0 9 activity (activity 3) 2 1ns 0B\n");
	ck_assert_ptr_nonnull(strstr(text.tracks, "stream 42 0 '' of 0 in 0"));
	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 1\n");
	log_text_clear(&text);
}
END_TEST

START_TEST(the_first_definition_stays)
{
	struct log_text text = READ("[1, 1, [['a', '', 0], ['b', '', 0]]]",
		"[2, 1, 2, 7, '', 0, 1]", "[9, 1, [[1, 1, {'k': 1}]]]",
		"[9, 1, [[1, 2, {'k': 2}]]]",
		"[10, 3, {'name': 'x', 'left out': {1: nil}}]",
		"[10, 3, {'name': 'y', 'list': [1, -2], 'too': ['deep'], 'no': "
		"nil, 'f': 0.5}]",
		"[8, 5, [0], [1], [1], [1], [2], [], []]");

	ck_assert_str_eq(text.events, "0 5 activity a 2 1ns 0B k=1\n");
	ck_assert_str_eq(
		text.devices, "42 3 name='y' list='[1,-2]' f=0x1p-1\n");
	log_text_clear(&text);
}
END_TEST

START_TEST(elements_of_a_newer_version_are_passed_over)
{
	struct log_text text = READ("[1, 1, [['a', '', 0]]]",
		"[2, 1, 3, 7, '', 0, 1, 42, '', 'more']",
		"[9, 1, [[99, 1, {'k': 1}, 'more']], 'more']",
		"[11, [[0, 100, 'more']], 'more']", "[12, {'new': 5}, 'more']",
		"[8, 105, [0], [1], [1], [1], [2], [], [], [], 'more', {}]");

	ck_assert_str_eq(text.events, "0 5 activity a 2 1ns 0B k=1\n");
	ck_assert_str_eq(text.losses, "truncated 1\n");
	log_text_clear(&text);
}
END_TEST

START_TEST(times_beyond_sense_are_kept_within)
{
	struct log_text text = READ("[2, 1, 2, 7, '', 0, 1]",
		"[11, [[0, -4611686018427387903]]]",
		"[8, 9223372036854775807, [0, 1, -5], [9223372036854775807, "
		"9223372036854775807, 0], [1, 1, 1], [0, 0, 0], [0, 0, 0], [], "
		"[]]");

	ck_assert_str_eq(text.losses, "truncated 1\nunknown_sites 1\n");
	ck_assert_ptr_nonnull(strstr(
		text.events, "0 1152921504606846975 activity (activity 0) 0 "));
	log_text_clear(&text);
}
END_TEST

START_TEST(too_many_keys_are_damage)
{
	struct buffer map = BUFFER_INIT;
	struct buffer log = BUFFER_INIT;
	struct log_text text;

	for (int i = 0; i <= LOG_DEVICE_KEYS_MAX; i++) {
		char pair[32];

		(void)snprintf(pair, sizeof(pair), "%s'k.%d': %d",
			i == 0 ? "" : ", ", i, i);
		buffer_add_text(&map, pair);
	}
	buffer_add(&map, "", 1);
	log_maker_add_header(&log, 0, 1);
	log_maker_add(&log, "[10, 1, {%s}]", (const char *)map.bytes);
	log_maker_add(&log, "[13, {%s}]", (const char *)map.bytes);
	log_maker_add(&log, "[9, 1, [[1, 1, {%s}]]]", (const char *)map.bytes);
	text = log_text_read(log.bytes, log.used);
	ck_assert_str_eq(text.losses, "damaged_blocks 3\ntruncated 1\n");
	log_text_clear(&text);
	buffer_clear(&map);
	buffer_clear(&log);
}
END_TEST

/* Each pair contains two of the pair before: 2^40 of them. */
START_TEST(a_name_that_grows_without_end_is_left_unchanged)
{
	static const char ids[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct demangler demangler = {0};
	char name[512] = "_Z1fSt4pairIiiE";
	size_t used = strlen(name);

	ck_assert_str_eq(demangle(&demangler, name), "f(std::pair<int, int>)");
	for (size_t i = 0; ids[i] != '\0'; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used,
			"S_IS%c_S%c_E", ids[i], ids[i]);
	ck_assert_ptr_null(demangle(&demangler, name));
	ck_assert_ptr_null(demangle(&demangler, "i"));
	ck_assert_ptr_null(demangle(&demangler, "_Z"));
	ck_assert_str_eq(demangle(&demangler,
				 "_ZN2at6native29vectorized_elementwise_"
				 "kernelILi4ENS0_11FillFunct"
				 "orIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_"),
		"void at::native::vectorized_elementwise_kernel<4, at::native::"
		"FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::"
		"native::FillFunctor<float>, at::detail::Array<char*, 1>)");
	demangler_clear(&demangler);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_hostile");
	TCase *tests = tcase_create("device_hostile");

	tcase_add_test(tests, a_sound_log_has_all);
	tcase_add_loop_test(tests,
		a_block_that_contradicts_the_format_is_left_out, 0,
		sizeof(contradictions) / sizeof(contradictions[0]));
	tcase_add_test(tests, losses_of_an_activity_are_counted);
	tcase_add_test(tests, the_first_definition_stays);
	tcase_add_test(tests, elements_of_a_newer_version_are_passed_over);
	tcase_add_test(tests, times_beyond_sense_are_kept_within);
	tcase_add_test(tests, too_many_keys_are_damage);
	tcase_add_test(tests, a_name_that_grows_without_end_is_left_unchanged);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
