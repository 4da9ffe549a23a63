/* SPDX-License-Identifier: MIT */
/* formats/log/encoder*.c: events written as a log are read back
 * unchanged. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/log_maker.h"
#include "log/encoder.h"
#include "log_read/log_read.h"
#include "support/log_text.h"
#include "support/run_suite.h"

#define TRACKS 7
#define SITES 40
#define KEYS 6
#define EVENTS 60000

static struct trace *trace;
static struct log_writer *writer;
static struct log_encoder *encoder;
static FILE *stream;
static char *bytes;
static size_t size;
static struct log_text text;
static uint64_t state;

static void setup(void)
{
	trace = trace_new(NULL);
	stream = open_memstream(&bytes, &size);
	writer = log_writer_new_stream(stream, 1);
	encoder = log_encoder_new(writer, trace);
	ck_assert_ptr_nonnull(encoder);
	state = 1;
}

static void teardown(void)
{
	log_encoder_free(encoder);
	log_writer_free(writer);
	(void)fclose(stream);
	free(bytes);
	log_text_clear(&text);
	trace_free(trace);
}

static uint32_t below(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % limit;
}

/* A random 64-bit number; small ones are as frequent as large ones. */
static uint64_t any(void)
{
	uint64_t high = (uint64_t)below(UINT32_MAX) << 32;

	return (high | below(UINT32_MAX)) >> below(64);
}

static uint32_t add_text(const char *added)
{
	return strtab_add(trace->text, added, strlen(added));
}

static uint32_t add_site(const char *name, const char *category)
{
	return trace_add_place(
		trace, (struct trace_site){.name = add_text(name),
			       .category = add_text(category)});
}

static uint32_t add_track(struct trace_track track)
{
	return trace_add_track(trace, track);
}

static void add(struct event event)
{
	struct ctp_error err;

	ck_assert_int_eq(log_encoder_add(encoder, &event, &err), CTP_OK);
}

static void read_back(void)
{
	struct ctp_error err;

	ck_assert_int_eq(log_encoder_finish(encoder, &err), CTP_OK);
	ck_assert_int_eq(fflush(stream), 0);
	log_text_clear(&text);
	text = log_text_read(bytes, size);
	ck_assert_int_eq(text.status, CTP_END);
}

/* The lines of one track; free() it. */
static char *lines_of(const char *all, uint32_t track)
{
	char *lines = calloc(1, strlen(all) + 1);
	char *to = lines;

	ck_assert_ptr_nonnull(lines);
	while (*all != '\0') {
		const char *end = strchr(all, '\n') + 1;

		if (strtoul(all, NULL, 10) == track) {
			memcpy(to, all, (size_t)(end - all));
			to += end - all;
		}
		all = end;
	}
	return lines;
}

static void compare_tracks(const char *want, uint32_t tracks)
{
	for (uint32_t i = 0; i < tracks; i++) {
		char *mine = lines_of(want, i);
		char *read = lines_of(text.events, i);
		size_t same = 0;

		while (mine[same] != '\0' && mine[same] == read[same])
			same++;
		ck_assert_msg(strcmp(mine, read) == 0, "%.300s|%.300s",
			mine + same, read + same);
		free(mine);
		free(read);
	}
}

static void make_tables(void)
{
	char name[24];

	for (uint32_t i = 0; i < SITES; i++) {
		(void)snprintf(name, sizeof(name), "site %" PRIu32, i);
		ck_assert_uint_eq(add_site(name, i % 3 == 0 ? "cat" : ""), i);
	}
	for (uint32_t i = 0; i < TRACKS; i++)
		ck_assert_uint_eq(add_track((struct trace_track){
					  .kind = i < 3    ? TRACE_THREAD
						  : i == 3 ? TRACE_TIMELINE
						  : i < 6  ? TRACE_STREAM
							   : TRACE_CALLS,
					  .pid = (int64_t)any(),
					  .tid = -(int64_t)any() / 2}),
			i);
}

static struct event_arg any_arg(bool number)
{
	static const char *const json[] = {"null", "[1,{\"a\":2.50}]",
		" {\"\\ud83d\\ude00\":[]} ", "true", "-1.5e+400"};
	static const char *const texts[] = {"", "a \xff text",
		"long enough for more than one byte of size"};
	struct event_arg arg = {.kind = below(number ? 2 : 4)};
	char key[8];

