/* SPDX-License-Identifier: MIT */
/* profile/call_workers.[ch] and call_batch.[ch]: the profile that several
 * threads make is that of one thread, with the same numbers. */
#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "profile/replay.h"
#include "support/run_suite.h"

enum { SITES = 300, TRACKS = 5, RUNS = 300, RUN_EVENTS = 1500 };

/* Kinds of random programs. */
struct program {
	uint32_t seed;
	uint32_t begins;   /* of 100 events */
	uint32_t last_run; /* events in a run, at most */
	uint32_t looks;    /* of 1,000 runs, profiles in between */
	uint32_t launches; /* of 1,000 runs, launches and activities */
	struct replay_options options;
};

static const struct program programs[] = {
	{1, 50, RUN_EVENTS, 0, 0, {0}},
	{2, 48, RUN_EVENTS, 0, 0, {.all_edge_times = true}},
	{3, 52, RUN_EVENTS, 0, 0, {.no_edges = true}}, /* ever deeper */
	{4, 50, 3, 0, 0, {0}}, {5, 50, RUN_EVENTS, 20, 0, {0}},
	{6, 50, RUN_EVENTS, 0, 30, {0}},
	{7, 50, RUN_EVENTS, 0, 5, {.device = REPLAY_DEVICE}},
	{8, 50, RUN_EVENTS, 0, 0, {.joined = true, .match = MATCH_KEY_NAME}},
	{9, 90, RUN_EVENTS, 0, 0, {0}}, /* too deep for other threads */
	{10, 70, 9, 0, 0, {0}},         /* and too short */
};

static uint64_t state;

static uint32_t next_random(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

/* Three sites in a row have one name, and different files. */
static struct trace *make_trace(unsigned jobs)
{
	const struct read_request request = {.jobs = jobs};
	struct trace *trace = trace_new(&request);

	ck_assert_ptr_nonnull(trace);
	for (uint32_t i = 0; i < SITES; i++) {
		const char name[] = {
			(char)('a' + i / 3 % 26), (char)('a' + i / 78)};
		const char file[] = {(char)('a' + i % 3), '\0'};

		ck_assert_uint_eq(
			trace_add_site(trace, name, sizeof(name), file, 1, 0),
			i);
	}
	trace->sites[0].category = strtab_add(trace->text, "kernel", 6);
	for (uint32_t i = 0; i < TRACKS; i++)
		ck_assert_uint_eq(
			trace_add_track(trace,
				(struct trace_track){.kind = TRACE_THREAD}),
			i);
	return trace;
}

static uint32_t random_site(void)
{
	uint32_t below = 1 + next_random(SITES);

	return next_random(below);
}

static void add_run(struct replay *replay, const struct program *program,
	uint32_t track, int64_t *now)
{
	uint32_t sites[RUN_EVENTS];
	int64_t times_ns[RUN_EVENTS];
	const struct event_run run = {
		.track = track,
		.count = 1 + next_random(program->last_run),
		.sites = sites,
		.times_ns = times_ns,
	};

	for (uint32_t i = 0; i < run.count; i++) {
		bool is_begin = next_random(100) < program->begins;

		sites[i] = is_begin ? random_site() : TRACE_NONE;
		*now += next_random(20);
		times_ns[i] = *now;
		if (next_random(500) == 0)
			times_ns[i] -= next_random(400);
	}
	ck_assert_int_eq(replay_add_run(replay, &run, NULL), CTP_OK);
}

/* A launch, its activity, and a call that does not nest. */
static void add_launch(struct replay *replay, uint32_t track, int64_t now)
{
	const struct event launch = {.kind = EVENT_CORRELATION,
		.track = track,
		.time_ns = now,
		.id = (uint64_t)now};
	const struct event activity = {.kind = EVENT_ACTIVITY,
		.track = track,
		.site = 0,
		.time_ns = now,
		.dur_ns = 7,
		.id = (uint64_t)now};
	const struct event complete = {.kind = EVENT_COMPLETE,
		.track = track,
		.site = random_site(),
		.time_ns = now,
		.dur_ns = 9};

	ck_assert_int_eq(replay_add(replay, &launch, NULL), CTP_OK);
	ck_assert_int_eq(replay_add(replay, &activity, NULL), CTP_OK);
	ck_assert_int_eq(replay_add(replay, &complete, NULL), CTP_OK);
}

static uint64_t hash;

static void add_hash(uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 29;
}

static void add_cost(const struct profile_cost *cost)
{
	add_hash(cost->ncalls);
	add_hash(cost->pcalls);
	add_hash(cost->tottime_ns);
	add_hash(cost->cumtime_ns);
}

/* Adds all of a profile, in its order. */
static void add_profile(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		add_hash((uint64_t)function->name[0] << 8 |
			 (uint64_t)function->name[1]);
		add_cost(&function->cost);
		add_cost(&function->root);
		add_hash(function->device.self_ns);
		add_hash(function->device.total_ns);
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		add_hash((uint64_t)profile->edges[i].caller << 32 |
			 profile->edges[i].callee);
		add_cost(&profile->edges[i].cost);
	}
	add_hash(profile->function_count);
	add_hash(profile->edge_count);
	add_hash(profile->total_ns);
	add_hash(profile->open_calls);
	add_hash(profile->thread_count);
	profile_free(profile);
}

