/* SPDX-License-Identifier: MIT */
/*
 * Replays the events of its input, and prints the profile in integers:
 *
 *	track PID            a thread of this process: tracks are numbered from 0
 *	stream PID DEVICE    a stream
 *	site NAME CATEGORY   sites likewise; CATEGORY "-": none
 *	B TRACK SITE NS      a range begins
 *	E TRACK NS           the innermost one ends
 *	C TRACK ID           which is a call of the API with this id
 *	A TRACK SITE NS ID   a device did this, for so long
 *
 *	oracle_device separate|host|device [all]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/replay.h"

#define WORD 64

static struct trace *trace;
static struct replay *replay;

static void require(bool is)
{
	if (!is)
		abort();
}

static uint32_t text(const char *word)
{
	return strtab_add(trace->text, word, strlen(word));
}

static void add_track(enum trace_track_kind kind)
{
	struct trace_track track = {.kind = kind};

	require(scanf("%" SCNd64, &track.pid) == 1);
	if (kind == TRACE_STREAM)
		require(scanf("%" SCNu32, &track.device) == 1);
	require(trace_add_track(trace, track) != TRACE_NONE);
}

static void add_site(void)
{
	char name[WORD];
	char category[WORD];
	struct trace_site site = {0};

	require(scanf("%63s %63s", name, category) == 2);
	site.name = text(name);
	site.category = strcmp(category, "-") == 0 ? 0 : text(category);
	require(trace_add_place(trace, site) != TRACE_NONE);
}

static void add_event(char what)
{
	struct event event = {.site = TRACE_NONE};
	int read;

	if (what == 'B') {
		event.kind = EVENT_BEGIN;
		read = scanf("%" SCNu32 " %" SCNu32 " %" SCNd64, &event.track,
			       &event.site, &event.time_ns) -
		       3;
	} else if (what == 'E') {
		event.kind = EVENT_END;
		read = scanf("%" SCNu32 " %" SCNd64, &event.track,
			       &event.time_ns) -
		       2;
	} else if (what == 'C') {
		event.kind = EVENT_CORRELATION;
		read = scanf("%" SCNu32 " %" SCNu64, &event.track, &event.id) -
		       2;
	} else {
		event.kind = EVENT_ACTIVITY;
		read = scanf("%" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64,
			       &event.track, &event.site, &event.dur_ns,
			       &event.id) -
		       4;
	}
	require(read == 0);
	if (what == 'B' || what == 'E')
		trace->end_ns = event.time_ns;
	require(replay_add(replay, &event, NULL) == CTP_OK);
}

static void read_input(void)
{
	char word[WORD];

	while (scanf("%63s", word) == 1) {
		if (strcmp(word, "track") == 0)
			add_track(TRACE_THREAD);
		else if (strcmp(word, "stream") == 0)
			add_track(TRACE_STREAM);
		else if (strcmp(word, "site") == 0)
			add_site();
		else
			add_event(word[0]);
	}
}

static void put_cost(const struct profile_cost *cost)
{
	printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, cost->ncalls,
		cost->pcalls, cost->tottime_ns, cost->cumtime_ns);
}

static void put_function(const struct profile_function *function)
{
	printf("%s%s", function->name, function->file);
}

static void put_path(const struct profile *profile, uint32_t node)
{
	if (profile->nodes[node].parent != 0) {
		put_path(profile, profile->nodes[node].parent);
		putchar(';');
	}
	put_function(&profile->functions[profile->nodes[node].function]);
}

static void print(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		printf("function ");
		put_function(function);
		put_cost(&function->cost);
		put_cost(&function->root);
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			function->device.self_ns, function->device.total_ns,
			function->device.min_ns, function->device.max_ns);
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		printf("edge ");
		put_function(&profile->functions[profile->edges[i].caller]);
		putchar(' ');
		put_function(&profile->functions[profile->edges[i].callee]);
		put_cost(&profile->edges[i].cost);
		putchar('\n');
	}
	for (uint32_t i = 1; i < profile->node_count; i++) {
		printf("node ");
		put_path(profile, i);
		printf(" %" PRIu64 " %" PRIu64 "\n", profile->nodes[i].ncalls,
			profile->nodes[i].self_ns);
	}
	printf("total %" PRIu64 "\nunmatched %" PRIu64 "\n", profile->total_ns,
		trace->losses[LOSS_UNMATCHED]);
}

int main(int argc, char **argv)
{
	struct replay_options options = {.tree = true};
	struct profile *profile;

	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "host") == 0)
		options.device = REPLAY_HOST;
	else if (strcmp(argv[1], "device") == 0)
		options.device = REPLAY_DEVICE;
	options.all_edge_times = argc > 2;
	trace = trace_new(NULL);
	require(trace != NULL);
	replay = replay_new(trace, options);
	require(replay != NULL);
	read_input();
	require(replay_finish(replay, &profile, NULL) == CTP_OK);
	require(profile_sort(profile, NULL) == CTP_OK);
	print(profile);
	profile_free(profile);
	replay_free(replay);
	trace_free(trace);
	return 0;
}