	(void)snprintf(key, sizeof(key), "key %" PRIu32, below(KEYS));
	arg.key = add_text(key);
	if (arg.kind == ARG_INT)
		arg.value.integer = (int64_t)any();
	else if (arg.kind == ARG_FLOAT)
		arg.value.real = (double)any() / 3;
	else
		arg.value.text.bytes =
			arg.kind == ARG_TEXT ? texts[below(3)] : json[below(5)];
	if (arg.kind >= ARG_TEXT)
		arg.value.text.size = strlen(arg.value.text.bytes);
	return arg;
}

/* An event of a kind that its track may have, with that kind's members. */
static struct event any_event(struct event_arg *args)
{
	struct event event = {.track = below(TRACKS),
		.site = TRACE_NONE,
		.time_ns = (int64_t)(any() << below(2)),
		.device = -1,
		.args = args};
	bool named = true;

	event.kind = event.track > 3 ? EVENT_ACTIVITY : below(EVENT_KINDS);
	if (event.track <= 3 && event.kind == EVENT_ACTIVITY)
		event.kind = EVENT_BEGIN;
	event.arg_count = below(2) * below(4);
	for (uint32_t i = 0; i < event.arg_count; i++)
		args[i] = any_arg(event.kind == EVENT_COUNTER);
	switch (event.kind) {
	case EVENT_ARGS:
	case EVENT_COUNTER:
		args[0] = any_arg(event.kind == EVENT_COUNTER);
		event.arg_count += event.arg_count == 0;
		break;
	case EVENT_STEP:
		args[0] = (struct event_arg){.key = add_text("advance")};
		event.arg_count += event.arg_count == 0;
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
		event.bytes = any();
		event.device = (int32_t)below(5) - 1;
		break;
	case EVENT_ACTIVITY:
		event.bytes = any() >> 1;
		if (below(3) == 0) {
			args[event.arg_count] = (struct event_arg){
				.key = add_text("graph node id")};
			args[event.arg_count++].value.integer =
				(int64_t)any() | 1;
		}
		break;
	default:
		break;
	}
	event.id = any();
	event.dur_ns = any() >> 1;
	if (event.kind == EVENT_BEGIN || event.kind == EVENT_END) {
		event.shift_ns = event.dur_ns;
		event.dur_ns = 0;
	}
	event.flow = below(FLOW_END + 1);
	if (event.kind == EVENT_ACTIVITY)
		event.time_ns /= 2;
	named = event.kind != EVENT_END && event.kind != EVENT_ARGS &&
		event.kind != EVENT_ALLOC && event.kind != EVENT_FREE &&
		event.kind != EVENT_CORRELATION;
	if (named)
		event.site = below(SITES);
	return event;
}

START_TEST(events_of_all_kinds_are_read_as_they_were)
{
	struct event_arg args[5];
	char *want;
	size_t want_size;
	FILE *list = open_memstream(&want, &want_size);

	make_tables();
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct event event = any_event(args);

		add(event);
		log_text_event(list, trace, &event);
	}
	(void)fclose(list);
	read_back();
	compare_tracks(want, TRACKS);
	ck_assert_str_eq(text.losses, "");
	free(want);
}
END_TEST

/* More tracks than could each hold events for a block. */
START_TEST(tracks_may_be_many)
{
	enum { MANY = 20000, ROUNDS = 12 };
	uint32_t site = add_site("f", "");
	const char *at;

	for (uint32_t i = 0; i < MANY; i++)
		(void)add_track((struct trace_track){.tid = i});
	for (uint32_t i = 0; i < MANY * ROUNDS; i++)
		add((struct event){
			.kind = i / MANY % 2 == 0 ? EVENT_BEGIN : EVENT_END,
			.track = i % MANY,
			.site = i / MANY % 2 == 0 ? site : TRACE_NONE,
			.time_ns = i});
	read_back();
	ck_assert_str_eq(text.losses, "");
	at = text.events;
	for (uint32_t i = 0; i < MANY * ROUNDS; i++)
		at = strchr(at, '\n') + 1;
	ck_assert_str_eq(at, "");
}
END_TEST

