/* SPDX-License-Identifier: MIT */
/*
 * profile/replay.[ch] compared with a literal implementation of the definitions
 * of function timings: it keeps every call, and searches the whole stack to
 * decide whether it is primitive. Thousands of small random programs, the same
 * on each run.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profile/replay.h"
#include "support/run_suite.h"

enum { SITES = 5, TRACKS = 3, EVENTS = 120, PATHS = 400 };

/* One call, open or finished. */
struct call {
	size_t caller; /* index + 1; 0: none */
	uint32_t site;
	uint32_t track;
	int64_t start_ns;
	int64_t end_ns;
	uint64_t children_ns;
	bool primitive;
	bool edge_primitive;
	char path[EVENTS + 2]; /* sites from the root as letters */
};

struct naive {
	struct call calls[EVENTS];
	size_t count;
	size_t top[TRACKS]; /* innermost open call + 1; 0: none */
	int64_t last_ns[TRACKS];
	bool used[TRACKS];
	uint64_t stray;
	uint64_t backward;
	uint64_t open;
};

static uint32_t next_random(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

static int64_t standing(struct naive *naive, uint32_t track, int64_t time_ns)
{
	if (naive->used[track] && time_ns < naive->last_ns[track]) {
		naive->backward++;
		return naive->last_ns[track];
	}
	naive->used[track] = true;
	naive->last_ns[track] = time_ns;
	return time_ns;
}

static void naive_begin(
	struct naive *naive, uint32_t track, uint32_t site, int64_t time_ns)
{
	struct call *call = &naive->calls[naive->count++];
	const struct call *caller = NULL;

	*call = (struct call){.caller = naive->top[track],
		.site = site,
		.track = track,
		.primitive = true,
		.edge_primitive = true};
	if (call->caller != 0)
		caller = &naive->calls[call->caller - 1];
	for (size_t i = call->caller; i != 0; i = naive->calls[i - 1].caller) {
		const struct call *open = &naive->calls[i - 1];

		if (open->site != site)
			continue;
		call->primitive = false;
		if (open->caller != 0 && caller != NULL &&
			naive->calls[open->caller - 1].site == caller->site)
			call->edge_primitive = false;
	}
	if (caller != NULL)
		memcpy(call->path, caller->path, sizeof(call->path));
	call->path[strlen(call->path)] = (char)('a' + site);
	call->start_ns = standing(naive, track, time_ns);
	naive->top[track] = naive->count;
}

static void close_top(struct naive *naive, uint32_t track, int64_t end_ns)
{
	struct call *call = &naive->calls[naive->top[track] - 1];

	call->end_ns = end_ns;
	naive->top[track] = call->caller;
	if (call->caller != 0)
		naive->calls[call->caller - 1].children_ns +=
			(uint64_t)(end_ns - call->start_ns);
}

static void naive_end(struct naive *naive, uint32_t track, int64_t time_ns)
{
	if (naive->top[track] == 0)
		naive->stray++;
	else
		close_top(naive, track, standing(naive, track, time_ns));
}

static void naive_finish(struct naive *naive, int64_t end_ns)
{
	for (uint32_t track = 0; track < TRACKS; track++) {
		while (naive->top[track] != 0) {
			close_top(naive, track,
				end_ns < naive->last_ns[track]
					? naive->last_ns[track]
					: end_ns);
			naive->open++;
		}
	}
}

static uint64_t cumtime(const struct call *call)
{
	return (uint64_t)(call->end_ns - call->start_ns);
}

static void add(struct profile_cost *cost, const struct call *call,
	bool primitive, bool add_time)
{
	cost->ncalls++;
	cost->pcalls += primitive;
	cost->tottime_ns += cumtime(call) - call->children_ns;
	cost->cumtime_ns += add_time ? cumtime(call) : 0;
}

static bool equal(const struct profile_cost *a, const struct profile_cost *b)
{
	return a->ncalls == b->ncalls && a->pcalls == b->pcalls &&
	       a->tottime_ns == b->tottime_ns && a->cumtime_ns == b->cumtime_ns;
}

static uint32_t site_of(const struct profile_function *function)
{
	return (uint32_t)(function->name[0] - 'a');
}

static void check_functions(
	const struct naive *naive, const struct profile *profile)
{
	struct profile_cost sums[SITES] = {{0, 0, 0, 0}};
	struct profile_cost roots[SITES] = {{0, 0, 0, 0}};
	uint64_t total = 0;

	for (size_t i = 0; i < naive->count; i++) {
		const struct call *call = &naive->calls[i];

		add(&sums[call->site], call, call->primitive, call->primitive);
		if (call->caller == 0)
			add(&roots[call->site], call, true, true);
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint32_t site = site_of(function);

		ck_assert(equal(&function->cost, &sums[site]));
		ck_assert(equal(&function->root, &roots[site]));
		total += sums[site].tottime_ns;
		sums[site] = (struct profile_cost){0, 0, 0, 0};
	}
	for (uint32_t i = 0; i < SITES; i++) /* none is left out */
		ck_assert_uint_eq(sums[i].ncalls, 0);
	ck_assert_uint_eq(profile->total_ns, total);
}

static void check_edges(const struct naive *naive,
	const struct profile *profile, bool all_edge_times)
{
	struct profile_cost sums[SITES][SITES] = {{{0, 0, 0, 0}}};

	for (size_t i = 0; i < naive->count; i++) {
		const struct call *call = &naive->calls[i];

		if (call->caller == 0)
			continue;
		add(&sums[naive->calls[call->caller - 1].site][call->site],
			call,
			all_edge_times ? call->primitive : call->edge_primitive,
			all_edge_times || call->edge_primitive);
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];
		uint32_t caller = site_of(&profile->functions[edge->caller]);
		uint32_t callee = site_of(&profile->functions[edge->callee]);

		ck_assert(equal(&edge->cost, &sums[caller][callee]));
		sums[caller][callee].ncalls = 0;
	}
	for (uint32_t i = 0; i < SITES * SITES; i++)
		ck_assert_uint_eq(sums[i / SITES][i % SITES].ncalls, 0);
}

