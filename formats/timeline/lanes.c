/* SPDX-License-Identifier: MIT */
/*
 * A lane stores `hulls`, the extents of its latest top-level trees in order,
 * and `open`, the slices inside the last hull that can still contain the next
 * slice in order of start. If there are too many hulls, the oldest are merged,
 * which only makes late slices harder to place.
 *
 * Source of the rules: Perfetto's slice_tracker.cc, MaybeCloseStack().
 */
#include "timeline/lanes.h"

#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"
#include "json/json.h"

/* CUPTI's number for a missing stream, as unsigned. */
#define NO_STREAM INT64_C(0xffffffff)

#define HULLS_MAX 64

struct extent {
	int64_t start_ns;
	int64_t end_ns;
};

struct lane {
	struct extent hulls[HULLS_MAX];
	uint32_t hull_count;
	struct extent *open;
	uint32_t open_count;
	uint32_t open_room;
	int64_t last_start_ns; /* the largest start in this lane */
};

struct lanes {
	struct lane *lane[LANES_MAX];
	uint32_t count;
	bool keep_apart;
};

struct lanes *lanes_new(bool keep_apart)
{
	struct lanes *lanes = memory_new_zeroed(1, sizeof(*lanes));

	if (lanes != NULL)
		lanes->keep_apart = keep_apart;
	return lanes;
}

void lanes_free(struct lanes *lanes)
{
	if (lanes == NULL)
		return;
	for (uint32_t i = 0; i < lanes->count; i++) {
		memory_free(lanes->lane[i]->open);
		memory_free(lanes->lane[i]);
	}
	memory_free(lanes);
}

/* Inserts a slice below the open ones (at 0) or on top of them. */
static bool insert_open(struct lane *lane, uint32_t at, struct extent slice)
{
	if (!array_reserve32(&lane->open, lane->open_count, &lane->open_room,
		    sizeof(*lane->open)))
		return false;
	memmove(&lane->open[at + 1], &lane->open[at],
		(lane->open_count - at) * sizeof(slice));
	lane->open[at] = slice;
	lane->open_count++;
	return true;
}

/* Puts `slice` in the place of hulls [from, to). */
static void replace_hulls(
	struct lane *lane, uint32_t from, uint32_t to, struct extent slice)
{
	if (from == to && lane->hull_count == HULLS_MAX) {
		lane->hulls[1].start_ns = lane->hulls[0].start_ns;
		if (from == 0) {
			/* It is before all stored hulls. */
			lane->hulls[1].start_ns = slice.start_ns;
			slice = lane->hulls[1];
			from = 1;
			to = 2;
		}
		memmove(&lane->hulls[0], &lane->hulls[1],
			(HULLS_MAX - 1) * sizeof(slice));
		lane->hull_count--;
		from--;
		to--;
	}
	memmove(&lane->hulls[from + 1], &lane->hulls[to],
		(lane->hull_count - to) * sizeof(slice));
	lane->hulls[from] = slice;
	lane->hull_count += 1 - (to - from);
}

enum fit { FITS, FITS_NOT, FIT_NO_MEMORY };

/* Places a slice that starts no earlier than all others in the lane. */
static enum fit place_next(struct lane *lane, struct extent slice)
{
	uint32_t keep = lane->open_count;

	while (keep > 0 && lane->open[keep - 1].end_ns <= slice.start_ns)
		keep--;
	if (keep > 0 && lane->open[keep - 1].end_ns < slice.end_ns)
		return FITS_NOT;
	lane->open_count = keep;
	if (!insert_open(lane, keep, slice))
		return FIT_NO_MEMORY;
	lane->last_start_ns = slice.start_ns;
	if (keep == 0)
		replace_hulls(lane, lane->hull_count, lane->hull_count, slice);
	return FITS;
}

/* Places a slice that starts before another one in the lane: between hulls, or
 * around some. At equal starts the outer one must come first. With `apart` it
 * also ends before the next one starts. */
static enum fit place_late(struct lane *lane, struct extent slice, bool apart)
{
	uint32_t to = lane->hull_count;
	uint32_t from;