START_TEST(a_call_precedes_its_effects)
{
	uint32_t host = add_track((struct trace_track){.tid = 1});
	uint32_t stream_track =
		add_track((struct trace_track){.kind = TRACE_STREAM, .tid = 7});
	uint32_t call = add_site("cudaLaunchKernel", "cuda_runtime");
	uint32_t kernel = add_site("k", "kernel");
	char *line;

	for (uint32_t i = 1; i <= 3000; i++) {
		add((struct event){.kind = EVENT_BEGIN,
			.track = host,
			.site = call,
			.time_ns = i});
		add((struct event){.kind = EVENT_CORRELATION,
			.track = host,
			.site = TRACE_NONE,
			.id = i,
			.time_ns = i});
		add((struct event){
			.kind = EVENT_END, .track = host, .time_ns = i});
		add((struct event){.kind = EVENT_ACTIVITY,
			.track = stream_track,
			.site = kernel,
			.id = i,
			.time_ns = i});
	}
	read_back();
	for (uint32_t i = 1; i <= 3000; i += 500) {
		char words[2][40];

		(void)snprintf(words[0], sizeof(words[0]),
			"correlation %" PRIu32 "\n", i);
		(void)snprintf(words[1], sizeof(words[1]),
			" activity k %" PRIu32 " ", i);
		line = strstr(text.events, words[0]);
		ck_assert_ptr_nonnull(line);
		ck_assert_ptr_nonnull(strstr(line, words[1]));
	}
}
END_TEST

START_TEST(events_on_a_track_of_another_kind_are_kept)
{
	uint32_t host = add_track((struct trace_track){.pid = 5, .tid = 1});
	uint32_t device = add_track((struct trace_track){
		.kind = TRACE_STREAM, .pid = 5, .tid = 7, .device = 2});
	uint32_t site = add_site("x", "");

	add((struct event){.kind = EVENT_ACTIVITY,
		.track = host,
		.site = site,
		.dur_ns = 3,
		.time_ns = 1});
	add((struct event){.kind = EVENT_INSTANT,
		.track = device,
		.site = site,
		.time_ns = 2});
	read_back();
	ck_assert_str_eq(text.events, "2 1 activity x 0 3ns 0B\n"
				      "3 2 instant x\n");
	ck_assert_str_eq(text.tracks, "thread 5 1 '' to 4\n"
				      "stream 5 7 '' of 2 in 0 to 4\n"
				      "calls 5 1 '' of 0 in 0 to 4\n"
				      "thread 5 7 '' to 4\n");
}
END_TEST

START_TEST(the_tables_come_out)
{
	struct event_arg args[2] = {{.kind = ARG_INT, .value.integer = 132},
		{.kind = ARG_JSON, .value.text = {"[9, 0]", 6}}};
	struct trace_device device = {.pid = -3, .number = 1, .args = args};
	uint32_t track = add_track((struct trace_track){
		.pid = -3, .tid = INT64_MIN, .name = add_text("old")});

	args[0].key = add_text("numSms");
	args[1].key = add_text("version");
	trace->base_realtime_ns = INT64_C(1700000000123456789);
	(void)trace_add_fact(trace, "version", "My Application v1.0");
	device.arg_count = 1;
	(void)trace_add_device(trace, &device);
	add((struct event){.kind = EVENT_INSTANT,
		.track = track,
		.site = add_site("x", ""),
		.time_ns = INT64_MIN});
	/* Facts that become known late. */
	device.arg_count = 2;
	(void)trace_add_device(trace, &device);
	trace->tracks[track].name = add_text("new");
	trace->tracks[track].process_name = add_text("program");
	trace->end_ns = 77;
	(void)trace_add_fact(trace, "a.b", "\xff");
	trace_lose(trace, LOSS_BAD_EVENTS, 5);
	trace_lose(trace, LOSS_CUT_TEXT, UINT64_MAX);
	read_back();
	ck_assert_str_eq(text.events, "0 -9223372036854775808 instant x\n");
	ck_assert_str_eq(
		text.tracks, "thread -3 -9223372036854775808 'new' to 77\n");
	ck_assert_str_eq(text.devices, "-3 1 numSms=132 version='[9, 0]'\n");
	ck_assert_str_eq(
		text.losses, "cut_text 18446744073709551615\nbad_events 5\n");
	ck_assert_str_eq(text.facts,
		"format=ctprof "
		"log\nversion=1\nreader=1\ntool=ctprof " PACKAGE_VERSION "\n"
		"realtime=1700000000123456789\nversion=My Application v1.0\n"
		"a.b=\xff\n");
	ck_assert_int_eq(text.base_realtime_ns, INT64_C(1700000000123456789));
}
END_TEST

