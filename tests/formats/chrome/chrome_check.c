/* SPDX-License-Identifier: MIT */
#include "chrome_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "support/quick_check.h"

struct row_event {
	const json_t *json;
	int64_t ts_ns;
	size_t order;
	char phase;
};

struct stack {
	struct shown *shown;
	size_t shown_count;
	size_t *open;      /* into shown */
	int64_t *limit_ns; /* earliest end of open[0] … open[i - 1] */
	size_t depth;
	bool stacking;
};

json_t *check_write(struct trace *trace, const struct event *events,
	size_t count, char **text)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);
	struct format_options options = {.title = "a title"};
	struct timeline_writer *writer;
	struct ctp_error err;
	json_error_t where;
	json_t *json;

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(
		chrome_format.new_timeline(out, trace, &options, &writer, &err),
		CTP_OK);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(writer->add(writer, &events[i], &err), CTP_OK);
	ck_assert_int_eq(writer->finish(writer, &err), CTP_OK);
	writer->free(writer);
	ck_assert_int_eq(fclose(out), 0);
	json = json_loadb(
		bytes, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
	ck_assert_msg(json != NULL, "line %d: %s", where.line, where.text);
	if (text != NULL)
		*text = bytes;
	else
		free(bytes);
	return json;
}

json_t *check_find(json_t *json, const char *phase, size_t n)
{
	json_t *events = json_object_get(json, "traceEvents");
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		const char *ph =
			json_string_value(json_object_get(event, "ph"));

		if (strcmp(ph, phase) == 0 && n-- == 0)
			return event;
	}
	return NULL;
}

const char *check_text_of(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	ck_assert_msg(text != NULL, "no text %s", key);
	return text;
}

json_int_t check_number_of(const json_t *event, const char *key)
{
	const json_t *number = json_object_get(event, key);

	ck_assert_msg(json_is_integer(number), "no number %s", key);
	return json_integer_value(number);
}

json_t *check_args_of(const json_t *event)
{
	json_t *args = json_object_get(event, "args");

	ck_assert_msg(json_is_object(args), "no arguments");
	return args;
}

int64_t check_ns(const json_t *event, const char *key)
{
	const json_t *number = json_object_get(event, key);

	ck_assert_msg(json_is_number(number), "%s is not a number", key);
	return llround(json_number_value(number) * 1000);
}

static int by_time(const void *a, const void *b)
{
	const struct row_event *left = a;
	const struct row_event *right = b;

	if (left->ts_ns != right->ts_ns)
		return left->ts_ns < right->ts_ns ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

static struct row_event *take_row(json_t *trace, int64_t tid, size_t *count)
{
	json_t *events = json_object_get(trace, "traceEvents");
	struct row_event *row =
		calloc(json_array_size(events) + 1, sizeof(*row));
	size_t i;
	json_t *event;

	ck_assert_ptr_nonnull(row);
	*count = 0;
	json_array_foreach(events, i, event)
	{
		const char *ph =
			json_string_value(json_object_get(event, "ph"));

		ck_assert_ptr_nonnull(ph);
		if (strchr("XBE", ph[0]) == NULL ||
			json_integer_value(json_object_get(event, "tid")) !=
				tid)
			continue;
		row[*count].json = event;
		row[*count].ts_ns = check_ns(event, "ts");
		row[*count].order = i;
		row[(*count)++].phase = ph[0];
	}
	qsort(row, *count, sizeof(*row), by_time);
	return row;
}

/* Closes the slices that have ended when an event with this duration (-1: none)
 * starts. */
static void close_ended(struct stack *stack, int64_t ts_ns, int64_t dur_ns)
{
	while (stack->depth > 0) {
		const struct shown *top =
			&stack->shown[stack->open[stack->depth - 1]];
		int64_t end_ns = top->start_ns + top->dur_ns;

		if (top->dur_ns < 0 || end_ns > ts_ns)
			break;
		if (stack->stacking && end_ns == ts_ns && top->dur_ns == 0 &&
			dur_ns == 0)
			break;
		stack->depth--;
	}
	ck_assert_msg(ts_ns + (dur_ns < 0 ? 0 : dur_ns) <=
			      stack->limit_ns[stack->depth],
		"an event at %lld leaves its parent", (long long)ts_ns);
}

static void push(
	struct stack *stack, const struct row_event *event, int64_t dur_ns)
{
	struct shown *shown = &stack->shown[stack->shown_count];
	const char *name =
		json_string_value(json_object_get(event->json, "name"));

	ck_assert_ptr_nonnull(name);
	ck_assert_uint_lt(strlen(name), sizeof(shown->name));
	strcpy(shown->name, name);
	shown->depth = stack->depth;
	shown->start_ns = event->ts_ns;
	shown->dur_ns = dur_ns;
	stack->open[stack->depth++] = stack->shown_count++;
	stack->limit_ns[stack->depth] =
		dur_ns < 0 ? stack->limit_ns[stack->depth - 1]
			   : event->ts_ns + dur_ns;
}

static void pop_begun(struct stack *stack, const struct row_event *event)
{
	struct shown *top;

	ck_assert_msg(stack->depth > 0, "an end without a begin");
	top = &stack->shown[stack->open[--stack->depth]];
	ck_assert_msg(top->dur_ns < 0, "an end inside of %s", top->name);
	ck_assert_str_eq(top->name,
		json_string_value(json_object_get(event->json, "name")));
	top->dur_ns = event->ts_ns - top->start_ns;
}

struct shown *check_rebuild(
	json_t *trace, int64_t tid, bool stacking, size_t *count)
{
	size_t event_count;
	struct row_event *row = take_row(trace, tid, &event_count);
	struct stack stack = {.stacking = stacking};

	stack.shown = calloc(event_count + 1, sizeof(*stack.shown));
	stack.open = calloc(event_count + 1, sizeof(*stack.open));
	stack.limit_ns = calloc(event_count + 1, sizeof(*stack.limit_ns));
	ck_assert(stack.shown != NULL && stack.open != NULL &&
		  stack.limit_ns != NULL);
	stack.limit_ns[0] = INT64_MAX;
	for (size_t i = 0; i < event_count; i++) {
		int64_t dur_ns =
			row[i].phase == 'X' ? check_ns(row[i].json, "dur") : -1;

		close_ended(&stack, row[i].ts_ns, dur_ns);
		if (row[i].phase == 'E')
			pop_begun(&stack, &row[i]);
		else
			push(&stack, &row[i], dur_ns);
	}
	free(stack.open);
	free(stack.limit_ns);
	free(row);
	*count = stack.shown_count;
	return stack.shown;
}
