/* SPDX-License-Identifier: MIT */
/* lib/transform/event_spool.[ch]: a merge of stored sources equals one of the
 * sources themselves, also in what is known when. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/run_suite.h"
#include "transform/event_spool.h"
#include "transform/merge.h"

#define SOURCES 5
#define EVENTS 400
#define LONG_TEXT 200000

/* A source of random events, whose trace grows with them. */
struct random_source {
	struct event_source source; /* first: callers hold a pointer to it */
	uint64_t state;
	uint32_t at;
	uint32_t count;
	int64_t time_ns;
	struct event_arg args[3];
	char text[32];
};

static char long_text[LONG_TEXT];
static struct ctp_error err;

static uint32_t chance(struct random_source *random, uint32_t below)
{
	random->state = random->state * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(random->state >> 33) % below;
}

static uint32_t text(struct random_source *random, const char *word)
{
	char name[48];

	(void)snprintf(
		name, sizeof(name), "%s %" PRIu32, word, chance(random, 9));
	return strtab_add(random->source.trace->text, name, strlen(name));
}

static void add_track(struct random_source *random)
{
	struct trace_track track = {
		.kind = (enum trace_track_kind)chance(random, 4),
		.pid = chance(random, 3),
		.tid = chance(random, 5),
		.name = text(random, "thread"),
		.process_name = text(random, "process"),
		.device = chance(random, 2)};

	ck_assert_uint_ne(
		trace_add_track(random->source.trace, track), TRACE_NONE);
}

static void add_device(struct random_source *random)
{
	const struct event_arg args[] = {{.kind = ARG_TEXT,
						 .key = text(random, "key"),
						 .value.text = {"value", 5}},
		{.kind = ARG_FLOAT,
			.key = text(random, "key"),
			.value.real = chance(random, 100)}};
	const struct trace_device device = {.pid = chance(random, 3),
		.number = chance(random, 3),
		.arg_count = 2,
		.args = (struct event_arg *)(uintptr_t)args};

	ck_assert_uint_ne(
		trace_add_device(random->source.trace, &device), TRACE_NONE);
}

/* Something becomes known. */
static void grow(struct random_source *random)
{
	struct trace *trace = random->source.trace;
	struct trace_track *track;

	switch (chance(random, 12)) {
	case 0:
		add_track(random);
		break;
	case 1:
		add_device(random);
		break;
	case 2:
		track = &trace->tracks[chance(random, trace->track_count)];
		track->process_name = text(random, "renamed");
		break;
	case 3:
		ck_assert(trace_set_fact(trace,
			chance(random, 2) == 0 ? "host" : "tool",
			chance(random, 2) == 0 ? "a" : "b"));
		break;
	case 4:
		trace_lose(trace, (enum trace_loss)chance(random, LOSS_KINDS),
			1 + chance(random, 3));
		break;
	default:
		break;
	}
}

static void add_args(struct random_source *random, struct event *event)
{
	event->arg_count = chance(random, 4);
	event->args = random->args;
	for (uint32_t i = 0; i < event->arg_count; i++) {
		struct event_arg *arg = &random->args[i];

		*arg = (struct event_arg){
			.kind = (enum event_arg_kind)chance(random, 4),
			.key = chance(random, 4) == 0
				       ? strtab_add(random->source.trace->text,
						 "correlation", 11)
				       : text(random, "key")};
		if (arg->kind == ARG_INT)
			arg->value.integer =
				(int64_t)chance(random, 1000) - 500;
		else if (arg->kind == ARG_FLOAT)
			arg->value.real = chance(random, 1000) / 7.0;
		else if (chance(random, 100) == 0)
			arg->value.text.bytes = long_text,
			arg->value.text.size = LONG_TEXT;
		else
			arg->value.text.bytes = random->text,
			arg->value.text.size = chance(random, 20);
	}
}

static enum ctp_status next(struct event_source *source, struct event *event,
	struct ctp_error *error)
{
	struct random_source *random = (struct random_source *)(void *)source;
	struct trace *trace = source->trace;

	(void)error;
	grow(random);
	if (random->at++ >= random->count)
		return CTP_END;
	random->time_ns += (int64_t)chance(random, 1000) - 100;
	*event = (struct event){
		.kind = (enum event_kind)chance(random, EVENT_STEP + 1),
		.track = chance(random, trace->track_count),
		.site = TRACE_NONE,
		.device = (int32_t)chance(random, 3) - 1,
		.time_ns = random->time_ns,
		.dur_ns = chance(random, 2) * (uint64_t)chance(random, 99999),
		.shift_ns = chance(random, 2),
		.id = chance(random, 2) == 0 ? UINT64_MAX - 5
					     : chance(random, 7),
		.bytes = chance(random, 2)};
	if (chance(random, 3) > 0)
		event->site = trace_add_place(
			trace, (struct trace_site){.name = text(random, "name"),
				       .file = text(random, "file"),
				       .line = chance(random, 2)});
	if (event->time_ns > trace->end_ns)
		trace->end_ns = event->time_ns;
	add_args(random, event);
	return CTP_OK;
}

