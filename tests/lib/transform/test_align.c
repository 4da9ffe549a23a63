/* SPDX-License-Identifier: MIT */
/* transform/align.[ch]: offsets of clocks, from collectives that end in all at
 * once. */
#include <check.h>
#include <string.h>

#include "transform/align.h"
#include "support/array_source.h"
#include "support/run_suite.h"

#define RANKS 3

static struct array_source source;
static struct align_marks marks[RANKS];
static struct align_shift shifts[RANKS];
static struct ctp_error err;

static void setup(void)
{
	memset(marks, 0, sizeof(marks));
	array_source_init(&source, NULL, 0);
}

static void teardown(void)
{
	for (int i = 0; i < RANKS; i++)
		align_marks_clear(&marks[i]);
	array_source_clear(&source);
}

static void solve(uint32_t count)
{
	ck_assert(align_solve(marks, count, shifts));
}

/* A kernel that ends at this time; its group, name and number in PyTorch's
 * form, of which any may be missing. */
struct work {
	const char *kernel;
	int64_t end_ns;
	const char *group;
	const char *name;
	int64_t number;
};

#define LONG_NS 10

/* Reads one rank's collectives. */
static void collect(uint32_t rank, const struct work *works, size_t count)
{
	struct event_arg args[16][3];
	struct event events[16];

	ck_assert_uint_le(count, 16);
	array_source_clear(&source);
	array_source_init(&source, events, count);
	(void)array_source_track(
		&source, (struct trace_track){.kind = TRACE_STREAM}, "p");
	for (size_t i = 0; i < count; i++) {
		const struct work *work = &works[i];
		struct event *event = &events[i];
		struct event_arg *arg = args[i];

		*event = (struct event){.kind = EVENT_ACTIVITY,
			.site = array_source_site(
				&source, work->kernel, "kernel"),
			.time_ns = work->end_ns - LONG_NS,
			.dur_ns = LONG_NS,
			.args = args[i]};
		if (work->group != NULL)
			*arg++ = (struct event_arg){.kind = ARG_TEXT,
				.key = array_source_text(
					&source, "Process Group Name"),
				.value.text = {
					work->group, strlen(work->group)}};
		if (work->name != NULL)
			*arg++ = (struct event_arg){.kind = ARG_TEXT,
				.key = array_source_text(
					&source, "Collective name"),
				.value.text = {work->name, strlen(work->name)}};
		if (work->number != 0)
			*arg++ = (struct event_arg){.kind = ARG_INT,
				.key = array_source_text(&source, "Seq"),
				.value.integer = work->number};
		event->arg_count = (uint32_t)(arg - args[i]);
	}
	ck_assert_int_eq(
		align_collect(&source.source, &marks[rank], &err), CTP_OK);
}

#define KERNEL "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
#define PAIR "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"

START_TEST(numbers_match_unordered_collectives)
{
	static const struct work one[] = {{KERNEL, 1000, "0", "allreduce", 5},
		{KERNEL, 2000, "0", "allreduce", 6},
		{KERNEL, 3000, "0", "allreduce", 7}};
	static const struct work other[] = {{KERNEL, 150, "0", "allreduce", 6},
		{KERNEL, 1150, "0", "allreduce", 7},
		{KERNEL, 9999, "0", "allreduce", 8}};

	collect(0, one, 3);
	collect(1, other, 3);
	solve(2);
	ck_assert(shifts[1].known);
	ck_assert_int_eq(shifts[0].shift_ns, 0);
	ck_assert_int_eq(shifts[1].shift_ns, 1850);
	ck_assert_uint_eq(shifts[1].matched, 2);
	ck_assert_uint_eq(shifts[1].spread_ns, 0);
}
END_TEST

START_TEST(median_is_not_moved_by_one_that_is_off)
{
	static const struct work one[] = {{KERNEL, 1000, "0", "allreduce", 1},
		{KERNEL, 2000, "0", "allreduce", 2},
		{KERNEL, 3000, "0", "allreduce", 3}};
	static const struct work other[] = {{KERNEL, 999, "0", "allreduce", 1},
		{KERNEL, 90000, "0", "allreduce", 2},
		{KERNEL, 2996, "0", "allreduce", 3}};

	collect(0, one, 3);
	collect(1, other, 3);
	solve(2);
	ck_assert_int_eq(shifts[1].shift_ns, 1);
	ck_assert_uint_eq(shifts[1].spread_ns, 88001);
}
END_TEST

START_TEST(without_numbers_there_must_be_equally_many)
{
	static const struct work one[] = {{KERNEL, 1000, NULL, NULL, 0},
		{KERNEL, 2000, NULL, NULL, 0},
		{PAIR, 2500, NULL, "all_to_all", 0}};
	static const struct work other[] = {{KERNEL, 2010, NULL, NULL, 0},
		{KERNEL, 1010, NULL, NULL, 0},
		{PAIR, 2599, NULL, "all_to_all", 0},
		{PAIR, 2699, NULL, "all_to_all", 0}};

	collect(0, one, 3);
	collect(1, other, 4);
	solve(2);
	ck_assert_int_eq(shifts[1].shift_ns, -10);
	ck_assert_uint_eq(shifts[1].matched, 2);
}
END_TEST

