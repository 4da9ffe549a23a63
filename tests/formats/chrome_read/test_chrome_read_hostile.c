/* SPDX-License-Identifier: MIT */
/* Chrome traces made to break readers: depth, length, digits, limits of
 * numbers, cycles. Valid parts are read, the rest is counted. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "json/json_scan.h"
#include "base/memory.h"
#include "support/run_suite.h"

#define MILLION 1000000

/* A trace that is generated while it is read, so that it needs no memory: a
 * text, a second one repeated `count` times, and a third. "#" in the second is
 * replaced by its number. */
struct generator {
	const char *before;
	const char *again;
	const char *after;
	uint64_t count;
	uint64_t done;
	const char *at; /* next text to return; NULL: the next part */
	char text[256];
};

static void number_text(struct generator *made)
{
	const char *mark = strchr(made->again, '#');

	made->at = made->again;
	if (mark == NULL)
		return;
	(void)snprintf(made->text, sizeof(made->text), "%.*s%llu%s",
		(int)(mark - made->again), made->again,
		(unsigned long long)made->done, mark + 1);
	made->at = made->text;
}

/* False at the end. */
static bool next_part(struct generator *made)
{
	if (made->done++ < made->count)
		number_text(made);
	else if (made->done == made->count + 1)
		made->at = made->after;
	else
		return false;
	return true;
}

static ssize_t generate(void *cookie, char *bytes, size_t size)
{
	struct generator *made = cookie;
	size_t used = 0;

	while (used < size) {
		size_t part;

		if (*made->at == '\0' && !next_part(made))
			break;
		part = strnlen(made->at, size - used);
		memcpy(bytes + used, made->at, part);
		made->at += part;
		used += part;
	}
	return (ssize_t)used;
}

/* What was read. */
struct result {
	enum ctp_status status; /* CTP_END: success */
	struct ctp_error err;
	uint64_t kinds[EVENT_KINDS];
	uint64_t losses[LOSS_KINDS];
	int64_t first_ns;
	int64_t last_ns;
};

static void take_event(struct result *result, const struct event *event)
{
	if (event->kind == EVENT_BEGIN && result->kinds[EVENT_BEGIN] == 0)
		result->first_ns = event->time_ns;
	result->kinds[event->kind]++;
	result->last_ns = event->time_ns;
}

static struct result read_made(struct generator made, bool no_args)
{
	cookie_io_functions_t functions = {.read = generate};
	struct result result = {.status = CTP_OK};
	struct event_source *source;
	struct read_request request = {.skip_args = no_args};
	struct event event;
	FILE *in;

	made.at = made.before;
	in = fopencookie(&made, "rb", functions);
	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(format_find("chrome")->open_events(
				 in, NULL, 0, &request, &source, &result.err),
		CTP_OK);
	while (result.status == CTP_OK) {
		result.status = source->next(source, &event, &result.err);
		if (result.status == CTP_OK)
			take_event(&result, &event);
	}
	memcpy(result.losses, source->trace->losses, sizeof(result.losses));
	source->close(source);
	(void)fclose(in);
	return result;
}

static struct result read_text(const char *text)
{
	return read_made(
		(struct generator){
			.before = text, .again = "", .after = "", .count = 0},
		false);
}

#define SLICE "\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1"
#define WHOLE "{" SLICE ",\"ts\":1,\"dur\":1}"

static void expect_slices(const struct result *result, uint64_t count)
{
	ck_assert_int_eq(result->status, CTP_END);
	ck_assert_uint_eq(result->kinds[EVENT_BEGIN], count);
	ck_assert_uint_eq(result->kinds[EVENT_END], count);
}

START_TEST(arguments_a_million_deep)
{
	struct generator open = {.before = "[{" SLICE ",\"ts\":1,\"dur\":1,"
					   "\"args\":{\"x\":",
		.again = "[",
		.after = "",
		.count = MILLION};
	struct result result = read_made(open, true);

	/* The file ends there; the slice contains the earlier text, which is
	 * lost too. */
	expect_slices(&result, 0);
	ck_assert_uint_eq(result.losses[LOSS_TRUNCATED], 1);
	open.before = "[" WHOLE ",{\"args\":{\"x\":";
	result = read_made(open, false);
	expect_slices(&result, 1);
	ck_assert_uint_eq(result.losses[LOSS_TRUNCATED], 1);
	open.count = JSON_SCAN_DEPTH_MAX;
	result = read_made(open, false);
	expect_slices(&result, 1);
	ck_assert_uint_eq(result.losses[LOSS_TRUNCATED], 1);
}
END_TEST

START_TEST(slices_a_hundred_thousand_deep)
{
	struct result result = read_made(
		(struct generator){.before = "[" WHOLE,
			.again = ",{" SLICE ",\"ts\":-#,\"dur\":9999999}",
			.after = "]",
			.count = MILLION / 10},
		false);

	/* Each begins and ends before all earlier ones in the file, so none
	 * is inside another. */
	ck_assert_int_eq(result.status, CTP_END);
	ck_assert_uint_eq(
		result.kinds[EVENT_BEGIN] + result.kinds[EVENT_COMPLETE],
		MILLION / 10 + 1);
	result = read_made(
		(struct generator){.before = "[" WHOLE,
			.again = ",{\"ph\":\"B\",\"name\":\"g\",\"ts\":#}",
			.after = "]",
			.count = MILLION / 10},
		false);
	ck_assert_int_eq(result.status, CTP_END);
	ck_assert_uint_eq(
		result.kinds[EVENT_BEGIN], UINT64_C(1) + MILLION / 10);
}
END_TEST

