/* SPDX-License-Identifier: MIT */
#include "device_case.h"

#include <stdlib.h>
#include <string.h>

#include "quick_check.h"

static const struct {
	const char *name;
	const char *category;
} sites[SITES] = {
	{"main", ""},
	{"f", "function"},
	{"g", ""},
	{"cudaLaunchKernel", "cuda_runtime"},
	{"cuLaunchKernel", "cuda_driver"},
	{"k", "kernel"},
	{"l", "kernel"},
	{"Memcpy HtoD", "gpu_memcpy"},
	{"Memset", "gpu_memset"},
	{"Stream Synchronize", "cuda_sync"},
	{"buffer flush", "overhead"},
};

static const struct trace_track tracks[TRACKS] = {
	[T0] = {.kind = TRACE_THREAD, .pid = 10},
	[T1] = {.kind = TRACE_THREAD, .pid = 10},
	[STREAM] = {.kind = TRACE_STREAM, .pid = 10, .device = 1},
	[OTHER] = {.kind = TRACE_THREAD, .pid = 20},
	[OTHER_STREAM] = {.kind = TRACE_STREAM, .pid = 20, .device = 1},
	[NAMELESS] = {.kind = TRACE_STREAM, .pid = 10, .device = 3},
	[CALLS] = {.kind = TRACE_CALLS, .pid = 10},
};

struct trace *device_case_trace;
struct replay *device_case_replay;
struct profile *device_case_profile;
static int64_t now;

static uint32_t text(const char *bytes)
{
	return strtab_add(device_case_trace->text, bytes, strlen(bytes));
}

void device_case_start(struct replay_options options)
{
	replay_free(device_case_replay);
	device_case_replay = replay_new(device_case_trace, options);
	ck_assert_ptr_nonnull(device_case_replay);
	now = 0;
}

static void add_device(int64_t pid)
{
	struct event_arg args[] = {
		{.kind = ARG_INT, .key = text("sms"), .value.integer = 1},
		{.kind = ARG_TEXT,
			.key = text("name"),
			.value.text = {"Tester 9", 8}}};
	struct trace_device device = {
		.pid = pid, .number = 1, .arg_count = 2, .args = args};

	ck_assert_uint_ne(
		trace_add_device(device_case_trace, &device), TRACE_NONE);
}

void device_case_set_up(void)
{
	device_case_trace = trace_new(NULL);
	ck_assert_ptr_nonnull(device_case_trace);
	for (uint32_t i = 0; i < SITES; i++) {
		struct trace_site site = {.name = text(sites[i].name),
			.file = text(i < LAUNCH ? "a.c" : ""),
			.category = text(sites[i].category)};

		ck_assert_uint_eq(trace_add_place(device_case_trace, site), i);
	}
	for (uint32_t i = 0; i < TRACKS; i++)
		ck_assert_uint_eq(
			trace_add_track(device_case_trace, tracks[i]), i);
	add_device(10);
	add_device(20);
	device_case_start((struct replay_options){.tree = true});
}

void device_case_tear_down(void)
{
	replay_free(device_case_replay);
	device_case_replay = NULL;
	profile_free(device_case_profile);
	device_case_profile = NULL;
	trace_free(device_case_trace);
}

static void add(struct event event)
{
	event.time_ns = now;
	ck_assert_int_eq(replay_add(device_case_replay, &event, NULL), CTP_OK);
}

void on(uint32_t track, int what)
{
	now += 10;
	add((struct event){.kind = what == END ? EVENT_END : EVENT_BEGIN,
		.track = track,
		.site = what == END ? TRACE_NONE : (uint32_t)what});
}

void correlate(uint32_t track, uint64_t id)
{
	add((struct event){.kind = EVENT_CORRELATION,
		.track = track,
		.site = TRACE_NONE,
		.id = id});
}

void launch(uint32_t track, uint64_t id)
{
	on(track, LAUNCH);
	correlate(track, id);
	on(track, END);
}

void did(uint32_t track, uint32_t site, uint64_t dur_ns, uint64_t id)
{
	add((struct event){.kind = EVENT_ACTIVITY,
		.track = track,
		.site = site,
		.dur_ns = dur_ns,
		.id = id,
		.bytes = site == COPY ? 4096 : 0});
}

static struct event_arg node_arg(int64_t node)
{
	return (struct event_arg){.kind = ARG_INT,
		.key = text("captured graph node"),
		.value.integer = node};
}

void capture(uint32_t track, int64_t node)
{
	struct event_arg arg = node_arg(node);

	add((struct event){.kind = EVENT_ARGS,
		.track = track,
		.site = TRACE_NONE,
		.arg_count = 1,
		.args = &arg});
}

void ran(int64_t node, uint64_t dur_ns, uint64_t id)
{
	struct event_arg arg = node_arg(node);

	add((struct event){.kind = EVENT_ACTIVITY,
		.track = STREAM,
		.site = K,
		.dur_ns = dur_ns,
		.id = id,
		.arg_count = 1,
		.args = &arg});
}

void device_case_finish(void)
{
	ck_assert_int_eq(
		replay_finish(device_case_replay, &device_case_profile, NULL),
		CTP_OK);
	ck_assert_int_eq(profile_sort(device_case_profile, NULL), CTP_OK);
}

uint32_t find(int site)
{
	for (uint32_t i = 0; i < device_case_profile->function_count; i++)
		if (strcmp(device_case_profile->functions[i].name,
			    sites[site].name) == 0)
			return i;
	ck_abort_msg("there is no function %s", sites[site].name);
}

const struct profile_function *function(int site)
{
	return &device_case_profile->functions[find(site)];
}

struct profile_cost edge(int caller, int callee)
{
	uint32_t from = find(caller);
	uint32_t to = find(callee);

	for (uint32_t i = 0; i < device_case_profile->edge_count; i++)
		if (device_case_profile->edges[i].caller == from &&
			device_case_profile->edges[i].callee == to)
			return device_case_profile->edges[i].cost;
	return (struct profile_cost){0, 0, 0, 0};
}

void check(struct profile_cost cost, struct profile_cost expected)
{
	ck_assert_uint_eq(cost.ncalls, expected.ncalls);
	ck_assert_uint_eq(cost.pcalls, expected.pcalls);
	ck_assert_uint_eq(cost.tottime_ns, expected.tottime_ns);
	ck_assert_uint_eq(cost.cumtime_ns, expected.cumtime_ns);
}

void check_device(int site, uint64_t self_ns, uint64_t total_ns)
{
	ck_assert_uint_eq(function(site)->device.self_ns, self_ns);
	ck_assert_uint_eq(function(site)->device.total_ns, total_ns);
}

void run_small(void)
{
	on(T0, MAIN);
	on(T0, F);
	launch(T0, 1);
	launch(T0, 2);
	launch(T0, 3);
	on(T0, END);
	launch(T0, 4);
	on(T0, END);
	did(STREAM, K, 1000, 1);
	did(STREAM, K, 500, 2);
	did(STREAM, COPY, 300, 3);
	did(STREAM, K, 7000, 4);
}

void run_recursion(void)
{
	on(T0, MAIN);
	on(T0, F);
	launch(T0, 1);
	on(T0, G);
	launch(T0, 2);
	on(T0, F);
	launch(T0, 3);
	on(T0, END);
	on(T0, END);
	on(T0, END);
	on(T0, END);
	did(STREAM, K, 100, 1);
	did(STREAM, K, 20, 2);
	did(STREAM, K, 3, 3);
}
