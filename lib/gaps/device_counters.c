/* SPDX-License-Identifier: MIT */
#include "gaps/device_counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gaps/gaps.h"
#include "base/memory.h"
#include "extsort/extsort.h"

#define SORT_BYTES ((size_t)16 << 20)

#define NAME_START "GPU "

/* The part of the name after the device's number. */
static const char *const name_ends[GAPS_LINES] = {
	[GAPS_IDLE] = " idle",
	[GAPS_QUEUE] = " queue depth",
};

/* A counter: its last value, and the value that became a sample. */
struct line {
	bool is_told;
	bool has_sample;
	int64_t time_ns;
	uint64_t value;
	uint64_t sampled;
	uint32_t track;
	bool is_named; /* and has: */
	uint32_t site;
};

struct sample {
	uint32_t line;
	uint64_t value;
};

struct device_counters {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	struct gaps *gaps;
	struct line *lines; /* lines of a device are adjacent */
	uint32_t line_count;
	struct extsort *samples; /* struct sample */
	bool is_over;            /* the inner source has ended */
	struct event_arg value;
};

/* Writes a sample, unless the value is unchanged. */
static enum ctp_status write_sample(struct device_counters *counters,
	uint32_t number, struct ctp_error *err)
{
	struct line *line = &counters->lines[number];
	const struct sample sample = {number, line->value};
	const struct extsort_record record = {.time_ns = line->time_ns,
		.rank = number,
		.bytes = &sample,
		.size = sizeof(sample)};

	if (line->has_sample && line->sampled == line->value)
		return CTP_OK;
	line->has_sample = true;
	line->sampled = line->value;
	return extsort_add(counters->samples, &record, err);
}

static enum ctp_status add_level(
	void *user, const struct gaps_level *level, struct ctp_error *err)
{
	struct device_counters *counters = user;
	uint32_t number = level->device * GAPS_LINES + (uint32_t)level->line;
	enum ctp_status status = CTP_OK;
	struct line *line;

	if (!array_ensure_index(&counters->lines, number, &counters->line_count,
		    sizeof(*counters->lines)))
		return ctp_no_memory(err);
	line = &counters->lines[number];
	if (line->is_told && line->time_ns < level->time_ns)
		status = write_sample(counters, number, err);
	line->is_told = true;
	line->time_ns = level->time_ns;
	line->value = level->value;
	return status;
}

/* After the inner source's last event. */
static enum ctp_status finish(
	struct device_counters *counters, struct ctp_error *err)
{
	enum ctp_status status = gaps_finish(counters->gaps, err);

	for (uint32_t i = 0; i < counters->line_count && status == CTP_OK; i++)
		if (counters->lines[i].is_told)
			status = write_sample(counters, i, err);
	return status == CTP_OK ? extsort_sort(counters->samples, err) : status;
}

/* Selects the track of the device's counters. */
static uint32_t find_track(
	const struct trace *trace, const struct gaps_device *device)
{
	uint32_t stream = TRACE_NONE;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		const struct trace_track *track = &trace->tracks[i];

		if (track->pid != device->pid)
			continue;
		if (track->kind == TRACE_THREAD)
			return i;
		if (track->kind == TRACE_STREAM && stream == TRACE_NONE &&
			track->device == device->number)
			stream = i;
	}
	return stream;
}

/* Sets a line's site and track; false if out of memory. */
static bool name_line(struct device_counters *counters, uint32_t number)
{
	struct trace *trace = counters->source.trace;
	struct line *line = &counters->lines[number];
	char name[48];
	uint32_t count;
	const struct gaps_device *device =
		&gaps_devices(counters->gaps, &count)[number / GAPS_LINES];

	if (line->is_named)
		return true;
	line->track = find_track(trace, device);
	(void)snprintf(name, sizeof(name), NAME_START "%" PRIu32 "%s",
		device->number, name_ends[number % GAPS_LINES]);
	line->site = trace_add_site(trace, name, strlen(name), "", 0, 0);
	line->is_named = line->site != TRACE_NONE;
	return line->is_named;
}

static enum ctp_status next_sample(struct device_counters *counters,
	struct event *event, struct ctp_error *err)
{
	struct extsort_record record;
	struct sample sample;
	enum ctp_status status = extsort_next(counters->samples, &record, err);

	if (status != CTP_OK)
		return status;
	memcpy(&sample, record.bytes, sizeof(sample));
	if (!name_line(counters, sample.line))
		return ctp_no_memory(err);
	counters->value = (struct event_arg){.kind = ARG_INT};
	counters->value.value.integer = (int64_t)sample.value;
	*event = (struct event){.kind = EVENT_COUNTER,
		.track = counters->lines[sample.line].track,
		.site = counters->lines[sample.line].site,
		.time_ns = record.time_ns,
		.device = -1,
		.arg_count = 1,
		.args = &counters->value};
	return CTP_OK;
}

/* Whether it is a counter added by an earlier run. */
static bool is_ours(const struct trace *trace, const struct event *event)
{
	const char *name;

	if (event->kind != EVENT_COUNTER)
		return false;
	name = trace_site_name(trace, event->site);
	if (strncmp(name, NAME_START, strlen(NAME_START)) != 0)
		return false;
	name += strlen(NAME_START);
	name += strspn(name, "0123456789");
	for (size_t i = 0; i < GAPS_LINES; i++)
		if (strcmp(name, name_ends[i]) == 0)
			return true;
	return false;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct device_counters *counters = (struct device_counters *)source;
	enum ctp_status status = CTP_OK;

	while (!counters->is_over) {
		status = counters->source.inner->next(
			counters->source.inner, event, err);
		if (status == CTP_OK && is_ours(source->trace, event))
			continue;
		if (status == CTP_OK)
			return gaps_add(counters->gaps, event, err);
		if (status == CTP_END)
			status = finish(counters, err);
		if (status != CTP_OK)
			return status;
		counters->is_over = true;
	}
	return next_sample(counters, event, err);
}

static void counters_free(struct device_counters *counters)
{
	if (counters == NULL)
		return;
	gaps_free(counters->gaps);
	extsort_free(counters->samples);
	memory_free(counters->lines);
	memory_free(counters);
}

static void close_counters(struct event_source *source)
{
	struct device_counters *counters = (struct device_counters *)source;
	struct event_source *inner = counters->source.inner;

	counters_free(counters);
	inner->close(inner);
}

enum ctp_status device_counters_open(struct event_source *inner,
	struct device_counters **out, struct ctp_error *err)
{
	struct device_counters *counters =
		memory_new_zeroed(1, sizeof(*counters));
	const struct gaps_watch watch = {add_level, counters};

	if (counters != NULL) {
		counters->gaps = gaps_new_watched(inner->trace, &watch);
		counters->samples = extsort_new(SORT_BYTES);
	}
	if (counters == NULL || counters->gaps == NULL ||
		counters->samples == NULL) {
		counters_free(counters);
		return ctp_no_memory(err);
	}
	event_source_wrap(&counters->source, inner, next, close_counters);
	*out = counters;
	return CTP_OK;
}

struct event_source *device_counters_source(struct device_counters *counters)
{
	return &counters->source;
}

uint32_t device_counters_count(const struct device_counters *counters)
{
	uint32_t count;

	(void)gaps_devices(counters->gaps, &count);
	return count;
}
