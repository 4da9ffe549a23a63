/* SPDX-License-Identifier: MIT */
#include "timeline/row_name.h"

#include <string.h>

#include "base/strtab.h"
#include "json/json.h"
#include "timeline/lanes.h"

/* What CUPTI says where there is no stream, seen as unsigned. */
#define NO_STREAM INT64_C(0xffffffff)

void row_name_add_number(struct buffer *name, const char *text, int64_t id)
{
	char number[JSON_NUMBER_MAX];

	buffer_add_text(name, text);
	buffer_add(name, number, (size_t)(json_put_int(number, id) - number));
}

static void name_text(
	struct buffer *name, const struct trace *trace, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(trace->text, number, &size);

	buffer_add(name, bytes, size);
}

/* Unless it is there, where the trace was written by us. */
static void name_device(struct buffer *name, int64_t device, size_t from)
{
	size_t at = name->used;
	size_t size;

	row_name_add_number(name, " GPU ", device);
	size = name->used - at;
	if (!name->failed && at - from >= size &&
		memcmp(name->bytes + at - size, name->bytes + at, size) == 0)
		name->used = at;
}

void row_name_add_process(
	struct buffer *name, const struct trace *trace, uint32_t number)
{
	const struct trace_track *track = &trace->tracks[number];
	size_t from = name->used;

	if (track->process_name != 0)
		name_text(name, trace, track->process_name);
	else
		row_name_add_number(name, "process ", track->pid);
	if (track->kind == TRACE_STREAM)
		name_device(name, track->device, from);
}

int64_t row_name_stream(const struct trace_track *track)
{
	return track->tid == NO_STREAM ? -1 : track->tid;
}

/* "stream 7 ", as Kineto has it: the name, if there is one, comes behind. */
static void name_stream(struct buffer *name, const struct trace *trace,
	const struct trace_track *track)
{
	int64_t stream = row_name_stream(track);

	if (stream == -1)
		row_name_add_number(name, "Device ", track->device);
	else
		row_name_add_number(name, "stream ", stream);
	buffer_add_text(name, " ");
	if (track->name != 0)
		name_text(name, trace, track->name);
}

static void name_suffix(struct buffer *name, const char *text)
{
	if (name->used > 0 && name->bytes[name->used - 1] == ' ')
		name->used--;
	buffer_add_text(name, text);
}

void row_name_add(struct buffer *name, const struct trace *trace,
	uint32_t number, int32_t lane)
{
	const struct trace_track *track = &trace->tracks[number];

	if (track->kind == TRACE_STREAM)
		name_stream(name, trace, track);
	else if (track->name != 0)
		name_text(name, trace, track->name);
	else
		row_name_add_number(name, "thread ", track->tid);
	if (track->kind == TRACE_TIMELINE)
		name_suffix(name, " (timeline)");
	if (track->kind == TRACE_CALLS)
		name_suffix(name, " (device calls)");
	if (lane == ROW_RANGES)
		name_suffix(name, " (ranges)");
	if (lane >= ROW_CALLS)
		name_suffix(name, " (calls)");
	else if (lane >= ROW_HOST)
		name_suffix(name, " (host)");
	if (lane >= 0 && lane != ROW_HOST && lane != ROW_CALLS) {
		name_suffix(name, " (lane ");
		row_name_add_number(name, "", lane % LANES_MAX + 1);
		buffer_add_text(name, ")");
	}
}
