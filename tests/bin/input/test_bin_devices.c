/* SPDX-License-Identifier: MIT */
/* bin/input/devices.c and bin/input/trace_summary.c: the devices in the output
 * of `ctprof info`. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "input/trace_summary.h"
#include "input/devices.h"
#include "support/run_suite.h"

static struct trace *trace;
static uint32_t host; /* a thread of process 100 */
static uint32_t kernel;
static uint32_t wait;
static uint32_t overhead;

/* A source of the events in an array. */
struct array {
	struct event_source source; /* first */
	const struct event *events;
	size_t left;
};

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct array *array = (struct array *)source;

	(void)err;
	if (array->left == 0)
		return CTP_END;
	array->left--;
	*event = *array->events++;
	return CTP_OK;
}

static struct trace_summary summarize(const struct event *events, size_t count)
{
	struct array array = {{.trace = trace, .next = next}, events, count};
	struct trace_summary summary;

	ck_assert_int_eq(
		trace_summary_read(&summary, &array.source, NULL, NULL, NULL),
		CTP_OK);
	return summary;
}

#define SUMMARIZE(events) \
	summarize(events, sizeof(events) / sizeof((events)[0]))

static uint32_t add_text(const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

static uint32_t add_track(enum trace_track_kind kind, int64_t pid, int64_t tid)
{
	return trace_add_track(trace,
		(struct trace_track){.kind = kind, .pid = pid, .tid = tid});
}

static void add_device(int64_t pid, uint32_t number, const char *name)
{
	struct event_arg args[] = {
		{.kind = ARG_TEXT,
			.key = add_text("name"),
			.value.text = {name, strlen(name)}},
		{.kind = ARG_INT,
			.key = add_text("computeMajor"),
			.value = {9}},
		{.kind = ARG_INT,
			.key = add_text("computeMinor"),
			.value = {0}},
		{.kind = ARG_INT, .key = add_text("numSms"), .value = {132}},
		{.kind = ARG_INT,
			.key = add_text("totalGlobalMem"),
			.value = {INT64_C(150000000000)}},
		{.kind = ARG_INT, .key = add_text("numSms"), .value = {1}},
	};
	const struct trace_device device = {
		.pid = pid, .number = number, .arg_count = 6, .args = args};

	ck_assert_uint_ne(trace_add_device(trace, &device), TRACE_NONE);
}

static void setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	host = add_track(TRACE_THREAD, 100, 101);
	kernel = trace_add_place(
		trace, (struct trace_site){.name = add_text("k"),
			       .category = add_text("kernel")});
	wait = trace_add_place(
		trace, (struct trace_site){.name = add_text("Stream Sync"),
			       .category = add_text("cuda_sync")});
	overhead = trace_add_place(
		trace, (struct trace_site){.name = add_text("Buffer Flush"),
			       .category = add_text("overhead")});
}

static void teardown(void)
{
	trace_free(trace);
}

static struct event call(uint64_t id, int64_t time_ns)
{
	return (struct event){.kind = EVENT_CORRELATION,
		.track = host,
		.site = TRACE_NONE,
		.time_ns = time_ns,
		.id = id};
}

static struct event activity(
	uint32_t track, uint32_t site, uint64_t id, int64_t time_ns)
{
	return (struct event){.kind = EVENT_ACTIVITY,
		.track = track,
		.site = site,
		.time_ns = time_ns,
		.dur_ns = 10,
		.id = id};
}

START_TEST(activities_are_counted_with_their_launches)
{
	uint32_t stream = add_track(TRACE_STREAM, 100, 7);
	uint32_t calls = add_track(TRACE_CALLS, 100, 101);
	const struct event events[] = {
		call(1, 1000),
		activity(stream, kernel, 1, 2000),
		activity(stream, kernel, 1, 3000),
		activity(stream, kernel, 2, 4000),
		activity(stream, kernel, 0, 5000),
		activity(calls, kernel, 3, 6000),
		activity(stream, overhead, 4, 5000),
	};
	struct trace_summary summary = SUMMARIZE(events);

	ck_assert_uint_eq(summary.events.activities, 4);
	ck_assert_uint_eq(summary.events.device_other, 1);
	ck_assert_uint_eq(summary.events.calls, 1);
	ck_assert_uint_eq(summary.events.matched, 2);
	ck_assert_uint_eq(summary.events.skew_ns, 0);
	ck_assert_uint_eq(summary.events.devices, 1);
	/* The driver's calls of a thread are not another thread. */
	ck_assert_uint_eq(summary.events.threads, 1);
	ck_assert_uint_eq(summary.events.span_ns, 5010);
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 1);
}
END_TEST

