/* SPDX-License-Identifier: MIT */
/* lib/roofline/occupancy.c: the limits, one after the other, computed by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/occupancy.h"
#include "support/run_suite.h"

/* An H100: 64 warps, 32 blocks, 64 Ki registers, 228 KiB. */
static const struct occupancy_device h100 = {
	.multiprocessors = 132,
	.warp_size = 32,
	.threads = 2048,
	.threads_per_block = 1024,
	.blocks = 32,
	.registers = 65536,
	.registers_per_block = 65536,
	.shared_bytes = 233472,
	.shared_bytes_per_block = 232448,
	.reserved_bytes_per_block = 1024,
	.compute_major = 9,
};

static const struct {
	int64_t threads;
	int64_t registers;
	int64_t static_bytes;
	int64_t dynamic_bytes;
	int64_t blocks;
} cases[] = {
	/* Warps: 64 / 8; part of one counts as a whole. */
	{256, 16, 0, 0, 8},
	{225, 16, 0, 0, 8},
	{1024, 16, 0, 0, 2},
	/* Blocks: 64 warps would be 64 of them. */
	{32, 16, 0, 0, 32},
	/* Registers: 57 * 32 is 2048 with the unit of 256: 8 warps in each of
	 * the four parts, 4 blocks of 8; at 65, 2304: 7 in each, 3 blocks. */
	{256, 57, 0, 0, 4},
	{256, 65, 0, 0, 3},
	/* 255 * 32 is 8160, so 8192, times 8 is all there are; of 9 warps the
	 * parts would have to hold 12. */
	{256, 255, 0, 0, 1},
	{288, 255, 0, 0, 0},
	/* Memory: 49152 + 16384 + 1024 is 66560: 3 in 233472. */
	{64, 16, 49152, 16384, 3},
	/* 1 + 1024 is 1152 in units of 128: 202, but no more than 32 blocks. */
	{32, 16, 1, 0, 32},
	/* The largest possible block, and one more. */
	{128, 16, 0, 232448, 1},
	{128, 16, 0, 232449, 0},
	/* Too many threads for a block. */
	{1025, 16, 0, 0, 0},
};

START_TEST(the_least_of_all_limits_counts)
{
	struct occupancy_kernel kernel = {
		.block = {cases[_i].threads, 1, 1},
		.registers_per_thread = cases[_i].registers,
		.static_bytes = cases[_i].static_bytes,
		.dynamic_bytes = cases[_i].dynamic_bytes,
	};

	ck_assert_int_eq(occupancy_blocks(&h100, &kernel), cases[_i].blocks);
}
END_TEST

START_TEST(older_devices_have_other_units)
{
	struct occupancy_device p100 = h100;
	struct occupancy_kernel kernel = {
		.block = {288, 1, 1}, .registers_per_thread = 48};

	/* 1536 registers a warp: 42 in 65536, of which a part of four can use
	 * 10, so that 40 are 4 blocks of 9; one of two 21: 42 are 4, too. */
	ck_assert_int_eq(occupancy_blocks(&h100, &kernel), 4);
	p100.compute_major = 6;
	ck_assert_int_eq(occupancy_blocks(&p100, &kernel), 4);
	/* Blocks of 14: two in 40, three in 42. */
	kernel.block[0] = 448;
	ck_assert_int_eq(occupancy_blocks(&h100, &kernel), 2);
	ck_assert_int_eq(occupancy_blocks(&p100, &kernel), 3);
	/* In units of 256 another KiB and a byte are 1280: 182. */
	kernel = (struct occupancy_kernel){
		.block = {32, 1, 1}, .shared_bytes = 1025};
	p100.reserved_bytes_per_block = 0;
	p100.blocks = 0;
	p100.threads = 65536;
	ck_assert_int_eq(occupancy_blocks(&p100, &kernel), 182);
}
END_TEST

START_TEST(unknown_properties_do_not_limit)
{
	struct occupancy_device device = {.warp_size = 32, .threads = 2048};
	struct occupancy_kernel kernel = {.block = {64, 2, 1},
		.registers_per_thread = 255,
		.static_bytes = 1 << 20};

	ck_assert_int_eq(occupancy_blocks(&device, &kernel), 16);
	device.threads = 0;
	ck_assert_int_eq(occupancy_blocks(&device, &kernel), -1);
	device.threads = 2048;
	kernel.block[1] = 0;
	ck_assert_int_eq(occupancy_blocks(&device, &kernel), -1);
}
END_TEST