static uint64_t position(const struct event_source *source)
{
	(void)source;
	return 0;
}

static void close_nothing(struct event_source *source)
{
	(void)source;
}

static void start(struct random_source *random, uint64_t seed, uint32_t count)
{
	*random = (struct random_source){.source = {.trace = trace_new(NULL),
						 .next = next,
						 .position = position,
						 .close = close_nothing},
		.state = seed,
		.count = count,
		.text = "text \x01\xff of an argument"};
	ck_assert_ptr_nonnull(random->source.trace);
	random->source.trace->base_realtime_ns = (int64_t)seed;
	add_track(random);
}

static void add(
	struct merge *merge, struct event_source *source, uint32_t number)
{
	const struct merge_place place = {.label = number % 2 == 0 ? "a" : "",
		.order = SOURCES - number,
		.shift_ns = (int64_t)number * 77};

	ck_assert_int_eq(merge_add(merge, source, &err), CTP_OK);
	merge_set_place(merge, number, &place);
}

static void texts_equal(const struct trace *one, uint32_t number,
	const struct trace *other, uint32_t other_number)
{
	ck_assert_str_eq(strtab_text(one->text, number, NULL),
		strtab_text(other->text, other_number, NULL));
}

static void args_equal(const struct trace *one, const struct event_arg *a,
	const struct trace *other, const struct event_arg *b)
{
	texts_equal(one, a->key, other, b->key);
	ck_assert_int_eq(a->kind, b->kind);
	if (a->kind == ARG_INT || a->kind == ARG_FLOAT) {
		ck_assert_int_eq(a->value.integer, b->value.integer);
		return;
	}
	ck_assert_uint_eq(a->value.text.size, b->value.text.size);
	ck_assert_mem_eq(
		a->value.text.bytes, b->value.text.bytes, a->value.text.size);
}

static void events_equal(const struct trace *one, const struct event *a,
	const struct trace *other, const struct event *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->track, b->track);
	ck_assert_uint_eq(a->site, b->site);
	ck_assert_int_eq(a->device, b->device);
	ck_assert_int_eq(a->time_ns, b->time_ns);
	ck_assert_uint_eq(a->dur_ns, b->dur_ns);
	ck_assert_uint_eq(a->shift_ns, b->shift_ns);
	ck_assert_uint_eq(a->id, b->id);
	ck_assert_uint_eq(a->bytes, b->bytes);
	ck_assert_int_eq(a->flow, b->flow);
	ck_assert_uint_eq(a->arg_count, b->arg_count);
	for (uint32_t i = 0; i < a->arg_count; i++)
		args_equal(one, &a->args[i], other, &b->args[i]);
	if (a->site != TRACE_NONE)
		ck_assert_str_eq(trace_site_file(one, a->site),
			trace_site_file(other, b->site));
}

static void tracks_equal(const struct trace *one, const struct trace *other)
{
	ck_assert_uint_eq(one->track_count, other->track_count);
	for (uint32_t i = 0; i < one->track_count; i++) {
		const struct trace_track *a = &one->tracks[i];
		const struct trace_track *b = &other->tracks[i];

		texts_equal(one, a->name, other, b->name);
		texts_equal(one, a->process_name, other, b->process_name);
		ck_assert_int_eq(a->pid, b->pid);
		ck_assert_int_eq(a->kind, b->kind);
		ck_assert_int_eq(a->process_sort, b->process_sort);
		ck_assert_int_eq(a->end_ns, b->end_ns);
	}
}

static void traces_equal(const struct trace *one, const struct trace *other)
{
	tracks_equal(one, other);
	ck_assert_uint_eq(one->site_count, other->site_count);
	ck_assert_uint_eq(strtab_count(one->text), strtab_count(other->text));
	ck_assert_int_eq(one->start_ns, other->start_ns);
	ck_assert_int_eq(one->end_ns, other->end_ns);
	ck_assert_uint_eq(one->device_count, other->device_count);
	for (uint32_t i = 0; i < one->device_count; i++)
		for (uint32_t j = 0; j < one->devices[i].arg_count; j++)
			args_equal(one, &one->devices[i].args[j], other,
				&other->devices[i].args[j]);
	ck_assert_mem_eq(one->losses, other->losses, sizeof(one->losses));
	ck_assert_uint_eq(one->fact_count, other->fact_count);
	for (uint32_t i = 0; i < one->fact_count; i++)
		texts_equal(
			one, one->facts[i].value, other, other->facts[i].value);
}

