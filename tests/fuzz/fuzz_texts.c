/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: profiles of other tools. The first byte gives the format of the
 * rest. A file that is read must hold a profile, and its written form must be
 * readable. In a timeline, time does not go back, and no more ranges end than
 * begin.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert.h"
#include "format.h"
#include "base/saturate.h"
#include "fuzz_case.h"
#include "base/memory.h"

static const struct format *const texts[] = {&folded_format, &callgrind_format,
	&gprof_format, &speedscope_format, &gprof2dot_format, &pprof_format};

static FILE *open_bytes(const void *bytes, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");

	fuzz_require(file != NULL);
	return file;
}

static void check_costs(const struct profile *profile)
{
	uint64_t total_ns = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_cost *cost = &profile->functions[i].cost;

		fuzz_require(cost->pcalls <= cost->ncalls);
		total_ns = saturate_sum(total_ns, cost->tottime_ns);
	}
	fuzz_require(total_ns == profile->total_ns);
	for (uint32_t i = 0; i < profile->edge_count; i++)
		fuzz_require(
			profile->edges[i].caller < profile->function_count &&
			profile->edges[i].callee < profile->function_count);
	for (uint32_t i = 1; i < profile->node_count; i++)
		fuzz_require(
			profile->nodes[i].parent < i &&
			profile->nodes[i].function < profile->function_count);
}

/* Reads the source; NULL if that fails, as it may. */
static struct profile *read_source(struct event_source *source)
{
	struct convert_job job = {.to = NULL};
	struct profile *profile = NULL;
	struct ctp_error err;

	if (convert_profile(source, &job, &profile, &err) != CTP_OK)
		return NULL;
	check_costs(profile);
	return profile;
}

static struct profile *read_bytes(
	const struct format *format, const void *bytes, size_t size)
{
	FILE *file = open_bytes(bytes, size);
	struct event_source *source;
	struct profile *profile;
	struct ctp_error err;

	fuzz_require(format_open(format, file, NULL, 0, NULL, &source, &err) ==
		     CTP_OK);
	profile = read_source(source);
	fuzz_require(source->position(source) <= size);
	source->close(source);
	(void)fclose(file);
	return profile;
}

/* We can read our own output: it has as many functions as were written. */
static void check_written(
	const struct format *format, const struct profile *profile)
{
	char *bytes = NULL;
	size_t size;
	struct ctp_error err;
	FILE *out = open_memstream(&bytes, &size);
	struct profile *again;

	fuzz_require(out != NULL);
	if (format->write_profile(out, profile, NULL, &err) == CTP_OK) {
		fuzz_require(fclose(out) == 0);
		again = size == 0 ? NULL : read_bytes(format, bytes, size);
		fuzz_require(again == NULL ||
			     again->function_count <= profile->function_count);
		profile_free(again);
	} else {
		(void)fclose(out);
	}
	free(bytes);
}

static void read_timeline(struct event_source *source)
{
	uint32_t track = TRACE_NONE;
	int64_t last_ns = 0;
	uint64_t depth = 0;
	struct event event;

	while (source->next(source, &event, NULL) == CTP_OK) {
		fuzz_require(event.track < source->trace->track_count);
		if (event.track != track) {
			track = event.track;
			depth = 0;
		} else {
			fuzz_require(event.time_ns >= last_ns);
		}
		last_ns = event.time_ns;
		if (event.kind == EVENT_BEGIN) {
			fuzz_require(event.site < source->trace->site_count);
			depth++;
		} else {
			fuzz_require(event.kind == EVENT_END && depth > 0);
			depth--;
		}
		fuzz_require(trace_track_end(source->trace, track) >= last_ns);
	}
}

static void check_timeline(const void *bytes, size_t size)
{
	FILE *file = open_bytes(bytes, size);
	struct event_source *source;
	struct ctp_error err;

	fuzz_require(speedscope_format.open_events(
			     file, NULL, 0, NULL, &source, &err) == CTP_OK);
	read_timeline(source);
	source->close(source);
	(void)fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct format *format;
	struct profile *profile;

	if (size < 2)
		return 0;
	memory_set_limit(FUZZ_MEMORY);
	format = texts[bytes[0] % (sizeof(texts) / sizeof(texts[0]))];
	(void)format_probe(bytes + 1, size - 1);
	if (format == &speedscope_format)
		check_timeline(bytes + 1, size - 1);
	profile = read_bytes(format, bytes + 1, size - 1);
	if (profile == NULL)
		return 0;
	check_written(&callgrind_format, profile);
	check_written(&gprof_format, profile);
	profile_free(profile);
	return 0;
}
