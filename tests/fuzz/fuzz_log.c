/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a log, read to the end and replayed with a tree, by
 * one thread and by several, and compressed. For libFuzzer, or with fuzz_main.c
 * for files given as arguments. Aborts if an event refers to an entry that does
 * not exist, or if several threads have another result.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/saturate.h"
#include "fuzz_case.h"
#include "json/json.h"
#include "log/log.h"
#include "log_read/log_read.h"
#include "base/memory.h"
#include "profile/replay.h"
#include "recover/compress.h"

/* Arguments of an event and of its description; and its node. */
#define FUZZ_ARGS_MAX (LOG_ARGS_MAX + LOG_DEVICE_KEYS_MAX + 1)

/* Events of a log that are counted by several threads. */
#define COMPARED_EVENTS 400000

/* Reads every byte of an event's text. */
static void check_args(const struct trace *trace, const struct event *event)
{
	static volatile char seen;

	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		fuzz_require(arg->key < strtab_count(trace->text));
		fuzz_require(arg->kind <= ARG_JSON);
		for (size_t j = 0;
			arg->kind >= ARG_TEXT && j < arg->value.text.size; j++)
			seen = arg->value.text.bytes[j];
		if (arg->kind == ARG_JSON)
			fuzz_require(json_check(
				arg->value.text.bytes, arg->value.text.size));
	}
	(void)seen;
}

static void check_event(const struct trace *trace, const struct event *event)
{
	fuzz_require(event->kind < EVENT_KINDS);
	fuzz_require(event->track < trace->track_count);
	if (event->kind != EVENT_END && event->kind != EVENT_ARGS &&
		event->kind != EVENT_ALLOC && event->kind != EVENT_FREE &&
		event->kind != EVENT_CORRELATION)
		fuzz_require(event->site < trace->site_count);
	if (event->kind == EVENT_ACTIVITY)
		fuzz_require(trace->tracks[event->track].kind == TRACE_STREAM ||
			     trace->tracks[event->track].kind == TRACE_CALLS);
	if (event->kind == EVENT_FLOW)
		fuzz_require(event->flow <= FLOW_END);
	fuzz_require(event->arg_count <= FUZZ_ARGS_MAX);
	check_args(trace, event);
}

static void check_profile(const struct profile *profile)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_cost *cost = &profile->functions[i].cost;

		fuzz_require(cost->pcalls <= cost->ncalls);
		total = saturate_sum(total, cost->tottime_ns);
	}
	fuzz_require(total == profile->total_ns);
	for (uint32_t i = 0; i < profile->edge_count; i++)
		fuzz_require(
			profile->edges[i].caller < profile->function_count &&
			profile->edges[i].callee < profile->function_count);
	for (uint32_t i = 1; i < profile->node_count; i++)
		fuzz_require(profile->nodes[i].parent < i);
}

/* False if it takes too much memory. */
static bool replay_log(struct event_source *source, struct replay *replay)
{
	enum ctp_status status = CTP_OK;
	struct event event;
	struct ctp_error err;

	while (status == CTP_OK) {
		status = source->next(source, &event, &err);
		if (status != CTP_OK)
			break;
		check_event(source->trace, &event);
		status = replay_add(replay, &event, &err);
	}
	fuzz_require(status != CTP_ERR_NOMEM || memory_was_refused());
	return status != CTP_ERR_NOMEM;
}

static void read_log(struct event_source *source)
{
	struct replay *replay = replay_new(
		source->trace, (struct replay_options){.tree = true});
	struct profile *profile = NULL;
	struct ctp_error err;

	fuzz_require(replay != NULL);
	if (replay_log(source, replay)) {
		fuzz_require(replay_finish(replay, &profile, &err) == CTP_OK);
		fuzz_require(profile_sort(profile, &err) == CTP_OK);
		check_profile(profile);
		profile_free(profile);
	}
	replay_free(replay);
}