/* The merge of stored sources and that of others, side by side. */
static void merges_equal(struct merge *one, struct merge *other)
{
	struct event_source *left = merge_source(one);
	struct event_source *right = merge_source(other);
	struct event a;
	struct event b;

	for (;;) {
		enum ctp_status status = left->next(left, &a, &err);

		ck_assert_int_eq(right->next(right, &b, &err), status);
		traces_equal(left->trace, right->trace);
		if (status == CTP_END)
			break;
		ck_assert_int_eq(status, CTP_OK);
		events_equal(left->trace, &a, right->trace, &b);
	}
}

/* One source has no events. */
static uint32_t count_of(uint32_t number)
{
	return number == 3 ? 0 : EVENTS;
}

static uint64_t seed_of(int round, uint32_t number)
{
	return (uint64_t)round * SOURCES + number + 1;
}

START_TEST(a_merge_of_stored_sources_equals_one_of_open_sources)
{
	struct random_source open[SOURCES];
	struct event_spool *spool = event_spool_new();
	struct merge *direct = merge_new(SOURCES);
	struct merge *merge = merge_new(SOURCES);
	struct event_source *stored[SOURCES];

	ck_assert(spool != NULL && direct != NULL && merge != NULL);
	memset(long_text, 'x', sizeof(long_text));
	for (uint32_t i = 0; i < SOURCES; i++) {
		uint64_t seed = seed_of(_i, i);
		struct random_source random;

		start(&open[i], seed, count_of(i));
		add(direct, &open[i].source, i);
		start(&random, seed, count_of(i));
		ck_assert_int_eq(event_spool_add(spool, &random.source,
					 &stored[i], &err),
			CTP_OK);
		trace_free(random.source.trace);
	}
	ck_assert_int_eq(event_spool_finish(spool, &err), CTP_OK);
	merge_share_tables(merge, event_spool_tables(spool));
	for (uint32_t i = 0; i < SOURCES; i++) {
		ck_assert_int_eq(stored[i]->trace->base_realtime_ns,
			(int64_t)seed_of(_i, i));
		add(merge, stored[i], i);
	}
	merges_equal(merge, direct);
	merge_free(merge);
	merge_free(direct);
	event_spool_free(spool);
	for (uint32_t i = 0; i < SOURCES; i++)
		trace_free(open[i].source.trace);
}
END_TEST

START_TEST(stored_events_can_be_scanned_first)
{
	struct event_spool *spool = event_spool_new();
	struct random_source random;
	struct event_source *stored;
	struct event_source *scan;
	uint32_t scanned = 0;
	struct event event;

	ck_assert_ptr_nonnull(spool);
	start(&random, 1, EVENTS);
	ck_assert_int_eq(
		event_spool_add(spool, &random.source, &stored, &err), CTP_OK);
	ck_assert_int_eq(event_spool_finish(spool, &err), CTP_OK);
	for (int i = 0; i < 2; i++) {
		scan = event_spool_scan(stored);
		ck_assert_uint_eq(scan->trace->track_count,
			random.source.trace->track_count);
		while (scan->next(scan, &event, &err) == CTP_OK) {
			ck_assert_uint_lt(
				event.track, scan->trace->track_count);
			if (event.site != TRACE_NONE)
				ck_assert_str_ne(trace_site_name(scan->trace,
							 event.site),
					"");
			scanned++;
		}
	}
	ck_assert_uint_eq(scanned, 2 * EVENTS);
	ck_assert_int_eq(stored->next(stored, &event, &err), CTP_OK);
	trace_free(random.source.trace);
	event_spool_free(spool);
}
END_TEST

static enum ctp_status break_off(struct event_source *source,
	struct event *event, struct ctp_error *error)
{
	if (((struct random_source *)(void *)source)->at == 20)
		return ctp_fail(error, CTP_ERR_FORMAT, "broken");
	return next(source, event, error);
}

START_TEST(a_source_that_fails_leaves_the_others)
{
	struct event_spool *spool = event_spool_new();
	struct event_source *stored = NULL;
	struct random_source random;
	uint32_t count = 0;
	struct event event;

	ck_assert_ptr_nonnull(spool);
	start(&random, 1, EVENTS);
	random.source.next = break_off;
	ck_assert_int_eq(event_spool_add(spool, &random.source, &stored, &err),
		CTP_ERR_FORMAT);
	ck_assert_ptr_null(stored);
	trace_free(random.source.trace);
	start(&random, 2, EVENTS);
	ck_assert_int_eq(
		event_spool_add(spool, &random.source, &stored, &err), CTP_OK);
	ck_assert_int_eq(event_spool_finish(spool, &err), CTP_OK);
	while (stored->next(stored, &event, &err) == CTP_OK)
		count++;
	ck_assert_uint_eq(count, EVENTS);
	trace_free(random.source.trace);
	event_spool_free(spool);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("event_spool");
	TCase *tests = tcase_create("event_spool");

	tcase_add_loop_test(tests,
		a_merge_of_stored_sources_equals_one_of_open_sources, 0, 10);
	tcase_add_test(tests, stored_events_can_be_scanned_first);
	tcase_add_test(tests, a_source_that_fails_leaves_the_others);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
