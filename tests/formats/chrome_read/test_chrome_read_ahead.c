/* SPDX-License-Identifier: MIT */
/* Chrome traces that several threads read: the events, texts, losses and errors
 * are those of one thread, also where blocks are cut at the wrong place. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "format.h"
#include "support/run_suite.h"

#define EVENTS 300

/* Texts between the usual events. */
static const char *const oddities[] = {
	("{\"ph\":\"X\",\"cat\":\"c}, {\\\"ph\\\"\",\"name\":\"q\","
	 "\"ts\":5,\"dur\":1}"),
	("{\"ph\":\"X\",\"ts\":7,\"dur\":1,\"name\":\"a\",\"args\":"
	 "{\"list\":[{\"x\":1},{\"ph\":\"X\"},{\"ph\":2}]}}"),
	"{\"ph\":\"i\",\"ts\":9,\"name\":\"n\",\"args\":{\"v\":[NaN,1]}}",
	("{\"ph\":\"i\",\"ts\":9,\"name\":\"n\",\"args\":{\"v\":[2,1]},"
	 "\"tts\":3,\"own\":{\"x\":NaN}}"),
	"{}",
	"[1,{\"ph\":\"X\"},{\"ph\":\"X\"}]",
	"5",
	("{\"cat\":\"late\",\"ph\":\"X\",\"ts\":8,\"dur\":2,"
	 "\"name\":\"\\u0041\"}"),
	"{\"ph\":\"C\",\"ts\":3,\"name\":\"c\",\"args\":{\"s\":\"12\"}}",
};
#define ODDITIES (sizeof(oddities) / sizeof(oddities[0]))

/* A trace with the oddity after each 40th event. */
static void make_trace(struct buffer *out, const char *oddity)
{
	buffer_add_text(out, "{\"before\":1,\"traceEvents\":[\n");
	for (int i = 0; i < EVENTS; i++) {
		char text[256];

		(void)snprintf(text, sizeof(text),
			"%s{\"ph\":\"X\",\"cat\":\"c%d\",\"pid\":%d,\"tid\":1,"
			"\"ts\":%d.5,\"dur\":%d,\"name\":\"f%d\","
			"\"args\":{\"k%d\":%d,\"text\":\"t %d\"}}",
			i == 0 ? "" : ",\n", i % 7, i % 3, 10 * i, i % 11,
			i % 13, i / 50, i, i);
		buffer_add_text(out, text);
		if (i % 40 == 39) {
			buffer_add_text(out, ",\n");
			buffer_add_text(out, oddity);
		}
	}
	buffer_add_text(out, "],\"after\":{\"x\":[1,2]}}\n");
	ck_assert(!out->failed);
}

/* Everything that a reader returns. */
struct result {
	enum ctp_status status;
	struct ctp_error err;
	uint64_t losses[LOSS_KINDS];
	uint32_t text_count;
	uint64_t position;
	struct buffer events;
};

static void add_word(struct buffer *to, uint64_t word)
{
	buffer_add(to, &word, sizeof(word));
}

static void add_event(struct buffer *to, const struct event *event)
{
	add_word(to, event->kind);
	add_word(to, event->site);
	add_word(to, event->track);
	add_word(to, (uint64_t)event->time_ns);
	add_word(to, event->dur_ns);
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		add_word(to, arg->kind);
		add_word(to, arg->key);
		if (arg->kind == ARG_TEXT || arg->kind == ARG_JSON)
			buffer_add(to, arg->value.text.bytes,
				arg->value.text.size);
		else
			add_word(to, (uint64_t)arg->value.integer);
	}
}

