/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a Chrome trace, or as a structured log of
 * torch.compile if they begin like one, read to the end and replayed. The size
 * decides how kernels are joined to their launches. Events refer to existing
 * entries, times of nested ranges never go back, and arguments of JSON are JSON.
 * Without arguments, the events are the same, and with several threads all is.
 */
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "base/saturate.h"
#include "fuzz_case.h"
#include "json/json_scan.h"
#include "base/memory.h"
#include "profile/replay.h"

/* A hash of all events without their arguments. */
struct digest {
	uint64_t hash;
	uint64_t count;
};

/* That, and a hash of all else: arguments, losses and damage. */
struct digests {
	struct digest events;
	struct digest rest;
};

static void digest_add(struct digest *digest, uint64_t value)
{
	digest->hash = (digest->hash ^ value) * UINT64_C(0x100000001b3);
	digest->hash ^= digest->hash >> 29;
}

static void digest_event(struct digest *digest, const struct event *event)
{
	digest->count++;
	digest_add(digest, event->kind);
	digest_add(digest, event->track);
	digest_add(digest, (uint64_t)event->time_ns);
	digest_add(digest, event->dur_ns);
	digest_add(digest, event->shift_ns);
	digest_add(digest, event->id);
	digest_add(digest, event->bytes);
}

static void digest_text(struct digest *digest, const char *text, size_t size)
{
	digest_add(digest, size);
	for (size_t i = 0; i < size; i++)
		digest_add(digest, (uint8_t)text[i]);
}

static void digest_args(struct digest *digest, const struct event *event)
{
	digest_add(digest, event->site);
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		digest_add(digest, arg->kind);
		digest_add(digest, arg->key);
		if (arg->kind == ARG_TEXT || arg->kind == ARG_JSON)
			digest_text(digest, arg->value.text.bytes,
				arg->value.text.size);
		else
			digest_add(digest, (uint64_t)arg->value.integer);
	}
}

static void digest_trace(struct digest *digest, const struct trace *trace)
{
	const char *damage = trace_find_fact(trace, "damage");

	for (int i = 0; i < LOSS_KINDS; i++)
		digest_add(digest, trace->losses[i]);
	if (damage != NULL)
		digest_text(digest, damage, strlen(damage));
}

/* It is one value, with nothing after it. */
static void check_json(const struct event_arg *arg)
{
	FILE *in = fmemopen((void *)(uintptr_t)arg->value.text.bytes,
		arg->value.text.size, "rb");
	struct json_token token;
	struct json_scan *scan;
	enum ctp_status status = CTP_OK;

	fuzz_require(in != NULL);
	scan = json_scan_new(in, "", 0);
	if (scan != NULL) {
		while (status == CTP_OK)
			status = json_scan_next(scan, &token, NULL);
		fuzz_require(status == CTP_END || memory_was_refused());
	}
	json_scan_free(scan);
	(void)fclose(in);
}

/* Reads every byte of an argument's text. */
static void check_args(const struct trace *trace, const struct event *event)
{
	static volatile char seen;

	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		fuzz_require(arg->key < strtab_count(trace->text));
		fuzz_require(arg->kind <= ARG_JSON);
		for (size_t j = 0;
			arg->kind == ARG_TEXT && j < arg->value.text.size; j++)
			seen = arg->value.text.bytes[j];
		if (arg->kind == ARG_JSON)
			check_json(arg);
	}
	(void)seen;
}

static bool has_site(const struct event *event)
{
	return event->kind != EVENT_END && event->kind != EVENT_ARGS &&
	       event->kind != EVENT_ALLOC && event->kind != EVENT_FREE &&
	       event->kind != EVENT_CORRELATION;
}

static void check_event(const struct trace *trace, const struct event *event)
{
	fuzz_require(event->kind < EVENT_KINDS);
	fuzz_require(event->track < trace->track_count);
	if (has_site(event))
		fuzz_require(event->site < trace->site_count);
	if (event->kind == EVENT_ACTIVITY)
		fuzz_require(trace->tracks[event->track].kind == TRACE_STREAM);
	if (event->kind == EVENT_COUNTER)
		fuzz_require(event->arg_count == 1);
	check_args(trace, event);
}

/* False if it takes too much memory. */
static bool replay_trace(struct event_source *source, struct replay *replay,
	struct digests *digests)
{
	enum ctp_status status = CTP_OK;
	struct event event;

	while (status == CTP_OK) {
		status = source->next(source, &event, NULL);
		if (status != CTP_OK)
			break;
		check_event(source->trace, &event);
		digest_event(&digests->events, &event);
		digest_args(&digests->rest, &event);
		status = replay_add(replay, &event, NULL);
	}
	digest_add(&digests->rest, (uint64_t)status);
	digest_trace(&digests->rest, source->trace);
	fuzz_require(status != CTP_ERR_NOMEM || memory_was_refused());
	return status != CTP_ERR_NOMEM;
}

static void check_profile(struct replay *replay, const struct trace *trace)
{
	struct profile *profile = NULL;
	uint64_t total = 0;

	fuzz_require(trace->losses[LOSS_BACKWARD_TIMES] == 0);
	if (replay_finish(replay, &profile, NULL) != CTP_OK) {
		fuzz_require(memory_was_refused());
		return;
	}
	for (uint32_t i = 0; i < profile->function_count; i++)
		total = saturate_sum(
			total, profile->functions[i].cost.tottime_ns);
	fuzz_require(total == profile->total_ns);
	profile_free(profile);
}

/* False if it takes too much memory. */
static bool read_trace(const uint8_t *bytes, size_t size,
	const struct read_request *request, struct digests *digests)
{
	const struct format *format = torch_trace_format.probe(bytes, size) != 0
					      ? &torch_trace_format
					      : &chrome_format;
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	struct event_source *source;
	struct replay *replay;
	bool whole;

	fuzz_require(file != NULL);
	fuzz_require(format_open(format, file, NULL, 0, request, &source,
			     NULL) == CTP_OK);
	replay = replay_new(source->trace, (struct replay_options){0});
	fuzz_require(replay != NULL);
	whole = replay_trace(source, replay, digests);
	if (whole)
		check_profile(replay, source->trace);
	fuzz_require(source->position(source) <= size);
	replay_free(replay);
	source->close(source);
	(void)fclose(file);
	return whole;
}

/* Reads it in one thread and in two; false if it takes too much memory. */
static bool read_twice(const uint8_t *bytes, size_t size,
	struct read_request request, struct digests *digests)
{
	struct digests again = {0};

	*digests = (struct digests){0};
	request.jobs = 1;
	if (!read_trace(bytes, size, &request, digests))
		return false;
	request.jobs = 2;
	if (!read_trace(bytes, size, &request, &again))
		return false;
	fuzz_require(memcmp(digests, &again, sizeof(again)) == 0);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct read_request request = {.join = (enum read_join)(size % 3)};
	struct digests with, without;

	if (size == 0)
		return 0;
	memory_set_limit(FUZZ_MEMORY);
	(void)chrome_format.probe(bytes, size);
	if (!read_twice(bytes, size, request, &with))
		return 0;
	request.skip_args = true;
	if (read_twice(bytes, size, request, &without))
		fuzz_require(memcmp(&with.events, &without.events,
				     sizeof(with.events)) == 0);
	return 0;
}
