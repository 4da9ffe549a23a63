/* SPDX-License-Identifier: MIT */
/* lib/ranks: rows, collectives and stragglers of small jobs, computed by hand;
 * adding has no order. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ranks/ranks.h"
#include "ranks/stragglers.h"
#include "support/run_suite.h"

static struct ranks *ranks;
static struct stragglers stragglers;

static void set_up(void)
{
	ranks = ranks_new();
	ck_assert_ptr_nonnull(ranks);
}

static void tear_down(void)
{
	stragglers_clear(&stragglers);
	ranks_free(ranks);
	ranks = NULL;
}

static struct rank_row *row_of(struct ranks *in, int64_t rank)
{
	const struct rank_row_key key = {.rank = rank, .input = ""};
	struct rank_row *row = ranks_row(in, &key);

	ck_assert_ptr_nonnull(row);
	return row;
}

/* ---- collectives ---- */

static const struct collective_kind reduce = {
	.op = COLLECTIVE_ALL_REDUCE, .dtype = "float", .ranks = 3, .bytes = 8};
static const struct collective_kind gather = {
	.op = COLLECTIVE_ALL_GATHER, .dtype = "float", .ranks = 3, .bytes = 8};

#define SERIES 9

/* A rank's part in an instance. */
static void take_part(struct ranks *in, const struct collective_kind *kind,
	int64_t rank, uint64_t number, uint64_t dur_ns)
{
	struct collectives *all = &in->collectives;
	struct rank_row *row = row_of(in, rank);
	uint32_t index = collectives_kind(all, kind);
	const struct rank_run run = {SERIES, number, number};

	ck_assert_uint_ne(index, INDEX_NONE);
	ck_assert(spread_add_value(&all->kinds[index].durations, dur_ns, rank));
	ck_assert(rank_row_add_run(row, &run));
	row->times.collectives++;
	row->times.collective_ns += dur_ns;
	ck_assert(collectives_add_instance(
		all, &(struct collective_instance){.series = SERIES,
			     .number = number,
			     .kind = index,
			     .count = 1,
			     .sum_ns = dur_ns,
			     .min_ns = dur_ns,
			     .max_ns = dur_ns,
			     .min_rank = rank}));
}

START_TEST(waiting_is_what_is_above_the_shortest_duration)
{
	struct collective_sums *sums;

	/* Rank 2 is last: 60 + 30 + 0 of waiting; then rank 1: 5 + 0 + 15. */
	take_part(ranks, &reduce, 0, 4, 100);
	take_part(ranks, &reduce, 1, 4, 70);
	take_part(ranks, &reduce, 2, 4, 40);
	take_part(ranks, &reduce, 2, 5, 35);
	take_part(ranks, &reduce, 0, 5, 25);
	take_part(ranks, &reduce, 1, 5, 20);
	/* Only one rank has it, so its waiting is unknown. */
	take_part(ranks, &gather, 1, 6, 1000);
	ck_assert(ranks_sort(ranks));
	ck_assert_uint_eq(ranks->collectives.kind_count, 2);
	ck_assert_int_eq(
		ranks->collectives.kinds[1].kind.op, COLLECTIVE_ALL_REDUCE);
	sums = collectives_sum(&ranks->collectives);
	ck_assert_ptr_nonnull(sums);
	ck_assert_uint_eq(sums[1].instances, 2);
	ck_assert_uint_eq(sums[1].wait_ns, 90 + 20);
	ck_assert_uint_eq(sums[1].skew_ns, 60 + 15);
	ck_assert_uint_eq(sums[1].transfers, 2);
	ck_assert_uint_eq(sums[1].transfer_ns, 40 + 20);
	ck_assert_uint_eq(sums[0].instances, 0);
	ck_assert_uint_eq(sums[0].wait_ns, 0);
	ck_assert_uint_eq(sums[0].skew_ns, 0);
	ck_assert_uint_eq(sums[0].transfers, 1);
	memory_free(sums);
	for (uint32_t i = 0; i < 3; i++)
		ranks->rows[i].times.recordings = 1;
	ck_assert(stragglers_find(
		&stragglers, ranks, (struct stragglers_by){.ranks = 0}));
	for (uint32_t i = 0; i < 3; i++) {
		static const uint64_t waits_ns[] = {60 + 5, 30, 15};
		static const uint64_t lasts[] = {0, 1, 1};
		const struct straggler *one = &stragglers.items[i];

		/* All own times are 0, so rows keep their order. */
		ck_assert_int_eq(one->row->rank, i);
		ck_assert_uint_eq(one->matched, 2);
		ck_assert_uint_eq(one->last_count, lasts[i]);
		/* It waits for nobody in the one without other ranks. */
		ck_assert_uint_eq(one->wait_ns, waits_ns[i]);
	}
}
END_TEST