static struct result read_bytes(
	const struct buffer *text, bool no_args, unsigned jobs)
{
	FILE *in = fmemopen(text->bytes, text->used, "rb");
	struct read_request request = {.skip_args = no_args, .jobs = jobs};
	struct result result = {.status = CTP_OK};
	struct event_source *source;
	struct event event;

	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(format_find("chrome")->open_events(
				 in, NULL, 0, &request, &source, NULL),
		CTP_OK);
	while (result.status == CTP_OK) {
		result.status = source->next(source, &event, &result.err);
		if (result.status == CTP_OK)
			add_event(&result.events, &event);
	}
	memcpy(result.losses, source->trace->losses, sizeof(result.losses));
	result.text_count = strtab_count(source->trace->text);
	result.position = source->position(source);
	source->close(source);
	(void)fclose(in);
	return result;
}

static void check_equal(const struct buffer *text, bool no_args, unsigned jobs)
{
	struct result one = read_bytes(text, no_args, 1);
	struct result more = read_bytes(text, no_args, jobs);

	ck_assert_int_eq(one.status, more.status);
	if (one.status != CTP_END) {
		ck_assert_str_eq(one.err.message, more.err.message);
		ck_assert_uint_eq(one.err.offset, more.err.offset);
	}
	ck_assert_mem_eq(one.losses, more.losses, sizeof(one.losses));
	ck_assert_uint_eq(one.text_count, more.text_count);
	ck_assert_uint_eq(one.position, more.position);
	ck_assert_uint_eq(one.events.used, more.events.used);
	if (one.events.used > 0)
		ck_assert_mem_eq(
			one.events.bytes, more.events.bytes, one.events.used);
	buffer_clear(&one.events);
	buffer_clear(&more.events);
}

START_TEST(threads_return_the_events_of_one)
{
	struct buffer text = BUFFER_INIT;

	make_trace(&text, oddities[_i]);
	check_equal(&text, false, 2);
	check_equal(&text, true, 2);
	check_equal(&text, false, 4);
	buffer_clear(&text);
}
END_TEST

/* The first blocks have to grow, and so does one in the middle. */
START_TEST(events_larger_than_a_block_are_read)
{
	static const int sizes[] = {700, 900, 10, 5000, 10, 200000, 10, 10};
	struct buffer text = BUFFER_INIT;

	buffer_add_text(&text, "{\"traceEvents\":[");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		buffer_add_text(&text, i == 0 ? "" : ",");
		buffer_add_text(&text, "{\"ph\":\"X\",\"ts\":1,\"dur\":1,"
				       "\"name\":\"f\",\"args\":{\"a\":\"");
		for (int at = 0; at < sizes[i]; at++)
			buffer_add_byte(&text, 'x');
		buffer_add_text(&text, "\"}}");
	}
	buffer_add_text(&text, "]}");
	ck_assert(!text.failed);
	check_equal(&text, false, 2);
	check_equal(&text, true, 3);
	buffer_clear(&text);
}
END_TEST

START_TEST(truncated_trace_has_the_same_events_and_damage)
{
	struct buffer text = BUFFER_INIT;
	size_t size;

	make_trace(&text, "{}");
	size = text.used;
	for (size_t at = 30; at < size; at += 251) {
		text.used = at;
		check_equal(&text, false, 2);
	}
	buffer_clear(&text);
}
END_TEST

START_TEST(damaged_byte_has_the_same_consequences)
{
	static const char damage[] = "{}[]\",:\\ 0a";
	struct buffer text = BUFFER_INIT;

	make_trace(&text, "{}");
	for (size_t at = 30; at < text.used; at += 157) {
		uint8_t saved = text.bytes[at];

		text.bytes[at] = (uint8_t)damage[at % (sizeof(damage) - 1)];
		check_equal(&text, at % 2 == 0, 2);
		text.bytes[at] = saved;
	}
	buffer_clear(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chrome_read_ahead");
	TCase *tcase = tcase_create("chrome_read_ahead");

	tcase_add_loop_test(
		tcase, threads_return_the_events_of_one, 0, ODDITIES);
	tcase_add_test(tcase, events_larger_than_a_block_are_read);
	tcase_add_test(tcase, truncated_trace_has_the_same_events_and_damage);
	tcase_add_test(tcase, damaged_byte_has_the_same_consequences);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