static void check_tree(const struct naive *naive, const struct profile *profile)
{
	static char paths[PATHS][EVENTS + 2];
	uint64_t calls = 0;

	ck_assert_uint_le(profile->node_count, PATHS);
	for (uint32_t i = 1; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->nodes[i];
		uint64_t self_ns = 0;
		uint64_t ncalls = 0;
		size_t size = strlen(paths[node->parent]);

		ck_assert_uint_lt(node->parent, i);
		memcpy(paths[i], paths[node->parent], size);
		paths[i][size] = profile->functions[node->function].name[0];
		paths[i][size + 1] = '\0';
		for (size_t j = 0; j < naive->count; j++) {
			const struct call *call = &naive->calls[j];

			if (strcmp(call->path, paths[i]) == 0) {
				self_ns += cumtime(call) - call->children_ns;
				ncalls++;
			}
		}
		ck_assert_uint_gt(ncalls, 0);
		ck_assert_uint_eq(node->ncalls, ncalls);
		ck_assert_uint_eq(node->self_ns, self_ns);
		calls += ncalls;
	}
	ck_assert_uint_eq(calls, naive->count);
}

static struct trace *make_trace(void)
{
	struct trace *trace = trace_new(NULL);

	ck_assert_ptr_nonnull(trace);
	for (uint32_t i = 0; i < SITES; i++) {
		char name = (char)('a' + i);

		ck_assert_uint_eq(trace_add_site(trace, &name, 1, "", 0, 0), i);
	}
	for (uint32_t i = 0; i < TRACKS; i++)
		ck_assert_uint_eq(
			trace_add_track(trace,
				(struct trace_track){.kind = TRACE_THREAD}),
			i);
	return trace;
}

