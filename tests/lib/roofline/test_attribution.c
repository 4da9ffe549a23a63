/* SPDX-License-Identifier: MIT */
/* lib/roofline/attribution.[ch]: which operator gets which work, and behaviour
 * at the limits. tests/bin/gpu/kernels.sh tests shares of kernels with several
 * names. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/run_suite.h"
#include "roofline/attribution.h"

#define WORK (UINT64_C(2) * 3 * 5 * 7) /* of one product */

static struct trace *trace;
static struct attribution *attribution;
static uint32_t thread;
static uint32_t stream;
static uint32_t op;
static uint32_t call;
static uint32_t driver;
static uint32_t kernel;
static struct event_arg dims;
static bool seen; /* all events: Check takes its time for each assertion */

static uint32_t number_of(const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

static uint32_t add_site(const char *name, const char *category)
{
	return trace_add_place(
		trace, (struct trace_site){.name = number_of(name),
			       .category = number_of(category)});
}

static struct event_arg text_arg(const char *key, const char *text)
{
	return (struct event_arg){.kind = ARG_JSON,
		.key = number_of(key),
		.value.text = {text, strlen(text)}};
}

static void set_up(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	thread = trace_add_track(trace, (struct trace_track){.pid = 9});
	stream = trace_add_track(
		trace, (struct trace_track){.kind = TRACE_STREAM, .pid = 9});
	op = add_site("aten::mm", "cpu_op");
	call = add_site("cudaLaunchKernel", "cuda_runtime");
	driver = add_site("cuLaunchKernel", "cuda_driver");
	kernel = add_site("sgemm", "kernel");
	dims = text_arg("Input Dims", "[[3, 5], [5, 7]]");
	attribution = attribution_new(trace);
	seen = true;
	ck_assert_ptr_nonnull(attribution);
}

static void tear_down(void)
{
	attribution_free(attribution);
	trace_free(trace);
}

static void see(struct event event)
{
	event.track = thread;
	seen = attribution_add_event(attribution, &event) && seen;
}

static void begin(uint32_t site)
{
	see((struct event){.kind = EVENT_BEGIN,
		.site = site,
		.arg_count = site == op,
		.args = &dims});
}

static void end(void)
{
	see((struct event){.kind = EVENT_END});
}

static void correlate(uint64_t id)
{
	see((struct event){.kind = EVENT_CORRELATION, .id = id});
}

static void launch(uint64_t id)
{
	begin(call);
	correlate(id);
	end();
}

static void run_kernel(uint64_t id, uint64_t dur_ns, uint64_t ticket)
{
	struct event event = {.kind = EVENT_ACTIVITY,
		.track = stream,
		.site = kernel,
		.dur_ns = dur_ns,
		.id = id};

	seen = attribution_add_kernel(attribution, &event, ticket) && seen;
}

/* The next known operator must be this. */
static void expect(uint64_t ticket, enum share_kind kind, uint64_t flops)
{
	struct share share;

	ck_assert(seen);
	ck_assert(attribution_next(attribution, &share));
	ck_assert_uint_eq(share.ticket, ticket);
	ck_assert_int_eq(share.kind, kind);
	ck_assert_uint_eq(share.work.flops, flops);
}

static void expect_none(void)
{
	struct share share;

	ck_assert(!attribution_next(attribution, &share));
}

START_TEST(work_is_known_when_the_last_kernel_came)
{
	begin(op);
	launch(1);
	run_kernel(1, 30, 0);
	launch(2);
	end();
	expect_none();
	run_kernel(2, 10, 1);
	expect(1, SHARE_WORK, WORK / 4);
	expect(0, SHARE_WORK, WORK - WORK / 4);
	expect_none();
}
END_TEST

START_TEST(an_operator_may_do_more_until_it_ends)
{
	begin(op);
	launch(1);
	run_kernel(1, 30, 0);
	expect_none();
	end();
	expect(0, SHARE_WORK, WORK);
}
END_TEST

START_TEST(a_call_within_a_call_is_one_launch)
{
	begin(op);
	begin(call);
	correlate(1);
	begin(driver);
	correlate(1);
	end();
	end();
	end();
	run_kernel(1, 30, 0);
	expect(0, SHARE_WORK, WORK);
}
END_TEST

START_TEST(other_calls_launch_nothing)
{
	begin(op);
	begin(add_site("cudaMemsetAsync", "cuda_runtime"));
	correlate(1);
	end();
	begin(add_site("cudaGraphLaunch", "cuda_runtime"));
	correlate(2);
	end();
	launch(3);
	end();
	run_kernel(2, 30, 0);
	expect(0, SHARE_UNKNOWN, 0);
	run_kernel(3, 30, 1);
	expect(1, SHARE_WORK, WORK);
}
END_TEST

START_TEST(kernels_without_an_operator_are_unknown)
{
	launch(1);
	run_kernel(1, 30, 0);
	run_kernel(0, 30, 1);
	run_kernel(77, 30, 2);
	expect(0, SHARE_UNKNOWN, 0);
	expect(1, SHARE_UNKNOWN, 0);
	expect(2, SHARE_UNKNOWN, 0);
	/* Ends without a begin, and ids without a range. */
	end();
	correlate(5);
	expect_none();
}
END_TEST

/* Joined by External id: the number of kernels is unknown. */
START_TEST(operators_that_are_joined_themselves_wait)
{
	struct flops_work work;

	begin(op);
	correlate(1);
	ck_assert(attribution_next_op(attribution, thread, &work));
	ck_assert_uint_eq(work.flops, WORK);
	ck_assert(!attribution_next_op(attribution, thread, &work));
	end();
	ck_assert(!attribution_next_op(attribution, thread, &work));
	run_kernel(1, 30, 0);
	expect_none();
	run_kernel(1, 10, 1);
	ck_assert(attribution_finalize_all(attribution));
	expect(1, SHARE_WORK, WORK / 4);
	expect(0, SHARE_WORK, WORK - WORK / 4);
	run_kernel(1, 10, 2);
	expect(2, SHARE_UNKNOWN, 0);
}
END_TEST

START_TEST(kernels_without_time_share_nothing)
{
	begin(op);
	launch(1);
	launch(2);
	end();
	run_kernel(1, 0, 0);
	run_kernel(2, 0, 1);
	expect(1, SHARE_WORK, WORK);
	expect(0, SHARE_HELPER, 0);
}
END_TEST

START_TEST(the_oldest_operator_waits_no_more_beyond_the_limit)
{
	for (uint64_t i = 0; i < ATTRIBUTION_LIMIT; i++) {
		begin(op);
		launch(2 * i + 1);
		launch(2 * i + 2);
		end();
		if (i == 0)
			run_kernel(1, 30, 0);
	}
	expect_none();
	begin(op);
	launch(UINT64_C(1) << 40);
	end();
	expect(0, SHARE_WORK, WORK);
	ck_assert_uint_eq(attribution_late(attribution), 0);
	run_kernel(UINT64_C(1) << 40, 10, 1);
	expect(1, SHARE_WORK, WORK);
	run_kernel(2, 30, 2);
	expect(2, SHARE_UNKNOWN, 0);
	ck_assert_uint_eq(attribution_late(attribution), 1);
	run_kernel(3, 30, 2);
	expect_none();
	ck_assert_uint_eq(attribution_late(attribution), 1);
}
END_TEST

START_TEST(launches_after_the_division_are_late)
{
	begin(op);
	launch(1);
	run_kernel(1, 30, 0);
	ck_assert(attribution_finalize_oldest(attribution));
	expect(0, SHARE_WORK, WORK);
	launch(2);
	run_kernel(2, 30, 1);
	expect(1, SHARE_UNKNOWN, 0);
	ck_assert_uint_eq(attribution_late(attribution), 1);
	end();
	expect_none();
}
END_TEST

/* The same number of kernels of 1 and of 3 us, in the order of their tickets:
 * however many wait, the first get no more than their share. */
START_TEST(many_kernels_of_one_operator_share_by_their_time)
{
	const uint64_t count = 20000;
	uint64_t shared[2] = {0};
	uint64_t times[2] = {0};
	struct share share;

	dims = text_arg("Input Dims", "[[3000, 5000], [5000, 7000]]");
	begin(op);
	for (uint64_t i = 0; i < count; i++) {
		launch(i + 1);
		run_kernel(i + 1, i < count / 2 ? 1 : 3, i);
	}
	expect_none();
	end();
	for (uint64_t i = 0; i < count; i++) {
		seen = attribution_next(attribution, &share) && seen;
		shared[share.ticket >= count / 2] += share.work.flops;
		times[share.ticket >= count / 2] += share.dur_ns;
	}
	expect_none();
	ck_assert_uint_eq(times[0], count / 2);
	ck_assert_uint_eq(times[1], 3 * count / 2);
	ck_assert_uint_eq(shared[0], UINT64_C(52500000000));
	ck_assert_uint_eq(shared[1], UINT64_C(157500000000));
	ck_assert(seen);
}
END_TEST

/* Work with one ticket waits as one, and its amounts are added. */
START_TEST(kernels_of_one_ticket_wait_together)
{
	struct event_arg own = {
		.kind = ARG_INT, .key = number_of("kernel_flop")};
	const uint64_t count = 100000;
	uint64_t sums[2] = {0};
	uint64_t shared = 0;
	struct share share;

	dims = text_arg("Input Dims", "[]");
	begin(op);
	for (uint64_t i = 1; i <= count; i++) {
		struct event event = {.kind = EVENT_ACTIVITY,
			.track = stream,
			.site = kernel,
			.id = i,
			.dur_ns = i % 5,
			.arg_count = 1,
			.args = &own};

		launch(i);
		own.value.integer = (int64_t)(i % 2);
		seen = attribution_add_kernel(attribution, &event, i % 3) &&
		       seen;
	}
	end();
	for (; attribution_next(attribution, &share); shared++)
		sums[share.work.flops != 0] += share.dur_ns;
	ck_assert(seen);
	ck_assert_uint_lt(shared, 5000);
	ck_assert_uint_eq(sums[0], 2 * count / 2);
	ck_assert_uint_eq(sums[1], 2 * count / 2);
}
END_TEST

/* For packed sequences, the operator around knows the lengths. */
START_TEST(attention_is_known_from_the_operator_around_it)
{
	struct event_arg outer = text_arg(
		"Input Dims", "[[2, 3, 5, 8], [2, 3, 5, 8], [2, 3, 5, 8]]");
	struct event_arg inner = text_arg(
		"Input Dims", "[[10, 3, 8], [10, 3, 8], [10, 3, 8], [3]]");

	see((struct event){.kind = EVENT_BEGIN,
		.site = add_site(
			"aten::_scaled_dot_product_flash_attention", "cpu_op"),
		.arg_count = 1,
		.args = &outer});
	see((struct event){.kind = EVENT_BEGIN,
		.site = add_site("aten::_flash_attention_forward", "cpu_op"),
		.arg_count = 1,
		.args = &inner});
	launch(1);
	end();
	end();
	run_kernel(1, 10, 0);
	expect(0, SHARE_WORK, UINT64_C(2) * 3 * 5 * 5 * 4 * 8);
}
END_TEST

START_TEST(arguments_may_come_later)
{
	see((struct event){.kind = EVENT_BEGIN, .site = op});
	launch(1);
	see((struct event){.kind = EVENT_ARGS, .arg_count = 1, .args = &dims});
	end();
	run_kernel(1, 10, 0);
	expect(0, SHARE_WORK, WORK);
}
END_TEST

/* An operator whose text is freed when the call returns. */
static void begin_with(const char *shapes, int spaces)
{
	char text[512];
	struct event_arg arg;

	(void)snprintf(text, sizeof(text), "%*s%s", spaces, "", shapes);
	arg = text_arg("Input Dims", text);
	see((struct event){
		.kind = EVENT_BEGIN, .site = op, .arg_count = 1, .args = &arg});
	memset(text, 'x', sizeof(text));
}

START_TEST(an_operator_launches_behind_others_within_it)
{
	begin_with("[[3, 5], [5, 7]]", 0);
	for (int i = 0; i < 100; i++) {
		begin_with("[[1, 2], [2, 4]]", i);
		begin_with("[[9, 9], [9, 9]]", 4 * i);
		end();
		launch((uint64_t)i + 2);
		end();
		run_kernel((uint64_t)i + 2, 10, (uint64_t)i);
		expect((uint64_t)i, SHARE_WORK, UINT64_C(2) * 1 * 2 * 4);
	}
	launch(1);
	end();
	run_kernel(1, 10, 100);
	expect(100, SHARE_WORK, WORK);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("attribution");
	TCase *tests = tcase_create("attribution");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, work_is_known_when_the_last_kernel_came);
	tcase_add_test(tests, an_operator_may_do_more_until_it_ends);
	tcase_add_test(tests, a_call_within_a_call_is_one_launch);
	tcase_add_test(tests, other_calls_launch_nothing);
	tcase_add_test(tests, kernels_without_an_operator_are_unknown);
	tcase_add_test(tests, operators_that_are_joined_themselves_wait);
	tcase_add_test(tests, kernels_without_time_share_nothing);
	tcase_add_test(
		tests, the_oldest_operator_waits_no_more_beyond_the_limit);
	tcase_add_test(tests, launches_after_the_division_are_late);
	tcase_add_test(tests, many_kernels_of_one_operator_share_by_their_time);
	tcase_add_test(tests, kernels_of_one_ticket_wait_together);
	tcase_add_test(tests, attention_is_known_from_the_operator_around_it);
	tcase_add_test(tests, arguments_may_come_later);
	tcase_add_test(tests, an_operator_launches_behind_others_within_it);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
