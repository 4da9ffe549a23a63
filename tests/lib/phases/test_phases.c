/* SPDX-License-Identifier: MIT */
/* lib/phase*.[ch]: the phases of ranges by rules, and the time of threads by
 * phase. tests/bin/input/phases.sh tests the whole report. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/array_source.h"
#include "phases/phases.h"
#include "support/run_suite.h"

#define ASYNCS 600 /* more than are searched at a time */

static struct array_source source;
static struct phase_sets sets;
static struct phases *phases;
static struct ctp_error err;

static void setup(void)
{
	array_source_init(&source, NULL, 0);
	sets = (struct phase_sets){0};
	phases = NULL;
}

static void teardown(void)
{
	phases_free(phases);
	phase_sets_clear(&sets);
	array_source_clear(&source);
}

static struct phase_rules *parse(const char *text)
{
	struct phase_rules *rules = NULL;

	ck_assert_msg(phase_rules_parse("test", text, strlen(text), &rules,
			      &err) == CTP_OK,
		"%s", err.message);
	return rules;
}

static void use_rules(const char *text)
{
	sets.rules[sets.count++] = parse(text);
}

START_TEST(globs_match_as_a_whole)
{
	static const struct {
		const char *glob;
		const char *text;
		bool matches;
	} cases[] = {
		{"a", "a", true},
		{"a", "ab", false},
		{"a", "", false},
		{"*", "", true},
		{"*", "any thing", true},
		{"a*", "a", true},
		{"a*", "ba", false},
		{"*a", "ba", true},
		{"*a", "ab", false},
		{"a*c*e", "abcde", true},
		{"a*c*e", "abcd", false},
		{"*aab", "aaab", true},
		{"*ab*ab", "ab", false},
		{"**", "x", true},
		{"\\*", "*", true},
		{"\\*", "x", false},
		{"\\**", "*x", true},
		{"a\\b", "ab", true},
		{"a\\\\b", "a\\b", true},
		{"a\\", "a\\", true},
		{"?", "x", false},
		{"[ab]", "[ab]", true},
		{"caf\xc3\xa9*", "caf\xc3\xa9s", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct phase_subject subject = {.name = cases[i].text,
			.name_size = strlen(cases[i].text),
			.file = "",
			.category = ""};
		char text[64];
		struct phase_rules *rules;

		(void)snprintf(text, sizeof(text), "phase x\nname %s\n",
			cases[i].glob);
		rules = parse(text);
		ck_assert_msg((phase_rules_find(rules, &subject).phase == 0) ==
				      cases[i].matches,
			"%s: %s", cases[i].glob, cases[i].text);
		phase_rules_free(rules);
	}
}
END_TEST

/* The definition. */
static bool defined_match(const char *glob, const char *text)
{
	if (*glob == '\0')
		return *text == '\0';
	if (*glob == '*')
		return defined_match(glob + 1, text) ||
		       (*text != '\0' && defined_match(glob, text + 1));
	if (*glob == '\\' && glob[1] != '\0')
		glob++;
	return *glob == *text && defined_match(glob + 1, text + 1);
}

static void fill(char *text, size_t size, const char *bytes, uint32_t *random)
{
	for (size_t i = 0; i < size; i++) {
		*random = *random * 1664525 + 1013904223;
		text[i] = bytes[(*random >> 24) % strlen(bytes)];
	}
	text[size] = '\0';
}

static bool rules_match(const char *glob, const char *text)
{
	char rule[128];
	struct phase_rules *rules;
	const struct phase_subject subject = {.name = text,
		.name_size = strlen(text),
		.file = "",
		.category = ""};
	bool matches;

	(void)snprintf(rule, sizeof(rule), "phase p\nname %s\n", glob);
	rules = parse(rule);
	matches = phase_rules_find(rules, &subject).phase == 0;
	phase_rules_free(rules);
	return matches;
}

/* Texts are as long as a search by blocks of 16 bytes needs. */
START_TEST(globs_match_as_defined)
{
	uint32_t random = 1;
	unsigned matches = 0;

	for (unsigned i = 0; i < 40000; i++) {
		char glob[8];
		char text[64];
		bool expected;

		fill(glob, 1 + i % 7, i % 2 == 0 ? "ab*" : "a**b\\", &random);
		fill(text, i / 7 % 60, i % 3 == 0 ? "ab" : "aaaaaab*\\",
			&random);
		expected = defined_match(glob, text);
		matches += expected;
		ck_assert_msg(rules_match(glob, text) == expected, "%s: %s",
			glob, text);
	}
	ck_assert_uint_gt(matches, 1000);
}
END_TEST

START_TEST(globs_find_a_part_anywhere)
{
	for (size_t size = 6; size < 80; size++)
		for (size_t at = 0; at + 6 <= size; at++) {
			char text[80];

			memset(text, 'p', size);
			text[size] = '\0';
			ck_assert(!rules_match("*part*", text));
			memcpy(text + at, "part_t", 6);
			ck_assert(rules_match("*part*", text));
			ck_assert(!rules_match("*part", text));
			ck_assert(rules_match("*part_t", text) ==
				  (at + 6 == size));
		}
}
END_TEST

START_TEST(first_rule_holds_and_limits_end_with_the_phase)
{
	struct phase_rules *rules =
		parse("phase p\nfile *.c\nname a\ncategory k\nname b*\n"
		      "phase q\nname b\nname a\nasync c\n");
	static const struct {
		struct phase_subject subject;
		uint32_t phase;
	} cases[] = {
		{{"a", 1, "f.c", 3, "", 0, false}, 0},
		{{"a", 1, "f.h", 3, "", 0, false}, 1},
		{{"b", 1, "f.c", 3, "k", 1, false}, 0},
		{{"b", 1, "f.c", 3, "", 0, false}, 1},
		{{"bb", 2, "f.c", 3, "", 0, false}, PHASE_NONE},
		{{"c", 1, "", 0, "", 0, true}, 1},
		{{"c", 1, "", 0, "", 0, false}, PHASE_NONE},
		{{"a", 1, "f.c", 3, "", 0, true}, PHASE_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(
			phase_rules_find(rules, &cases[i].subject).phase,
			cases[i].phase);
	phase_rules_free(rules);
}
END_TEST

/* Whoever adds some. */
START_TEST(rules_that_are_shipped_are_valid)
{
	ck_assert_int_eq(phase_sets_ship(&sets, &err), CTP_OK);
	ck_assert_uint_ge(sets.count, 3);
	for (size_t i = 0; i < sets.count; i++) {
		const char *name = phase_rules_name(sets.rules[i]);

		ck_assert_ptr_nonnull(phase_rules_shipped(name));
		ck_assert_uint_gt(phase_rules_count(sets.rules[i]), 1);
	}
	ck_assert_ptr_null(phase_rules_shipped("test"));
}
END_TEST

/* ---- events ---- */

static uint32_t track(enum trace_track_kind kind)
{
	return array_source_track(
		&source, (struct trace_track){.kind = kind}, "t");
}

static struct event event(
	enum event_kind kind, uint32_t track, int64_t time_ns, const char *name)
{
	return (struct event){.kind = kind,
		.track = track,
		.time_ns = time_ns,
		.site = name == NULL ? TRACE_NONE
				     : array_source_site(&source, name, "")};
}

static void add(const struct event *events, size_t count)
{
	if (phases == NULL)
		phases = phases_new(source.source.trace, &sets);
	ck_assert_ptr_nonnull(phases);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(phases_add(phases, &events[i], &err), CTP_OK);
}

static void finish(void)
{
	ck_assert_int_eq(phases_finish(phases, &err), CTP_OK);
	phases_count_losses(phases, source.source.trace->losses);
}

static uint64_t self_ns(uint32_t phase)
{
	return phases_times(phases)->phases[phase].self_ns;
}

START_TEST(an_asynchronous_range_may_end_on_another_thread)
{
	uint32_t one = track(TRACE_THREAD);
	uint32_t two = track(TRACE_THREAD);

	use_rules("phase p\nname a\nphase q\nasync w\n");
	{
		const struct event events[] = {
			event(EVENT_BEGIN, one, 0, "a"),
			event(EVENT_ASYNC_BEGIN, one, 10, "w"),
			event(EVENT_BEGIN, one, 20, "b"),
			event(EVENT_ASYNC_END, two, 25, "w"),
			event(EVENT_END, one, 40, NULL),
			event(EVENT_END, one, 50, NULL),
			event(EVENT_ASYNC_END, two, 60, "w"),
			event(EVENT_ASYNC_END, two, 60, "nobody asks"),
		};

		add(events, sizeof(events) / sizeof(events[0]));
	}
	finish();
	ck_assert_uint_eq(self_ns(0), 35);
	ck_assert_uint_eq(self_ns(1), 15);
	ck_assert_uint_eq(phases_times(phases)->phases[1].total_ns, 15);
	ck_assert_uint_eq(phases_times(phases)->wall_ns, 50);
	ck_assert_uint_eq(source.source.trace->losses[LOSS_STRAY_ENDS], 1);
}
END_TEST

START_TEST(too_many_asynchronous_ranges_are_left_out)
{
	uint32_t one = track(TRACE_THREAD);

	use_rules("phase p\nasync w\n");
	for (int i = 0; i < ASYNCS; i++) {
		struct event begin = event(EVENT_ASYNC_BEGIN, one, i, "w");

		begin.id = (uint64_t)i;
		add(&begin, 1);
	}
	{
		const struct event end = event(EVENT_END, one, 1000, NULL);

		add(&end, 1);
	}
	finish();
	ck_assert_uint_eq(source.source.trace->losses[LOSS_STRAY_ENDS], 1);
	ck_assert_uint_eq(source.source.trace->losses[LOSS_NOT_SHOWN] +
				  source.source.trace->losses[LOSS_OPEN_RANGES],
		ASYNCS);
	ck_assert_uint_gt(source.source.trace->losses[LOSS_NOT_SHOWN], 0);
	ck_assert_uint_eq(self_ns(0), phases_times(phases)->wall_ns);
}
END_TEST

START_TEST(times_that_go_back_stand_still)
{
	uint32_t one = track(TRACE_THREAD);

	use_rules("phase p\nname a\n");
	{
		const struct event events[] = {
			event(EVENT_BEGIN, one, 100, "b"),
			event(EVENT_BEGIN, one, 50, "a"),
			event(EVENT_END, one, 110, NULL),
			event(EVENT_END, one, 90, NULL),
			event(EVENT_END, one, 120, NULL),
			event(EVENT_BEGIN, one, 130, "a"),
			event(EVENT_END, one, 135, NULL),
		};

		add(events, sizeof(events) / sizeof(events[0]));
	}
	finish();
	ck_assert_uint_eq(self_ns(0), 15);
	ck_assert_uint_eq(phases_times(phases)->idle_ns, 20);
	ck_assert_uint_eq(phases_times(phases)->unknown_ns, 0);
	ck_assert_uint_eq(phases_times(phases)->wall_ns, 35);
	ck_assert_uint_eq(source.source.trace->losses[LOSS_BACKWARD_TIMES], 2);
	ck_assert_uint_eq(source.source.trace->losses[LOSS_STRAY_ENDS], 1);
}
END_TEST

START_TEST(open_ranges_end_with_their_track)
{
	uint32_t one = track(TRACE_THREAD);

	use_rules("phase p\nname a\n");
	source.source.trace->tracks[one].has_end = true;
	source.source.trace->tracks[one].end_ns = 500;
	{
		const struct event events[] = {
			event(EVENT_BEGIN, one, INT64_MIN / 2, "a"),
			event(EVENT_BEGIN, one, 400, "a"),
		};

		add(events, 2);
	}
	finish();
	ck_assert_uint_eq(self_ns(0), 500 + (uint64_t)(INT64_MAX / 2) + 1);
	ck_assert_uint_eq(phases_times(phases)->phases[0].total_ns, self_ns(0));
	ck_assert_uint_eq(phases_times(phases)->phases[0].count, 2);
	ck_assert_uint_eq(source.source.trace->losses[LOSS_OPEN_RANGES], 2);
}
END_TEST

START_TEST(only_nested_ranges_of_threads_have_phases)
{
	uint32_t thread = track(TRACE_THREAD);
	uint32_t timeline = track(TRACE_TIMELINE);
	uint32_t stream = track(TRACE_STREAM);
	uint32_t count;

	use_rules("phase p\nname *\n");
	{
		struct event events[] = {
			event(EVENT_BEGIN, timeline, 0, "a"),
			event(EVENT_END, timeline, 10, NULL),
			event(EVENT_COMPLETE, thread, 10, "a"),
			event(EVENT_ACTIVITY, stream, 10, "k"),
			event(EVENT_INSTANT, thread, 20, "i"),
			event(EVENT_BEGIN, thread, 30, "a"),
			event(EVENT_END, thread, 37, NULL),
		};

		events[2].dur_ns = 100;
		events[3].dur_ns = 100;
		add(events, sizeof(events) / sizeof(events[0]));
	}
	finish();
	ck_assert_uint_eq(self_ns(0), 7);
	ck_assert_uint_eq(phases_times(phases)->wall_ns, 7);
	ck_assert_uint_eq(phases_threads(phases, &count)->track, thread);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(source.source.trace->losses[LOSS_NOT_SHOWN], 2);
}
END_TEST

START_TEST(rules_that_know_most_of_the_time_are_chosen)
{
	uint32_t one = track(TRACE_THREAD);

	use_rules("phase p\nname none\n");
	use_rules("phase p\nname a\n");
	use_rules("phase p\nname b\nphase q\nname a\n");
	{
		const struct event events[] = {
			event(EVENT_BEGIN, one, 0, "a"),
			event(EVENT_END, one, 10, NULL),
			event(EVENT_BEGIN, one, 10, "b"),
			event(EVENT_END, one, 11, NULL),
		};

		add(events, 2);
		add(events + 2, 2);
	}
	finish();
	ck_assert_uint_eq(phases_set(phases), 2);
	ck_assert_uint_eq(self_ns(0), 1);
	ck_assert_uint_eq(self_ns(1), 10);
}
END_TEST

START_TEST(without_a_match_no_rules_are_chosen)
{
	uint32_t one = track(TRACE_THREAD);

	use_rules("phase p\nname none\n");
	use_rules("phase p\nname nobody\n");
	{
		const struct event events[] = {
			event(EVENT_BEGIN, one, 0, "a"),
			event(EVENT_END, one, 10, NULL),
		};

		add(events, 2);
	}
	finish();
	ck_assert_uint_eq(phases_set(phases), PHASE_NONE);
	ck_assert_uint_eq(phases_times(phases)->unknown_ns, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("phases");
	TCase *tcase = tcase_create("phases");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, globs_match_as_a_whole);
	tcase_add_test(tcase, globs_match_as_defined);
	tcase_add_test(tcase, globs_find_a_part_anywhere);
	tcase_add_test(tcase, first_rule_holds_and_limits_end_with_the_phase);
	tcase_add_test(tcase, rules_that_are_shipped_are_valid);
	tcase_add_test(tcase, an_asynchronous_range_may_end_on_another_thread);
	tcase_add_test(tcase, too_many_asynchronous_ranges_are_left_out);
	tcase_add_test(tcase, times_that_go_back_stand_still);
	tcase_add_test(tcase, open_ranges_end_with_their_track);
	tcase_add_test(tcase, only_nested_ranges_of_threads_have_phases);
	tcase_add_test(tcase, rules_that_know_most_of_the_time_are_chosen);
	tcase_add_test(tcase, without_a_match_no_rules_are_chosen);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
