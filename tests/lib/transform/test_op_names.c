/* SPDX-License-Identifier: MIT */
/* lib/transform/op_names.[ch] */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strtab.h"
#include "support/run_suite.h"
#include "transform/op_names.h"

/* Gives one event for each site. */
struct given {
	struct event_source source; /* first */
	enum event_kind kind;
	uint32_t taken;
	uint32_t count;
	struct event_arg arg;
};

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct given *given = (struct given *)source;

	(void)err;
	if (given->taken == given->count)
		return CTP_END;
	*event = (struct event){.kind = given->kind, .site = given->taken++};
	if (given->arg.key != 0) {
		event->args = &given->arg;
		event->arg_count = 1;
	}
	return CTP_OK;
}

static void close_given(struct event_source *source)
{
	trace_free(source->trace);
}

static struct given given;
static char text[1024];

/* The events' names and arguments, given one event of each name. */
static const char *split(enum event_kind kind, const char *const *names)
{
	struct event_source *source;
	struct event event;
	size_t used = 0;

	given.source = (struct event_source){
		.trace = trace_new(NULL), .next = next, .close = close_given};
	given.kind = kind;
	given.taken = 0;
	for (given.count = 0; names[given.count] != NULL; given.count++)
		ck_assert_uint_eq(
			trace_add_site(given.source.trace, names[given.count],
				strlen(names[given.count]), "", 0, 0),
			given.count);
	if (given.arg.key != 0)
		given.arg.key = strtab_add(given.source.trace->text, "k", 1);
	ck_assert_int_eq(op_names_open(&given.source, &source, NULL), CTP_OK);
	text[0] = '\0';
	while (source->next(source, &event, NULL) == CTP_OK) {
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%s<%s>", used == 0 ? "" : " ",
			trace_site_name(source->trace, event.site));
		for (uint32_t i = 0; i < event.arg_count; i++) {
			const struct event_arg *arg = &event.args[i];
			const char *key = strtab_text(
				source->trace->text, arg->key, NULL);

			used += (size_t)(arg->kind == ARG_INT
						 ? snprintf(text + used,
							   sizeof(text) - used,
							   " %s:%" PRId64, key,
							   arg->value.integer)
						 : snprintf(text + used,
							   sizeof(text) - used,
							   " %s:%.*s", key,
							   (int)arg->value.text
								   .size,
							   arg->value.text
								   .bytes));
		}
	}
	source->close(source);
	return text;
}

START_TEST(arguments_of_emit_nvtx_are_split_off)
{
	const char *const names[] = {
		"aten::to, seq = 7, op_id = 12, sizes = [[2, 3], []], "
		"input_op_ids = [(1,0), (2,1)]",
		"aten::view, op_id = 314290", "MmBackward0, stashed seq=5",
		"aten::to, seq = 8", "f<int, long>, seq = 9", NULL};

	ck_assert_str_eq(split(EVENT_BEGIN, names),
		"<aten::to> seq:7 op_id:12 sizes:[[2, 3], []] "
		"input_op_ids:[(1,0), (2,1)] <aten::view> op_id:314290 "
		"<MmBackward0> stashed seq:5 <aten::to> seq:8 "
		"<f<int, long>> seq:9");
}
END_TEST

START_TEST(a_truncated_list_is_kept)
{
	const char *const names[] = {"aten::cat, sizes = [[1, 2], [3", NULL};

	ck_assert_str_eq(
		split(EVENT_BEGIN, names), "<aten::cat> sizes:[[1, 2], [3");
}
END_TEST

START_TEST(other_names_stay)
{
	const char *const names[] = {"seq = 12", "a, b", "a, seq",
		"a, seq = ", "a, seq = x", "a, seq = 1, b", "a, sequence = 1",
		"a, op_id = 1234567890123456789", "", NULL};

	ck_assert_str_eq(split(EVENT_BEGIN, names),
		"<seq = 12> <a, b> <a, seq> <a, seq = > <a, seq = x> "
		"<a, seq = 1, b> <a, sequence = 1> "
		"<a, op_id = 1234567890123456789> <>");
}
END_TEST

START_TEST(events_keep_their_own_arguments)
{
	const char *const names[] = {"a, seq = 1", "b", "c, op_id = 2", NULL};

	given.arg = (struct event_arg){
		.kind = ARG_INT, .key = 1, .value.integer = -3};
	ck_assert_str_eq(split(EVENT_INSTANT, names),
		"<a> k:-3 seq:1 <b> k:-3 <c> k:-3 op_id:2");
	given.arg.key = 0;
}
END_TEST

START_TEST(an_end_matches_its_begin)
{
	const char *const names[] = {"a, seq = 1", NULL};

	ck_assert_str_eq(split(EVENT_ASYNC_BEGIN, names), "<a> seq:1");
	ck_assert_str_eq(split(EVENT_ASYNC_END, names), "<a>");
}
END_TEST

START_TEST(work_of_devices_keeps_its_names)
{
	const char *const names[] = {"kernel, seq = 1", NULL};

	ck_assert_str_eq(split(EVENT_ACTIVITY, names), "<kernel, seq = 1>");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("op_names");
	TCase *tests = tcase_create("op_names");

	tcase_add_test(tests, arguments_of_emit_nvtx_are_split_off);
	tcase_add_test(tests, a_truncated_list_is_kept);
	tcase_add_test(tests, other_names_stay);
	tcase_add_test(tests, events_keep_their_own_arguments);
	tcase_add_test(tests, an_end_matches_its_begin);
	tcase_add_test(tests, work_of_devices_keeps_its_names);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