static void read_bytes(const void *bytes, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	/* One half of the inputs is read ahead by a thread. */
	const struct read_request request = {.jobs = 1 + size % 2};
	struct event_source *source;
	struct fuzz_source limited;

	fuzz_require(file != NULL);
	fuzz_require(log_read_open(file, NULL, 0, &request, &source, NULL) ==
		     CTP_OK);
	fuzz_source_init(&limited, source);
	read_log(&limited.source);
	fuzz_require(source->position(source) <= size);
	source->close(source);
	(void)fclose(file);
}

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size-- > 0)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_profile(uint64_t hash, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		hash = add_hash(hash, function->name, strlen(function->name));
		hash = add_hash(hash, &function->cost, sizeof(function->cost));
		hash = add_hash(hash, &function->root, sizeof(function->root));
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		hash = add_hash(hash, &edge->caller, sizeof(edge->caller));
		hash = add_hash(hash, &edge->callee, sizeof(edge->callee));
		hash = add_hash(hash, &edge->cost, sizeof(edge->cost));
	}
	hash = add_hash(hash, &profile->open_calls, sizeof(uint64_t));
	return add_hash(hash, &profile->total_ns, sizeof(uint64_t));
}

/* Adds the events up to a limit, and returns why that ended. */
static enum ctp_status add_runs(
	struct event_source *source, struct replay *replay)
{
	enum ctp_status status = CTP_OK;
	struct event event;
	struct event_run run;

	for (uint32_t i = 0; i < COMPARED_EVENTS && status == CTP_OK; i++) {
		status = source->next(source, &event, NULL);
		if (status == CTP_OK)
			status = replay_add(replay, &event, NULL);
		if (status != CTP_OK)
			break;
		source->peek_run(source, &run);
		if (run.count > 0)
			status = replay_add_run(replay, &run, NULL);
		if (run.count > 0)
			source->take_run(source);
		i += run.count;
	}
	return status;
}

/* A hash of what `jobs` threads make of the log; `*status`: why that ended. */
static uint64_t make_profile(
	const void *bytes, size_t size, unsigned jobs, enum ctp_status *status)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	const struct read_request request = {.jobs = jobs};
	struct event_source *source;
	struct profile *profile;
	struct replay *replay;
	uint64_t hash = 0;

	fuzz_require(file != NULL);
	fuzz_require(log_read_open(file, NULL, 0, &request, &source, NULL) ==
		     CTP_OK);
	replay = replay_new(source->trace, (struct replay_options){0});
	fuzz_require(replay != NULL);
	*status = add_runs(source, replay);
	if (*status != CTP_ERR_NOMEM)
		*status = replay_finish(replay, &profile, NULL) == CTP_OK
				  ? *status
				  : CTP_ERR_NOMEM;
	if (*status != CTP_ERR_NOMEM) {
		hash = hash_profile(hash, profile);
		profile_free(profile);
	}
	/* Threads may have read further than the events that were used. */
	if (*status == CTP_END)
		hash = add_hash(hash, source->trace->losses,
			sizeof(source->trace->losses));
	replay_free(replay);
	source->close(source);
	(void)fclose(file);
	return hash;
}

static void compare_threads(const void *bytes, size_t size)
{
	enum ctp_status status[2];
	uint64_t one = make_profile(bytes, size, 1, &status[0]);
	uint64_t several = make_profile(bytes, size, 4, &status[1]);

	if (status[0] == CTP_ERR_NOMEM || status[1] == CTP_ERR_NOMEM) {
		fuzz_require(memory_was_refused());
		return;
	}
	fuzz_require(status[0] == status[1]);
	fuzz_require(one == several);
}

static void compress_bytes(const void *bytes, size_t size)
{
	const int in = memfd_create("fuzz_log", MFD_CLOEXEC);
	const int out = memfd_create("fuzz_log", MFD_CLOEXEC);
	struct ctp_error err;
	enum ctp_status status;
	uint64_t blocks;

	fuzz_require(in >= 0 && out >= 0);
	fuzz_require(write(in, bytes, size) == (ssize_t)size);
	status = compress_log(in, out, &blocks, &err);
	fuzz_require(status == CTP_OK || status == CTP_ERR_FORMAT ||
		     memory_was_refused());
	(void)close(in);
	(void)close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	memory_set_limit(FUZZ_MEMORY);
	fuzz_with_log(bytes, size, read_bytes);
	/* It takes longer than the others. */
	if (size % 4 == 1)
		fuzz_with_log(bytes, size, compare_threads);
	fuzz_with_log(bytes, size, compress_bytes);
	return 0;
}