START_TEST(activities_before_their_launch_show_the_clock_skew)
{
	uint32_t stream = add_track(TRACE_STREAM, 100, 7);
	const struct event events[] = {
		call(1, 1000),
		call(2, 2000),
		call(3, 3000),
		call(4, INT64_MAX),
		activity(stream, kernel, 3, 2900),
		activity(stream, kernel, 1, 700),
		activity(stream, kernel, 2, 2000),
		activity(stream, wait, 2, 0),
		activity(stream, kernel, 9, 0),
	};
	struct trace_summary summary = SUMMARIZE(events);

	ck_assert_uint_eq(summary.events.skew_ns, 300);
	ck_assert_uint_eq(summary.events.matched, 4);
}
END_TEST

START_TEST(launches_of_other_processes_do_not_count)
{
	uint32_t stream = add_track(TRACE_STREAM, 200, 7);
	const struct event events[] = {
		call(1, 1000), activity(stream, kernel, 1, 0)};
	struct trace_summary summary = SUMMARIZE(events);

	ck_assert_uint_eq(summary.events.skew_ns, 0);
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 1);
}
END_TEST

static char *text_of(const struct devices *devices)
{
	static const struct table_column columns[] = {{"", false}, {"", false}};
	struct table table;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	table_init(&table, columns, 2);
	devices_add_rows(devices, trace, &table);
	ck_assert(table_print(&table, out, false, 0));
	table_clear(&table);
	ck_assert_int_eq(fclose(out), 0);
	return text;
}

START_TEST(each_device_has_a_line)
{
	struct devices devices;
	char *text;

	add_track(TRACE_STREAM, 100, 7);
	add_track(TRACE_STREAM, 100, 13);
	add_device(100, 0, "NVIDIA H200");
	ck_assert(devices_find(&devices, trace));
	text = text_of(&devices);
	ck_assert_str_eq(text,
		"  device  0: NVIDIA H200, compute capability 9.0, 132 "
		"multiprocessors, 150.0 GB, 2 streams\n");
	free(text);
	devices_clear(&devices);
	/* A device without properties is probably like all others. */
	trace->tracks[add_track(TRACE_STREAM, 100, 9)].device = 2;
	ck_assert(devices_find(&devices, trace));
	text = text_of(&devices);
	ck_assert_ptr_nonnull(strstr(text, "  2: NVIDIA H200, 1 stream\n"));
	free(text);
	devices_clear(&devices);
	/* A device with only properties, and one of another process. */
	add_device(100, 3, "idle");
	add_track(TRACE_STREAM, 200, 7);
	ck_assert(devices_find(&devices, trace));
	ck_assert_uint_eq(devices.count, 4);
	text = text_of(&devices);
	ck_assert_ptr_nonnull(strstr(text, "2 streams, process 100\n"));
	ck_assert_ptr_nonnull(strstr(text, "GB, 0 streams, process 100\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "  0: unknown, 1 stream, process 200\n"));
	free(text);
	devices_clear(&devices);
}
END_TEST

START_TEST(properties_are_json_of_their_kinds)
{
	struct devices devices;
	struct sheet sheet = {.style = REPORT_JSON};
	struct json *json = &sheet.json;
	json_error_t where;
	json_t *list;
	json_t *want;

	add_track(TRACE_STREAM, 100, 7);
	add_device(100, 0, "H\"200");
	ck_assert(devices_find(&devices, trace));
	ck_assert(json_init(json, NULL));
	json_begin(json, '{');
	devices_write(&sheet, &devices, trace);
	json_end(json, '}');
	ck_assert(!json->failed && !sheet.failed);
	list = json_loadb(
		json->bytes, json->used, JSON_REJECT_DUPLICATES, &where);
	ck_assert_msg(list != NULL, "%s", where.text);
	want = json_pack("{s:[{s:i,s:i,s:s,s:i,s:{s:s,s:i,s:i,s:i,s:I}}]}",
		"device_properties", "pid", 100, "device", 0, "device_name",
		"H\"200", "streams", 1, "properties", "name", "H\"200",
		"computeMajor", 9, "computeMinor", 0, "numSms", 132,
		"totalGlobalMem", (json_int_t)150000000000);
	ck_assert_ptr_nonnull(want);
	ck_assert_msg(
		json_equal(list, want), "%.*s", (int)json->used, json->bytes);
	json_decref(want);
	json_decref(list);
	json_clear(json);
	devices_clear(&devices);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("devices");
	TCase *tests = tcase_create("devices");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, activities_are_counted_with_their_launches);
	tcase_add_test(
		tests, activities_before_their_launch_show_the_clock_skew);
	tcase_add_test(tests, launches_of_other_processes_do_not_count);
	tcase_add_test(tests, each_device_has_a_line);
	tcase_add_test(tests, properties_are_json_of_their_kinds);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