START_TEST(operations_that_do_not_wait_have_durations_only)
{
	const struct collective_kind kind = {
		.op = COLLECTIVE_BROADCAST, .bytes = COLLECTIVE_BYTES_UNKNOWN};
	struct collectives all = {0};
	struct collective_sums *sums;
	uint32_t index = collectives_kind(&all, &kind);

	ck_assert(!collective_op_waits(kind.op));
	ck_assert(spread_add_value(&all.kinds[index].durations, 30, 0));
	ck_assert(spread_add_value(&all.kinds[index].durations, 50, 1));
	sums = collectives_sum(&all);
	ck_assert_uint_eq(sums[0].instances, 0);
	ck_assert_uint_eq(sums[0].transfers, 2);
	ck_assert_uint_eq(sums[0].transfer_ns, 80);
	memory_free(sums);
	collectives_clear(&all);
}
END_TEST

START_TEST(an_instance_has_the_first_of_several_kinds)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct ranks *one = ranks_new();

		take_part(one, swapped ? &gather : &reduce, 0, 1, 10);
		take_part(one, swapped ? &reduce : &gather, 1, 1, 10);
		ck_assert(ranks_sort(one));
		ck_assert_uint_eq(one->collectives.instance_count, 1);
		ck_assert_int_eq(
			one->collectives
				.kinds[one->collectives.instances[0].kind]
				.kind.op,
			COLLECTIVE_ALL_GATHER);
		ck_assert_int_eq(one->collectives.instances[0].min_rank, 0);
		ranks_free(one);
	}
}
END_TEST

