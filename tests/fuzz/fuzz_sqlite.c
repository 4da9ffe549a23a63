/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a database of nvprof or Nsight Systems, read to the
 * end. Events refer to existing entries, ends have begins, and times of a
 * track's ranges never go back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_case.h"
#include "base/memory.h"
#include "format.h"

/* More tracks than any seed has: further tracks are not checked. */
#define TRACKS 256

struct open_ranges {
	uint64_t depth[TRACKS];
	int64_t last_ns[TRACKS];
};

/* Reads every byte of an argument's text. */
static void check_args(const struct trace *trace, const struct event *event)
{
	static volatile char seen;

	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];

		fuzz_require(arg->key < strtab_count(trace->text));
		if (arg->kind != ARG_TEXT && arg->kind != ARG_JSON)
			continue;
		for (size_t at = 0; at < arg->value.text.size; at++)
			seen = arg->value.text.bytes[at];
	}
	(void)seen;
}

static void check_range(struct open_ranges *open, const struct event *event)
{
	uint64_t *depth = &open->depth[event->track];
	int64_t *last_ns = &open->last_ns[event->track];

	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END)
		return;
	fuzz_require(*depth == 0 || event->time_ns >= *last_ns);
	*last_ns = event->time_ns;
	fuzz_require(event->kind == EVENT_BEGIN || *depth > 0);
	*depth += event->kind == EVENT_BEGIN ? 1 : UINT64_MAX;
}

static void check_event(const struct trace *trace, struct open_ranges *open,
	const struct event *event)
{
	fuzz_require(event->kind < EVENT_KINDS);
	fuzz_require(event->track < trace->track_count);
	fuzz_require(event->kind == EVENT_END ||
		     event->kind == EVENT_CORRELATION ||
		     event->site < trace->site_count);
	check_args(trace, event);
	if (event->track < TRACKS)
		check_range(open, event);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct open_ranges open = {{0}, {0}};
	struct event_source *source;
	struct ctp_error err;
	struct event event;
	FILE *file;

	if (size == 0)
		return 0;
	memory_set_limit(FUZZ_MEMORY);
	(void)nsys_format.probe(bytes, size);
	file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
	fuzz_require(file != NULL);
	if (nsys_format.open_events(file, NULL, 0, NULL, &source, &err) ==
		CTP_OK) {
		while (source->next(source, &event, &err) == CTP_OK)
			check_event(source->trace, &open, &event);
		source->close(source);
	}
	(void)fclose(file);
	return 0;
}