	while (to > 0 && lane->hulls[to - 1].start_ns >= slice.end_ns &&
		lane->hulls[to - 1].start_ns > slice.start_ns)
		to--;
	from = to;
	while (from > 0 && lane->hulls[from - 1].start_ns > slice.start_ns &&
		lane->hulls[from - 1].end_ns <= slice.end_ns)
		from--;
	if (from > 0 && lane->hulls[from - 1].end_ns > slice.start_ns)
		return FITS_NOT;
	if (apart && to < lane->hull_count &&
		lane->hulls[to].start_ns == slice.end_ns)
		return FITS_NOT;
	if (to == lane->hull_count && !insert_open(lane, 0, slice))
		return FIT_NO_MEMORY;
	replace_hulls(lane, from, to, slice);
	return FITS;
}

static struct lane *add_lane(struct lanes *lanes)
{
	struct lane *lane = memory_new_zeroed(1, sizeof(*lane));

	if (lane != NULL) {
		lane->last_start_ns = INT64_MIN;
		lanes->lane[lanes->count++] = lane;
	}
	return lane;
}

uint32_t lanes_place(struct lanes *lanes, int64_t start_ns, uint64_t dur_ns)
{
	struct extent slice = {start_ns, INT64_MAX};

	if (dur_ns < (uint64_t)INT64_MAX - (uint64_t)start_ns)
		slice.end_ns = (int64_t)((uint64_t)start_ns + dur_ns);
	for (uint32_t i = 0; i < LANES_MAX; i++) {
		struct lane *lane =
			i < lanes->count ? lanes->lane[i] : add_lane(lanes);
		enum fit fit;

		if (lane == NULL)
			return LANES_NONE;
		if (slice.start_ns >= lane->last_start_ns)
			fit = place_next(lane, slice);
		else
			fit = place_late(lane, slice, lanes->keep_apart);
		if (fit == FIT_NO_MEMORY)
			return LANES_NONE;
		if (fit == FITS)
			return i;
	}
	return LANES_MAX - 1;
}

void lanes_add_number(struct buffer *name, const char *text, int64_t id)
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

/* Adds the device unless the name ends with it, as in our own traces. */
static void name_device(struct buffer *name, int64_t device, size_t from)
{
	size_t at = name->used;
	size_t size;

	lanes_add_number(name, " GPU ", device);
	size = name->used - at;
	if (!name->failed && at - from >= size &&
		memcmp(name->bytes + at - size, name->bytes + at, size) == 0)
		name->used = at;
}

void lanes_add_process_name(
	struct buffer *name, const struct trace *trace, uint32_t number)
{
	const struct trace_track *track = &trace->tracks[number];
	size_t from = name->used;

	if (track->process_name != 0)
		name_text(name, trace, track->process_name);
	else
		lanes_add_number(name, "process ", track->pid);
	if (track->kind == TRACE_STREAM)
		name_device(name, track->device, from);
}

int64_t lanes_stream(const struct trace_track *track)
{
	return track->tid == NO_STREAM ? -1 : track->tid;
}

/* "stream 7 ", as in Kineto; the name, if any, follows. */
static void name_stream(struct buffer *name, const struct trace *trace,
	const struct trace_track *track)
{
	int64_t stream = lanes_stream(track);

	if (stream == -1)
		lanes_add_number(name, "Device ", track->device);
	else
		lanes_add_number(name, "stream ", stream);
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

void lanes_add_row_name(struct buffer *name, const struct trace *trace,
	uint32_t number, int32_t lane)
{
	const struct trace_track *track = &trace->tracks[number];

	if (track->kind == TRACE_STREAM)
		name_stream(name, trace, track);
	else if (track->name != 0)
		name_text(name, trace, track->name);
	else
		lanes_add_number(name, "thread ", track->tid);
	if (track->kind == TRACE_TIMELINE)
		name_suffix(name, " (timeline)");
	if (track->kind == TRACE_CALLS)
		name_suffix(name, " (device calls)");
	if (lane == LANES_RANGES)
		name_suffix(name, " (ranges)");
	if (lane >= LANES_CALLS)
		name_suffix(name, " (calls)");
	else if (lane >= LANES_HOST)
		name_suffix(name, " (host)");
	if (lane >= 0 && lane != LANES_HOST && lane != LANES_CALLS) {
		name_suffix(name, " (lane ");
		lanes_add_number(name, "", lane % LANES_MAX + 1);
		buffer_add_text(name, ")");
	}
}
