/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a log, read to the end and replayed with a tree.
 * For libFuzzer, or with fuzz_main.c for files given as arguments. Aborts if
 * what comes out refers to what is not there.
 *
 * A block is used only if its CRC is right, which chance hardly ever hits. So
 * an input that begins like no gzip file is taken for unpacked blocks, each
 * after its size in two bytes (little endian), and made a log here.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cursor.h"
#include "log_maker.h"
#include "log_read.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Reads every byte that an event says is there. */
static void check_args(const struct trace *trace, const struct event *event)
{
	static volatile char seen;

	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		require(arg->key < strtab_count(trace->text));
		require(arg->kind <= ARG_TEXT);
		for (size_t j = 0;
			arg->kind == ARG_TEXT && j < arg->value.text.size; j++)
			seen = arg->value.text.bytes[j];
	}
	(void)seen;
}

static void check_event(const struct trace *trace, const struct event *event)
{
	require(event->kind <= EVENT_STEP);
	require(event->track < trace->track_count);
	if (event->kind != EVENT_END && event->kind != EVENT_ARGS &&
		event->kind != EVENT_ALLOC && event->kind != EVENT_FREE)
		require(event->site < trace->site_count);
	require(event->arg_count <= 1);
	check_args(trace, event);
}

static void check_profile(const struct profile *profile)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_cost *cost = &profile->functions[i].cost;

		require(cost->pcalls <= cost->ncalls);
		total += cost->tottime_ns;
	}
	require(total == profile->total_ns);
	for (uint32_t i = 0; i < profile->edge_count; i++)
		require(profile->edges[i].caller < profile->function_count &&
			profile->edges[i].callee < profile->function_count);
	for (uint32_t i = 1; i < profile->node_count; i++)
		require(profile->nodes[i].parent < i);
}

static void read_log(struct event_source *source)
{
	struct replay *replay = replay_new(
		source->trace, (struct replay_options){.tree = true});
	struct profile *profile = NULL;
	struct event event;
	struct ctp_error err;

	require(replay != NULL);
	while (source->next(source, &event, &err) == CTP_OK) {
		check_event(source->trace, &event);
		require(replay_add(replay, &event, &err) == CTP_OK);
	}
	require(replay_finish(replay, &profile, &err) == CTP_OK);
	require(profile_sort(profile, &err) == CTP_OK);
	check_profile(profile);
	profile_free(profile);
	replay_free(replay);
}

static void read_bytes(const void *bytes, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	struct event_source *source;

	require(file != NULL);
	require(log_read_open(file, NULL, 0, &source, NULL) == CTP_OK);
	read_log(source);
	require(source->position(source) <= size);
	source->close(source);
	(void)fclose(file);
}

static void make_log(struct buffer *log, const uint8_t *bytes, size_t size)
{
	struct cursor input;
	uint16_t block_size;

	cursor_init(&input, bytes, size);
	while (cursor_le16(&input, &block_size)) {
		size_t block =
			block_size < input.left ? block_size : input.left;

		if (block == 0)
			continue;
		log_maker_add_bytes(log, 0, cursor_bytes(&input, block), block);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct buffer log = BUFFER_INIT;

	if (size < 2 || (bytes[0] == 0x1f && bytes[1] == 0x8b)) {
		if (size > 0)
			read_bytes(bytes, size);
		return 0;
	}
	make_log(&log, bytes, size);
	if (log.used > 0)
		read_bytes(log.bytes, log.used);
	buffer_clear(&log);
	return 0;
}