static uint32_t key_of(const struct trace *trace, const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

static struct event_arg number_arg(
	const struct trace *trace, const char *key, int64_t number)
{
	return (struct event_arg){.kind = ARG_INT,
		.key = key_of(trace, key),
		.value.integer = number};
}

static struct event_arg list_arg(
	const struct trace *trace, const char *key, const char *list)
{
	return (struct event_arg){.kind = ARG_JSON,
		.key = key_of(trace, key),
		.value.text = {list, strlen(list)}};
}

static uint32_t add_device(struct trace *trace)
{
	struct event_arg args[] = {
		number_arg(trace, "numSms", 80),
		number_arg(trace, "warpSize", 32),
		number_arg(trace, "maxThreadsPerMultiprocessor", 2048),
		number_arg(trace, "maxThreadsPerBlock", 1024),
		number_arg(trace, "regsPerMultiprocessor", 65536),
		number_arg(trace, "computeMajor", 7),
	};
	struct trace_device device = {
		.pid = 5, .number = 1, .arg_count = 6, .args = args};

	ck_assert_uint_ne(trace_add_device(trace, &device), TRACE_NONE);
	return trace_add_track(
		trace, (struct trace_track){
			       .kind = TRACE_STREAM, .pid = 5, .device = 1});
}

/* A V100's kernel as PyTorch's profiler showed it: 1.8, 14.4, 22 %. */
START_TEST(estimates_are_those_of_kineto)
{
	struct trace *trace = trace_new(NULL);
	uint32_t track = add_device(trace);
	struct event_arg args[] = {
		list_arg(trace, "grid", "[4,3, 12]"),
		list_arg(trace, "block", "[256,1,1]"),
		number_arg(trace, "registers per thread", 57),
		number_arg(trace, "shared memory", 16384),
	};
	struct event event = {.kind = EVENT_ACTIVITY,
		.track = track,
		.arg_count = 4,
		.args = args};
	struct occupancy_estimate estimate;
	struct occupancy occupancy;

	ck_assert(occupancy_init(&occupancy, trace));
	ck_assert(occupancy_estimate(&occupancy, &event, &estimate));
	ck_assert(estimate.blocks == 144 / 80.0);
	ck_assert(estimate.warps == 144 / 80.0 * 8);
	ck_assert_int_eq(estimate.percent, 22);
	/* With more blocks than fit, those that fit: 4 * 256 of 2048. */
	args[0] = list_arg(trace, "grid", "[100000,1,1]");
	ck_assert(occupancy_estimate(&occupancy, &event, &estimate));
	ck_assert_int_eq(estimate.percent, 50);
	trace_free(trace);
}
END_TEST

START_TEST(an_estimate_needs_a_device_and_a_size)
{
	static const char *const bad[] = {"", "[]", "[4,3]", "[0,1,1]",
		"[99999999999999999999,1,1]", "[4,-"};
	struct trace *trace = trace_new(NULL);
	uint32_t track = add_device(trace);
	uint32_t other = trace_add_track(
		trace, (struct trace_track){
			       .kind = TRACE_STREAM, .pid = 5, .device = 2});
	struct event_arg args[2] = {list_arg(trace, "grid", "[4,3,1]"),
		list_arg(trace, "block", "[256,1,1]")};
	struct event event = {.kind = EVENT_ACTIVITY,
		.track = other,
		.arg_count = 2,
		.args = args};
	struct occupancy_estimate estimate;
	struct occupancy occupancy;

	ck_assert(occupancy_init(&occupancy, trace));
	ck_assert(!occupancy_estimate(&occupancy, &event, &estimate));
	event.track = track;
	ck_assert(occupancy_estimate(&occupancy, &event, &estimate));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		args[0] = list_arg(trace, "grid", bad[i]);
		ck_assert_msg(
			!occupancy_estimate(&occupancy, &event, &estimate),
			"%s", bad[i]);
	}
	args[0] = number_arg(trace, "grid", 4);
	ck_assert(!occupancy_estimate(&occupancy, &event, &estimate));
	trace_free(trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("occupancy");
	TCase *occupancy = tcase_create("occupancy");

	tcase_add_loop_test(occupancy, the_least_of_all_limits_counts, 0,
		sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(occupancy, older_devices_have_other_units);
	tcase_add_test(occupancy, unknown_properties_do_not_limit);
	tcase_add_test(occupancy, estimates_are_those_of_kineto);
	tcase_add_test(occupancy, an_estimate_needs_a_device_and_a_size);
	suite_add_tcase(suite, occupancy);
	return run_suite(suite);
}