static void look(struct replay *replay)
{
	struct profile *profile;

	ck_assert_int_eq(replay_snapshot(replay, &profile, NULL), CTP_OK);
	profile_free(profile);
}

/* Makes one random program and gives it to both. */
static void run(uint64_t *state, struct trace *trace, struct replay *replay,
	struct naive *naive)
{
	uint32_t sites = 1 + next_random(state, SITES);
	uint32_t tracks = 1 + next_random(state, TRACKS);
	uint32_t events = next_random(state, EVENTS);
	uint32_t begins = 3 + next_random(state, 5); /* of 10 */
	int64_t now = (int64_t)next_random(state, 100) - 50;

	for (uint32_t i = 0; i < events; i++) {
		struct event event = {.track = next_random(state, tracks)};

		now += next_random(state, 20);
		event.time_ns = now;
		if (next_random(state, 20) == 0)
			event.time_ns -= next_random(state, 40);
		if (next_random(state, 10) < begins) {
			event.kind = EVENT_BEGIN;
			event.site = next_random(state, sites);
			naive_begin(
				naive, event.track, event.site, event.time_ns);
		} else {
			event.kind = EVENT_END;
			event.site = TRACE_NONE;
			naive_end(naive, event.track, event.time_ns);
		}
		ck_assert_int_eq(replay_add(replay, &event, NULL), CTP_OK);
		/* Reading the profile in between must not change the rest. */
		if (next_random(state, 8) == 0)
			look(replay);
	}
	trace->end_ns = now + (int64_t)next_random(state, 50) - 25;
	naive_finish(naive, trace->end_ns);
}

static void check(const struct naive *naive, const struct profile *profile,
	const struct replay_options *options)
{
	check_functions(naive, profile);
	if (options->no_edges)
		ck_assert_uint_eq(profile->edge_count, 0);
	else
		check_edges(naive, profile, options->all_edge_times);
	check_tree(naive, profile);
	ck_assert_uint_eq(profile->open_calls, naive->open);
	ck_assert_uint_eq(profile->thread_count,
		(uint64_t)naive->used[0] + naive->used[1] + naive->used[2]);
}

static const struct replay_options all_options[] = {
	{.tree = true},
	{.tree = true, .all_edge_times = true},
	{.tree = true, .no_edges = true},
};

START_TEST(random_programs_follow_the_definitions)
{
	uint64_t state = 1;
	const struct replay_options *options = &all_options[_i];

	for (int round = 0; round < 2000; round++) {
		struct trace *trace = make_trace();
		struct replay *replay = replay_new(trace, *options);
		struct naive naive;
		struct profile *profile;
		struct profile *early; /* when it is read at the end */

		memset(&naive, 0, sizeof(naive));
		ck_assert_ptr_nonnull(replay);
		run(&state, trace, replay, &naive);
		ck_assert_int_eq(replay_snapshot(replay, &early, NULL), CTP_OK);
		ck_assert_uint_eq(trace->losses[LOSS_OPEN_RANGES], 0);
		ck_assert_int_eq(replay_finish(replay, &profile, NULL), CTP_OK);
		if (round % 2 == 0) /* sorting moves all and changes nothing */
			ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
		check(&naive, profile, options);
		check(&naive, early, options);
		ck_assert_uint_eq(trace->losses[LOSS_OPEN_RANGES], naive.open);
		ck_assert_uint_eq(trace->losses[LOSS_STRAY_ENDS], naive.stray);
		ck_assert_uint_eq(
			trace->losses[LOSS_BACKWARD_TIMES], naive.backward);
		profile_free(profile);
		profile_free(early);
		replay_free(replay);
		trace_free(trace);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay_random");
	TCase *tests = tcase_create("replay_random");

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(
		tests, random_programs_follow_the_definitions, 0, 3);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