START_TEST(names_of_kernels_and_of_annotations_are_operations)
{
	static const struct {
		const char *name;
		enum collective_op op;
	} cases[] = {
		{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)",
			COLLECTIVE_ALL_REDUCE},
		{"ncclKernel_ReduceScatter_RING_LL_Sum_float(void*)",
			COLLECTIVE_REDUCE_SCATTER},
		{"nccl:_allgather_base", COLLECTIVE_ALL_GATHER},
		{"nccl:all_to_all", COLLECTIVE_ALL_TO_ALL},
		{"all_to_allv", COLLECTIVE_ALL_TO_ALL_V},
		{"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
			COLLECTIVE_SEND_RECV},
		{"ncclKernel_Broadcast_RING_LL", COLLECTIVE_BROADCAST},
		{"nccl:barrier", COLLECTIVE_BARRIER},
		/* Arguments of the kernel do not count. */
		{"f(allreduce)", COLLECTIVE_OTHER},
		{"", COLLECTIVE_OTHER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_msg(collective_op_of(cases[i].name,
				      strlen(cases[i].name)) == cases[i].op,
			"%s", cases[i].name);
}
END_TEST

START_TEST(the_bus_bandwidth_has_the_factors_of_nccl_tests)
{
	static const struct {
		enum collective_op op;
		uint64_t ranks;
		uint64_t factor[2]; /* {0, 0}: undefined */
	} cases[] = {
		{COLLECTIVE_ALL_REDUCE, 8, {14, 8}},
		{COLLECTIVE_ALL_REDUCE, 1, {0, 1}},
		{COLLECTIVE_ALL_REDUCE, 0, {0, 0}},
		{COLLECTIVE_ALL_GATHER, 8, {7, 8}},
		{COLLECTIVE_REDUCE_SCATTER, 4, {3, 4}},
		{COLLECTIVE_ALL_TO_ALL, 4, {3, 4}},
		{COLLECTIVE_BROADCAST, 0, {1, 1}},
		{COLLECTIVE_SEND, 2, {1, 1}},
		{COLLECTIVE_BARRIER, 8, {0, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t factor[2];
		bool known = collective_op_bus(
			cases[i].op, cases[i].ranks, &factor[0], &factor[1]);

		ck_assert_msg(known == (cases[i].factor[1] != 0), "%zu", i);
		ck_assert_msg(!known || memcmp(factor, cases[i].factor,
						sizeof(factor)) == 0,
			"%zu", i);
	}
}
END_TEST

/* ---- rows ---- */

static void check_runs(
	const struct rank_run *added, size_t count, const char *sorted)
{
	struct rank_row *row = row_of(ranks, 0);
	char text[256] = "";

	row->run_count = 0;
	for (size_t i = 0; i < count; i++)
		ck_assert(rank_row_add_run(row, &added[i]));
	ck_assert(ranks_sort(ranks));
	row = row_of(ranks, 0);
	for (uint32_t i = 0; i < row->run_count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			"%d:%d-%d ", (int)row->runs[i].series,
			(int)row->runs[i].first, (int)row->runs[i].last);
	ck_assert_str_eq(text, sorted);
}

#define RUNS(...) \
	(const struct rank_run[]){__VA_ARGS__}, \
		sizeof((const struct rank_run[]){__VA_ARGS__}) / \
			sizeof(struct rank_run)

START_TEST(runs_are_the_longest_ones)
{
	check_runs(RUNS({1, 1, 1}, {1, 2, 2}, {1, 4, 5}), "1:1-2 1:4-5 ");
	check_runs(RUNS({1, 3, 3}, {1, 1, 1}, {1, 2, 2}), "1:1-3 ");
	check_runs(RUNS({2, 0, 0}, {1, 1, 1}, {2, 1, 1}), "1:1-1 2:0-1 ");
	/* 2 and 3 occur twice. */
	check_runs(RUNS({1, 1, 3}, {1, 2, 5}), "1:1-5 1:2-3 ");
	check_runs(RUNS({1, 2, 5}, {1, 1, 3}), "1:1-5 1:2-3 ");
	check_runs(RUNS({1, 1, 5}, {1, 2, 3}, {1, 4, 4}), "1:1-5 1:2-4 ");
	check_runs(RUNS({1, 7, 7}, {1, 7, 7}, {1, 7, 7}), "1:7-7 1:7-7 1:7-7 ");
}
END_TEST

START_TEST(rows_are_sorted_by_rank_input_process_and_device)
{
	static const struct rank_row_key keys[] = {
		{SPREAD_RANK_NONE, "b", 1, 0},
		{3, "", 0, 1},
		{SPREAD_RANK_NONE, "a", 2, RANKS_NO_DEVICE},
		{3, "", 0, 0},
		{SPREAD_RANK_NONE, "a", 1, 0},
		{0, "", 0, RANKS_NO_DEVICE},
	};
	static const int order[] = {5, 3, 1, 4, 2, 0};

	for (size_t i = 0; i < 6; i++)
		ck_assert_ptr_nonnull(ranks_row(ranks, &keys[i]));
	ck_assert_ptr_eq(ranks_row(ranks, &keys[2]), &ranks->rows[2]);
	ck_assert(ranks_sort(ranks));
	ck_assert_uint_eq(ranks->row_count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct rank_row_key *key = &keys[order[i]];

		ck_assert_int_eq(ranks->rows[i].rank, key->rank);
		ck_assert_int_eq(ranks->rows[i].pid, key->pid);
		ck_assert_int_eq(ranks->rows[i].device, key->device);
		ck_assert_ptr_eq(ranks_row(ranks, key), &ranks->rows[i]);
	}
}
END_TEST

START_TEST(the_first_of_several_hosts_stays)
{
	struct rank_row *row = row_of(ranks, 1);

	ck_assert(ranks_set_host(ranks, row, "b"));
	ck_assert(ranks_set_host(ranks, row, ""));
	ck_assert(ranks_set_host(ranks, row, "a"));
	ck_assert(ranks_set_host(ranks, row, "c"));
	ck_assert_str_eq(strtab_text(ranks->text, row->host, NULL), "a");
}
END_TEST

START_TEST(times_are_added_and_the_longest_step_stays)
{
	struct rank_times sum = {.steps = 2, .step_ns = 30, .step_max_ns = 20};
	const struct rank_times more = {.recordings = UINT64_MAX,
		.steps = 1,
		.step_ns = 15,
		.step_max_ns = 15};

	rank_times_add(&sum, &more);
	rank_times_add(&sum, &more);
	ck_assert_uint_eq(sum.steps, 4);
	ck_assert_uint_eq(sum.step_ns, 60);
	ck_assert_uint_eq(sum.step_max_ns, 20);
	ck_assert_uint_eq(sum.recordings, UINT64_MAX);
}
END_TEST

/* The part of a rank in a job of three. */
static struct ranks *make_part(int64_t rank)
{
	struct ranks *part = ranks_new();
	const struct rank_item_key key = {
		.kind = RANK_FUNCTION, .name = "f", .file = "a.py", .line = 3};
	struct rank_item *item = ranks_item(part, &key);

	ck_assert_ptr_nonnull(item);
	ck_assert(spread_add_value(&item->self, 10 + (uint64_t)rank, rank));
	ck_assert(spread_add_value(&item->total, 20, rank));
	row_of(part, rank)->times.recordings = 1;
	ck_assert(ranks_set_host(part, row_of(part, rank), "node"));
	take_part(part, &reduce, rank, 1, 100 - 10 * (uint64_t)rank);
	take_part(part, &gather, rank, 2, 50 + 10 * (uint64_t)rank);
	part->recordings = 1;
	part->world = (uint64_t)rank;
	return part;
}

START_TEST(adding_has_no_order)
{
	static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
		{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		struct ranks *sum = ranks_new();
		const struct collective_instance *instances;

		for (size_t k = 0; k < 3; k++) {
			struct ranks *part = make_part(orders[i][k]);

			ck_assert(ranks_add(sum, part));
			ranks_free(part);
		}
		ck_assert(ranks_sort(sum));
		ck_assert_uint_eq(sum->recordings, 3);
		ck_assert_uint_eq(sum->world, 2);
		ck_assert_uint_eq(sum->row_count, 3);
		ck_assert_uint_eq(sum->item_count, 1);
		ck_assert_uint_eq(sum->items[0].self.sum_ns, 33);
		ck_assert_int_eq(sum->items[0].self.min_rank, 0);
		ck_assert_int_eq(sum->items[0].self.max_rank, 2);
		ck_assert_int_eq(sum->items[0].total.max_rank, 0);
		instances = sum->collectives.instances;
		ck_assert_uint_eq(sum->collectives.instance_count, 2);
		ck_assert_uint_eq(instances[0].sum_ns, 270);
		ck_assert_uint_eq(instances[0].min_ns, 80);
		ck_assert_int_eq(instances[0].min_rank, 2);
		ck_assert_uint_eq(instances[0].kind, 1);
		ck_assert_uint_eq(instances[1].max_ns, 70);
		ck_assert_int_eq(instances[1].min_rank, 0);
		ck_assert_uint_eq(instances[1].kind, 0);
		ranks_free(sum);
	}
}
END_TEST

/* ---- stragglers ---- */

/* Eight ranks on two hosts with two steps of 1000 ns each: 600 of computing,
 * 100 of exposed communication, 50 of copies, and 250 of idle time. */
static void make_job(void)
{
	for (int64_t rank = 0; rank < 8; rank++) {
		struct rank_row *row = row_of(ranks, rank);

		ck_assert(ranks_set_host(ranks, row, rank < 4 ? "n0" : "n1"));
		row->times = (struct rank_times){.recordings = 1,
			.steps = 2,
			.step_ns = 2000,
			.step_max_ns = 1000,
			.span_ns = 2500,
			.busy_ns = 1500,
			.kernel_ns = 1400,
			.compute_ns = 1200,
			.communication_ns = 400,
			.copy_ns = 100,
			.idle_ns = 500};
		row->times.cause_ns[GAP_HOST] = 300;
		row->times.cause_ns[GAP_DATA] = 200;
	}
}

static const struct straggler *find(struct stragglers_by by)
{
	stragglers_clear(&stragglers);
	ck_assert(ranks_sort(ranks));
	ck_assert(stragglers_find(&stragglers, ranks, by));
	return stragglers.items;
}

#define BY_RANK ((struct stragglers_by){.ranks = 0})
#define BY_HOST ((struct stragglers_by){.host = true})

START_TEST(equal_ranks_have_no_straggler)
{
	const struct straggler *items;

	make_job();
	items = find(BY_RANK);
	ck_assert(stragglers.per_step);
	ck_assert_uint_eq(stragglers.count, 8);
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_int_eq(items[i].row->rank, i);
		ck_assert_uint_eq(items[i].own_ns, 1000);
		ck_assert_uint_eq(items[i].behind_ns, 0);
		ck_assert_int_eq(items[i].reason, STRAGGLER_NONE);
	}
	ck_assert_ptr_null(straggler_reason_name(STRAGGLER_NONE));
}
END_TEST

/* Makes rank 5's steps longer by 100 ns each, spent on one part. */
static void slow_down(enum straggler_reason reason)
{
	struct rank_times *times = &row_of(ranks, 5)->times;

	times->step_ns += 200;
	switch (reason) {
	case STRAGGLER_COMPUTE:
		times->compute_ns += 200;
		times->kernel_ns += 200;
		times->busy_ns += 200;
		break;
	case STRAGGLER_LAUNCH:
		times->cause_ns[GAP_HOST] += 200;
		break;
	case STRAGGLER_INPUT:
		times->cause_ns[GAP_DATA] += 200;
		break;
	case STRAGGLER_COMMUNICATION:
		times->kernel_ns += 200;
		times->busy_ns += 200;
		break;
	default:
		times->busy_ns += 200;
		break;
	}
}

START_TEST(the_reason_is_the_part_that_grew)
{
	for (int reason = 0; reason < STRAGGLER_REASONS; reason++) {
		const struct straggler *items;

		tear_down();
		set_up();
		make_job();
		slow_down((enum straggler_reason)reason);
		items = find(BY_RANK);
		ck_assert_int_eq(items[0].row->rank, 5);
		ck_assert_uint_eq(items[0].own_ns, 1100);
		ck_assert_uint_eq(items[0].behind_ns, 100);
		ck_assert_int_eq(items[0].reason, reason);
		ck_assert_ptr_nonnull(straggler_reason_name(items[0].reason));
		ck_assert_int_eq(items[1].reason, STRAGGLER_NONE);
	}
}
END_TEST

/* After the last launch, a rank waits for others. */
START_TEST(idle_time_with_nothing_launched_has_another_reason)
{
	make_job();
	row_of(ranks, 5)->times.step_ns += 200;
	row_of(ranks, 5)->times.cause_ns[GAP_NOTHING] += 200;
	ck_assert_int_eq(find(BY_RANK)[0].row->rank, 5);
	ck_assert_int_eq(stragglers.items[0].reason, STRAGGLER_NONE);
}
END_TEST

START_TEST(a_straggler_within_three_percent_has_no_reason)
{
	make_job();
	/* 1000 / 32 = 31 ns per step */
	row_of(ranks, 6)->times.step_ns += 62;
	row_of(ranks, 6)->times.compute_ns += 62;
	ck_assert_uint_eq(find(BY_RANK)[0].behind_ns, 31);
	ck_assert_int_eq(stragglers.items[0].reason, STRAGGLER_NONE);
	row_of(ranks, 6)->times.step_ns += 2;
	row_of(ranks, 6)->times.compute_ns += 2;
	ck_assert_uint_eq(find(BY_RANK)[0].behind_ns, 32);
	ck_assert_int_eq(stragglers.items[0].reason, STRAGGLER_COMPUTE);
}
END_TEST

/* All have steps of 1000; the slow rank 2 makes the others wait. */
START_TEST(equal_steps_have_a_straggler_that_does_not_wait)
{
	const struct straggler *items;

	make_job();
	for (int64_t rank = 0; rank < 8; rank++) {
		struct rank_times *times = &row_of(ranks, rank)->times;

		take_part(ranks, &reduce, rank, 1, rank == 2 ? 50 : 250);
		take_part(ranks, &reduce, rank, 2, rank == 2 ? 50 : 250);
		times = &row_of(ranks, rank)->times;
		if (rank == 2) {
			times->compute_ns = 1600;
			times->kernel_ns = 1700;
		} else {
			times->kernel_ns = 1200 + 500;
		}
	}
	items = find(BY_RANK);
	ck_assert_int_eq(items[0].row->rank, 2);
	ck_assert_uint_eq(items[0].wait_ns, 0);
	ck_assert_uint_eq(items[0].last_count, 2);
	ck_assert_uint_eq(items[0].own_ns, 1000);
	ck_assert_uint_eq(items[0].behind_ns, 200);
	ck_assert_int_eq(items[0].reason, STRAGGLER_COMPUTE);
	ck_assert_uint_eq(items[1].wait_ns, 400);
	ck_assert_uint_eq(items[1].own_ns, 800);
	ck_assert_uint_eq(items[1].last_count, 0);
}
END_TEST

START_TEST(without_steps_the_span_is_compared)
{
	make_job();
	for (int64_t rank = 0; rank < 8; rank++)
		row_of(ranks, rank)->times.span_ns += rank == 3 ? 500 : 0;
	ck_assert_int_eq(find(BY_RANK)[0].row->rank, 0);
	/* One rank lacks steps. */
	row_of(ranks, 7)->times.steps = 0;
	ck_assert_int_eq(find(BY_RANK)[0].row->rank, 3);
	ck_assert(!stragglers.per_step);
	ck_assert_uint_eq(stragglers.items[0].own_ns, 3000);
	ck_assert_uint_eq(stragglers.items[0].behind_ns, 500);
}
END_TEST

/* Whether the first host is slow; the others are not. */
static void check_slow_host(bool slow)
{
	struct stragglers rows = {0};

	(void)find(BY_HOST);
	ck_assert(stragglers_find(&rows, ranks, BY_RANK));
	for (uint32_t i = 0; i < stragglers.count; i++)
		ck_assert(straggler_is_slow_host(&stragglers.items[i], &rows) ==
			  (slow && i == 0));
	stragglers_clear(&rows);
}

START_TEST(a_host_has_the_means_of_its_ranks)
{
	const struct straggler *items;

	make_job();
	for (int64_t rank = 4; rank < 8; rank++) {
		row_of(ranks, rank)->times.step_ns += 200;
		row_of(ranks, rank)->times.cause_ns[GAP_DATA] += 200;
	}
	items = find(BY_HOST);
	ck_assert_uint_eq(stragglers.count, 2);
	ck_assert_int_eq(items[0].row->rank, 4);
	ck_assert_uint_eq(items[0].rows, 4);
	ck_assert_uint_eq(items[0].times.step_ns, 8800);
	ck_assert_uint_eq(items[0].own_ns, 1100);
	ck_assert_uint_eq(items[0].behind_ns, 100);
	ck_assert_int_eq(items[0].reason, STRAGGLER_INPUT);
	ck_assert_int_eq(items[1].reason, STRAGGLER_NONE);
	check_slow_host(true);
	items = find((struct stragglers_by){.ranks = 3});
	ck_assert_uint_eq(stragglers.count, 3);
	ck_assert_int_eq(items[0].row->rank, 6);
	ck_assert_uint_eq(items[0].rows, 2);
	/* One of them is as fast as the others. */
	row_of(ranks, 6)->times.step_ns -= 200;
	row_of(ranks, 6)->times.cause_ns[GAP_DATA] -= 200;
	check_slow_host(false);
}
END_TEST

START_TEST(a_rank_with_two_devices_is_last_once)
{
	const struct rank_row_key key = {.rank = 1, .input = "", .device = 1};

	take_part(ranks, &reduce, 0, 1, 50);
	take_part(ranks, &reduce, 1, 1, 20);
	ck_assert_ptr_nonnull(ranks_row(ranks, &key));
	find((struct stragglers_by){.ranks = 2});
	ck_assert_uint_eq(stragglers.count, 1);
	ck_assert_uint_eq(stragglers.items[0].rows, 3);
	ck_assert_uint_eq(stragglers.items[0].last_count, 1);
}
END_TEST

START_TEST(huge_times_saturate)
{
	for (int64_t rank = 0; rank < 2; rank++) {
		struct rank_row *row = row_of(ranks, rank);

		row->times.recordings = 1;
		for (uint64_t number = 0; number < 3; number++) {
			take_part(ranks, &reduce, rank, number,
				UINT64_MAX - (uint64_t)rank);
			row_of(ranks, rank)->times.collective_ns = UINT64_MAX;
		}
	}
	find(BY_RANK);
	ck_assert_uint_eq(stragglers.items[0].wait_ns, 0);
	ck_assert_uint_eq(stragglers.items[1].wait_ns, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ranks");
	TCase *tests = tcase_create("ranks");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, waiting_is_what_is_above_the_shortest_duration);
	tcase_add_test(tests, operations_that_do_not_wait_have_durations_only);
	tcase_add_test(tests, an_instance_has_the_first_of_several_kinds);
	tcase_add_test(
		tests, names_of_kernels_and_of_annotations_are_operations);
	tcase_add_test(tests, the_bus_bandwidth_has_the_factors_of_nccl_tests);
	tcase_add_test(tests, runs_are_the_longest_ones);
	tcase_add_test(tests, rows_are_sorted_by_rank_input_process_and_device);
	tcase_add_test(tests, the_first_of_several_hosts_stays);
	tcase_add_test(tests, times_are_added_and_the_longest_step_stays);
	tcase_add_test(tests, adding_has_no_order);
	tcase_add_test(tests, equal_ranks_have_no_straggler);
	tcase_add_test(tests, the_reason_is_the_part_that_grew);
	tcase_add_test(
		tests, idle_time_with_nothing_launched_has_another_reason);
	tcase_add_test(tests, a_straggler_within_three_percent_has_no_reason);
	tcase_add_test(tests, equal_steps_have_a_straggler_that_does_not_wait);
	tcase_add_test(tests, without_steps_the_span_is_compared);
	tcase_add_test(tests, a_host_has_the_means_of_its_ranks);
	tcase_add_test(tests, a_rank_with_two_devices_is_last_once);
	tcase_add_test(tests, huge_times_saturate);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