/* 10^9 bytes, of which at most 64 MiB are read. */
START_TEST(a_name_without_end)
{
	static char kilobyte[250];
	struct generator open = {.before = "[" WHOLE ",{\"name\":\"",
		.again = kilobyte,
		.after = "\",\"ph\":\"i\",\"ts\":1}]",
		.count = MILLION * 4};
	struct result result;

	memset(kilobyte, 'x', sizeof(kilobyte) - 1);
	memory_set_limit(UINT64_C(512) * 1024 * 1024);
	result = read_made(open, false);
	expect_slices(&result, 1);
	ck_assert_uint_eq(result.losses[LOSS_TRUNCATED], 1);
	memory_set_limit(0);
}
END_TEST

START_TEST(numbers_of_a_million_digits)
{
	static const char *const places[] = {"\"ts\":", "\"dur\":", "\"pid\":",
		"\"tid\":", "\"id\":", "\"args\":{\"correlation\":"};
	static const char *const after[] = {",\"dur\":1}]", ",\"ts\":1}]",
		",\"ts\":1,\"dur\":1}]", ",\"ts\":1,\"dur\":1}]",
		",\"ts\":1,\"dur\":1}]", "},\"ts\":1,\"dur\":1}]"};
	char before[256];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct result result;

		(void)snprintf(before, sizeof(before),
			"[" WHOLE ",{\"ph\":\"X\",\"name\":\"g\",%s",
			places[i]);
		result = read_made((struct generator){.before = before,
					   .again = "7777777777",
					   .after = after[i],
					   .count = MILLION / 10},
			false);
		expect_slices(&result, i < 2 ? 1 : 2);
		ck_assert_uint_eq(
			result.losses[LOSS_BAD_EVENTS], i < 2 ? 1 : 0);
	}
}
END_TEST

START_TEST(smallest_and_largest_times)
{
	struct result result =
		read_text("[{" SLICE ",\"ts\":9223372036854775.807,"
			  "\"dur\":9223372036854775.807}]");

	/* It ends at the end of time. */
	ck_assert_int_eq(result.status, CTP_END);
	ck_assert_uint_eq(result.kinds[EVENT_BEGIN], 1);
	ck_assert_int_eq(result.first_ns, INT64_MAX);
	ck_assert_int_eq(result.last_ns, INT64_MAX);
	result = read_text("[{" SLICE ",\"ts\":-9223372036854775.808,"
			   "\"dur\":9223372036854775.807},"
			   "{" SLICE ",\"ts\":-9223372036854775.808,"
			   "\"dur\":0}]");
	expect_slices(&result, 2);
	ck_assert_int_eq(result.first_ns, INT64_MIN);
	ck_assert_int_eq(result.last_ns, -1);
	result = read_text("[" WHOLE ",{" SLICE ",\"ts\":1,\"dur\":-1},"
			   "{" SLICE ",\"ts\":9223372036854775.808,\"dur\":1},"
			   "{" SLICE ",\"ts\":1,\"dur\":1e300},"
			   "{" SLICE ",\"ts\":1,\"dur\":-1e-300}]");
	expect_slices(&result, 2);
	ck_assert_uint_eq(result.losses[LOSS_BAD_EVENTS], 3);
}
END_TEST

START_TEST(stacks_that_are_their_own_parents)
{
	static const char *const frames[] = {
		"\"1\":{\"name\":\"a\",\"parent\":1}",
		("\"1\":{\"name\":\"a\",\"parent\":\"2\"},"
		 "\"2\":{\"name\":\"b\",\"parent\":\"1\"}"),
		"\"2\":{\"name\":\"a\",\"parent\":\"3\"}",
		"\"1\":7,\"2\":[],\"3\":{\"name\":[1]}",
	};
	char text[512];

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct result result;

		(void)snprintf(text, sizeof(text),
			"{\"stackFrames\":{%s},\"traceEvents\":[{" SLICE
			",\"ts\":1,\"dur\":1,\"sf\":1}]}",
			frames[i]);
		result = read_text(text);
		expect_slices(&result, 1);
	}
}
END_TEST

START_TEST(a_hundred_thousand_processes)
{
	struct result result = read_made(
		(struct generator){.before = "[" WHOLE,
			.again = ",{\"ph\":\"X\",\"name\":\"f\",\"pid\":\"p#\","
				 "\"tid\":1,\"ts\":1,\"dur\":1}",
			.after = "]",
			.count = MILLION / 10},
		false);

	expect_slices(&result, MILLION / 10 + 1);
}
END_TEST

START_TEST(no_trace_at_all)
{
	static const char *const texts[] = {"", "[", "{", "[]", "{}", "[1]",
		"{\"traceEvents\":7}", "{\"traceEvents\":[", "[nul", "[,]", "]",
		"\"traceEvents\"", "[{}]", "[[[[[[[[", "{\"a\":{\"b\":"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct result result = read_text(texts[i]);

		ck_assert_msg(result.status == CTP_END ||
				      result.status == CTP_ERR_FORMAT,
			"%s", texts[i]);
		ck_assert_uint_eq(result.kinds[EVENT_BEGIN], 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_hostile");
	TCase *tcase = tcase_create("trace_hostile");

	tcase_add_test(tcase, arguments_a_million_deep);
	tcase_add_test(tcase, slices_a_hundred_thousand_deep);
	tcase_add_test(tcase, a_name_without_end);
	tcase_add_test(tcase, numbers_of_a_million_digits);
	tcase_add_test(tcase, smallest_and_largest_times);
	tcase_add_test(tcase, stacks_that_are_their_own_parents);
	tcase_add_test(tcase, a_hundred_thousand_processes);
	tcase_add_test(tcase, no_trace_at_all);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