START_TEST(groups_and_names_are_different)
{
	static const struct work one[] = {{KERNEL, 1000, "0", "allreduce", 1}};
	static const struct work other[] = {{KERNEL, 1, "1", "allreduce", 1},
		{KERNEL, 2, "0", "allgather", 1},
		{KERNEL, 3, "0", "allreduce", 2}};

	collect(0, one, 1);
	collect(1, other, 3);
	solve(2);
	ck_assert(!shifts[1].known);
}
END_TEST

START_TEST(a_point_to_point_operation_is_not_a_collective)
{
	static const struct work works[] = {{PAIR, 2, "0", "send", 1},
		{PAIR, 3, "0", "recv 0<-1", 1}, {"gemm", 4, NULL, NULL, 0},
		{"nccl:send 0->1", 5, NULL, NULL, 0},
		{"nccl:coalesced", 6, NULL, NULL, 0}};

	collect(0, works, 5);
	ck_assert_uint_eq(marks[0].count, 0);
}
END_TEST

START_TEST(annotations_and_pairs_count_only_without_better_evidence)
{
	static const struct work works[] = {{PAIR, 100, NULL, NULL, 0},
		{PAIR, 200, NULL, NULL, 0},
		{"nccl:all_reduce", 501, NULL, NULL, 0},
		{KERNEL, 500, NULL, NULL, 0}};
	static const struct work later[] = {{PAIR, 1100, NULL, NULL, 0},
		{PAIR, 1200, NULL, NULL, 0},
		{"nccl:all_reduce", 1501, NULL, NULL, 0},
		{KERNEL, 1500, NULL, NULL, 0}};

	for (size_t count = 2; count <= 4; count++) {
		collect(0, works, count);
		collect(1, later, count);
		solve(2);
		ck_assert_int_eq(shifts[1].shift_ns, -1000);
		ck_assert_uint_eq(shifts[1].matched, count == 2 ? 2 : 1);
		align_marks_clear(&marks[0]);
		align_marks_clear(&marks[1]);
	}
}
END_TEST

/* Some ranks share a group only with those that share one with the first. */
START_TEST(clocks_are_known_by_way_of_others)
{
	static const struct work one[] = {{KERNEL, 1000, "0", "allreduce", 1}};
	static const struct work last[] = {{KERNEL, 1500, "1", "allreduce", 1}};
	static const struct work both[] = {{KERNEL, 1010, "0", "allreduce", 1},
		{KERNEL, 1600, "1", "allreduce", 1}};

	collect(0, one, 1);
	collect(1, last, 1);
	collect(2, both, 2);
	solve(3);
	ck_assert_int_eq(shifts[2].shift_ns, -10);
	ck_assert(shifts[1].known);
	ck_assert_int_eq(shifts[1].shift_ns, 90);
}
END_TEST

START_TEST(first_range_of_a_name_is_found)
{
	struct event events[4];

	array_source_clear(&source);
	array_source_init(&source, events, 4);
	(void)array_source_track(&source, (struct trace_track){.pid = 1}, "p");
	(void)array_source_track(&source,
		(struct trace_track){.kind = TRACE_TIMELINE, .pid = 1}, "p");
	events[0] = (struct event){.kind = EVENT_BEGIN,
		.site = array_source_site(&source, "step", ""),
		.time_ns = 70};
	events[1] = (struct event){
		.kind = EVENT_END, .site = TRACE_NONE, .time_ns = 80};
	events[2] = (struct event){
		.kind = EVENT_COMPLETE, .site = events[0].site, .time_ns = 50};
	/* This one uses another clock. */
	events[3] = (struct event){.kind = EVENT_BEGIN,
		.site = events[0].site,
		.track = 1,
		.time_ns = 1};
	ck_assert_int_eq(
		align_find(&source.source, "step", &marks[0], &err), CTP_OK);
	ck_assert_uint_eq(marks[0].count, 1);
	ck_assert_int_eq(marks[0].marks[0].time_ns, 50);
	source.at = 0;
	ck_assert_int_eq(
		align_find(&source.source, "ste", &marks[1], &err), CTP_OK);
	ck_assert_uint_eq(marks[1].count, 0);
}
END_TEST

START_TEST(broken_source_is_an_error)
{
	source.breaks = true;
	ck_assert_int_eq(align_find(&source.source, "step", &marks[0], &err),
		CTP_ERR_FORMAT);
	ck_assert_int_eq(
		align_collect(&source.source, &marks[0], &err), CTP_ERR_FORMAT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("align");
	TCase *tests = tcase_create("align");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, numbers_match_unordered_collectives);
	tcase_add_test(tests, median_is_not_moved_by_one_that_is_off);
	tcase_add_test(tests, without_numbers_there_must_be_equally_many);
	tcase_add_test(tests, groups_and_names_are_different);
	tcase_add_test(tests, a_point_to_point_operation_is_not_a_collective);
	tcase_add_test(tests,
		annotations_and_pairs_count_only_without_better_evidence);
	tcase_add_test(tests, clocks_are_known_by_way_of_others);
	tcase_add_test(tests, first_range_of_a_name_is_found);
	tcase_add_test(tests, broken_source_is_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
