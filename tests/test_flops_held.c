/* SPDX-License-Identifier: MIT */
/* What lib/flops.c keeps of operators that it has read. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "flops.h"
#include "run_suite.h"

#define DIMS "[[3, 5], [5, 7]]"
#define FLOATS "[\"float\",\"float\"]"

static struct trace *trace;
static struct flops *flops;

static void set_up(void)
{
	trace = trace_new();
	flops = flops_new(trace);
	ck_assert(trace != NULL && flops != NULL);
}

static void tear_down(void)
{
	flops_free(flops);
	trace_free(trace);
}

static uint32_t number_of(const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

/* What an operator does that says so much of its inputs. */
static struct flops_work ask(const char *name, const char *dims,
	const char *types, const char *concrete)
{
	const char *keys[] = {"Input Dims", "Input type", "Concrete Inputs"};
	const char *texts[] = {dims, types, concrete};
	struct event_arg args[3];
	struct event event = {.kind = EVENT_BEGIN, .args = args};
	struct trace_site site = {
		.name = number_of(name), .category = number_of("cpu_op")};
	struct flops_work work;

	for (int i = 0; i < 3; i++)
		if (texts[i] != NULL)
			args[event.arg_count++] = (struct event_arg){
				.kind = ARG_JSON,
				.key = number_of(keys[i]),
				.value.text = {texts[i], strlen(texts[i])}};
	event.site = trace_add_place(trace, site);
	flops_of_op(flops, event.site, &event, &work);
	return work;
}

START_TEST(what_differs_in_one_text_is_told_apart)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(
			ask("aten::mm", DIMS, FLOATS, NULL).dtype, DTYPE_FP32);
		ck_assert_int_eq(ask("aten::mm", DIMS, NULL, FLOATS).dtype,
			DTYPE_UNKNOWN);
		ck_assert_uint_eq(ask("aten::mm", DIMS, NULL, NULL).flops, 210);
		ck_assert(!ask("aten::add", DIMS, NULL, NULL).has_flops);
		ck_assert(!ask("aten::mm", NULL, DIMS, NULL).has_flops);
	}
}
END_TEST

/* Far more than are held. */
START_TEST(what_was_displaced_is_read_again)
{
	char dims[64];

	for (unsigned i = 0; i < 20000; i++) {
		unsigned rows = i % 5000 + 1;

		(void)snprintf(dims, sizeof(dims), "[[%u, 5], [5, 7]]", rows);
		ck_assert_uint_eq(
			ask("aten::mm", dims, FLOATS, NULL).flops, 70 * rows);
	}
}
END_TEST

START_TEST(what_is_too_long_to_be_held_is_read)
{
	char dims[1024];

	(void)snprintf(dims, sizeof(dims), "%800s", DIMS);
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(ask("aten::mm", dims, NULL, NULL).flops, 210);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flops_held");
	TCase *tests = tcase_create("flops_held");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, what_differs_in_one_text_is_told_apart);
	tcase_add_test(tests, what_was_displaced_is_read_again);
	tcase_add_test(tests, what_is_too_long_to_be_held_is_read);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