/* Makes the program's profiles; returns a hash of them and of the losses. */
static uint64_t make(const struct program *program, unsigned jobs)
{
	struct trace *trace = make_trace(jobs);
	struct replay *replay = replay_new(trace, program->options);
	struct profile *profile;
	int64_t now = 1000;

	ck_assert_ptr_nonnull(replay);
	state = program->seed;
	hash = 0;
	for (int i = 0; i < RUNS; i++) {
		const uint32_t track = next_random(TRACKS);

		add_run(replay, program, track, &now);
		add_hash(replay_is_open(replay, track));
		if (next_random(1000) < program->launches)
			add_launch(replay, track, now);
		if (next_random(1000) >= program->looks)
			continue;
		ck_assert_int_eq(
			replay_snapshot(replay, &profile, NULL), CTP_OK);
		add_profile(profile);
	}
	trace->end_ns = now;
	ck_assert_int_eq(replay_finish(replay, &profile, NULL), CTP_OK);
	ck_assert_uint_gt(profile->function_count, SITES / 4);
	add_profile(profile);
	for (int i = 0; i < LOSS_KINDS; i++)
		add_hash(trace->losses[i]);
	replay_free(replay);
	trace_free(trace);
	return hash;
}

START_TEST(several_threads_make_the_profile_of_one)
{
	const struct program *program = &programs[_i];
	uint64_t one = make(program, 1);

	for (unsigned jobs = 2; jobs <= 8; jobs += 3)
		ck_assert_uint_eq(make(program, jobs), one);
}
END_TEST

/* Threads may be anywhere when the replay ends early. */
START_TEST(a_replay_may_be_freed_before_its_end)
{
	for (uint32_t runs = 0; runs < 80; runs += 5) {
		struct trace *trace = make_trace(4);
		struct replay *replay =
			replay_new(trace, (struct replay_options){0});
		int64_t now = 0;

		state = runs;
		for (uint32_t i = 0; i < runs; i++)
			add_run(replay, &programs[0], i % TRACKS, &now);
		replay_free(replay);
		trace_free(trace);
	}
}
END_TEST

START_TEST(a_full_memory_is_an_error)
{
	struct trace *trace = make_trace(4);
	struct replay *replay = replay_new(trace, (struct replay_options){0});
	uint32_t site = 0;
	int64_t time_ns = 0;
	const struct event_run run = {0, 1, &site, &time_ns};
	enum ctp_status status = CTP_OK;

	/* Ever deeper calls, which the threads have to list. */
	for (uint32_t i = 0; i < 200000 && status == CTP_OK; i++) {
		site = i % SITES;
		status = replay_add_run(replay, &run, NULL);
		if (i == 40000)
			memory_set_limit(1);
	}
	ck_assert_int_eq(status, CTP_ERR_NOMEM);
	replay_free(replay);
	memory_set_limit(0);
	trace_free(trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_workers");
	TCase *tests = tcase_create("call_workers");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, several_threads_make_the_profile_of_one, 0,
		sizeof(programs) / sizeof(*programs));
	tcase_add_test(tests, a_replay_may_be_freed_before_its_end);
	tcase_add_test(tests, a_full_memory_is_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