/* Long text is cut between characters; JSON can only be left out. */
START_TEST(overlong_text_is_counted)
{
	enum { LONG = 1024 * 1024 };
	char *word = malloc(LONG + 3);
	struct event_arg args[2] = {{.kind = ARG_TEXT}, {.kind = ARG_JSON}};
	uint32_t track = add_track((struct trace_track){.tid = 1});
	struct event event = {.kind = EVENT_INSTANT,
		.track = track,
		.site = add_site("x", ""),
		.args = args,
		.arg_count = 2};

	ck_assert_ptr_nonnull(word);
	memset(word, 'x', LONG - 1);
	memcpy(word + LONG - 1, "\xc3\xa9!", 4);
	args[0].value.text.bytes = word;
	args[0].value.text.size = LONG + 2;
	args[1].value.text = args[0].value.text;
	add(event);
	event.kind = EVENT_ARGS;
	event.args = &args[1];
	event.arg_count = 1;
	add(event);
	/* Activities' arguments are first tried as part of a description. */
	event.kind = EVENT_ACTIVITY;
	event.track =
		add_track((struct trace_track){.kind = TRACE_STREAM, .tid = 7});
	event.args = args;
	event.arg_count = 2;
	add(event);
	read_back();
	ck_assert_str_eq(text.losses, "cut_text 2\nnot_shown 3\n");
	ck_assert_uint_eq(
		strlen(text.events), strlen("0 0 instant x =''\n"
					    "1 0 activity x 0 0ns 0B =''\n") +
					     2 * (LONG - 1));
	free(word);
}
END_TEST

/* The facts of a log are its header's again. */
START_TEST(a_log_of_a_log_is_the_same)
{
	struct buffer small = BUFFER_INIT;
	struct log_text want;
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	FILE *in;

	log_maker_add_small(&small);
	want = log_text_read(small.bytes, small.used);
	in = fmemopen(small.bytes, small.used, "rb");
	ck_assert_int_eq(
		log_read_open(in, NULL, 0, NULL, &source, &err), CTP_OK);
	log_encoder_free(encoder);
	encoder = log_encoder_new(writer, source->trace);
	while (source->next(source, &event, &err) == CTP_OK)
		add(event);
	read_back();
	compare_tracks(want.events, 2);
	ck_assert_str_eq(text.tracks, want.tracks);
	ck_assert_str_eq(text.losses, want.losses);
	ck_assert_int_eq(text.end_ns, want.end_ns);
	ck_assert_int_eq(text.base_realtime_ns, want.base_realtime_ns);
	ck_assert_ptr_nonnull(
		strstr(text.facts, "tool=ctprof 0.1.0\nhost=here\npid=42\n"
				   "command=cc -c a b.c\n"));
	ck_assert_ptr_nonnull(strstr(text.facts, "stall_ns=77\n"));
	log_encoder_free(encoder);
	encoder = NULL;
	source->close(source);
	(void)fclose(in);
	log_text_clear(&want);
	buffer_clear(&small);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	FILE *full = fopen("/dev/full", "w");
	struct log_writer *log = log_writer_new_stream(full, 1);
	struct log_encoder *to = log_encoder_new(log, trace);
	struct ctp_error err;

	ck_assert_ptr_nonnull(to);
	(void)setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_eq(log_encoder_finish(to, &err), CTP_ERR_IO);
	log_encoder_free(to);
	log_writer_free(log);
	(void)fclose(full);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log_encoder");
	TCase *tests = tcase_create("log_encoder");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, events_of_all_kinds_are_read_as_they_were);
	tcase_add_test(tests, tracks_may_be_many);
	tcase_add_test(tests, a_call_precedes_its_effects);
	tcase_add_test(tests, events_on_a_track_of_another_kind_are_kept);
	tcase_add_test(tests, the_tables_come_out);
	tcase_add_test(tests, overlong_text_is_counted);
	tcase_add_test(tests, a_log_of_a_log_is_the_same);
	tcase_add_test(tests, a_full_disk_is_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
