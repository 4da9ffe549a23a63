/* SPDX-License-Identifier: MIT */
#include "digest/digest.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "digest/digest_args.h"
#include "json/json.h"
#include "trace/open_ranges.h"

/* Complete events that overlap are in rows of their own, up to this many. */
#define ROWS_APART 64

/* Bytes of arguments that are kept; those of further slices are omitted. */
#define ARGS_BYTES ((size_t)8 << 20)

struct frame {
	int64_t start_ns;
	uint32_t site;
	size_t args_at; /* start of its arguments in digest_track.args */
};

struct digest_track {
	uint32_t lanes[DIGEST_PARTS]; /* number + 1; 0: none yet */
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
	struct buffer args; /* of all open ranges */
	int64_t *row_ends;  /* of complete events */
	uint32_t row_count;
	uint64_t async_rows; /* bits: in use */
};

/* Open asynchronous ranges, and by their places the rows. */
struct open_async_rows {
	struct open_asyncs open;
	uint8_t *rows;
	uint32_t room;
};

static bool drop_slice(void *user, const struct digest_slice *slice)
{
	return slice_bins_add(user, slice);
}

struct digest *digest_new(
	const struct trace *trace, uint32_t slices, uint32_t bins)
{
	struct digest *digest = memory_new_zeroed(1, sizeof(*digest));

	if (digest == NULL)
		return NULL;
	digest->trace = trace;
	digest->store = (struct slice_store){
		.limit = slices, .drop = drop_slice, .user = &digest->bins};
	digest->bins = (struct slice_bins){
		.trace = trace, .limit = 2 * bins, .row_max = DIGEST_ROWS - 1};
	digest->args = strtab_new();
	digest->async = memory_new_zeroed(1, sizeof(*digest->async));
	digest->json = memory_new_zeroed(1, sizeof(*digest->json));
	if (digest->args == NULL || digest->async == NULL ||
		digest->json == NULL || !json_init(digest->json, NULL)) {
		digest_free(digest);
		return NULL;
	}
	return digest;
}

/* Frees all that is needed only while events are read. */
static void end_reading(struct digest *digest)
{
	for (uint32_t i = 0; i < digest->track_count; i++) {
		memory_free(digest->tracks[i].frames);
		memory_free(digest->tracks[i].row_ends);
		buffer_clear(&digest->tracks[i].args);
	}
	memory_free(digest->tracks);
	if (digest->async != NULL) {
		open_asyncs_clear(&digest->async->open);
		memory_free(digest->async->rows);
	}
	memory_free(digest->async);
	if (digest->json != NULL)
		json_clear(digest->json);
	memory_free(digest->json);
	buffer_clear(&digest->text);
	digest->tracks = NULL;
	digest->track_count = 0;
	digest->async = NULL;
	digest->json = NULL;
}

void digest_free(struct digest *digest)
{
	if (digest == NULL)
		return;
	end_reading(digest);
	slice_store_clear(&digest->store);
	slice_bins_clear(&digest->bins);
	series_table_clear(&digest->series);
	strtab_free(digest->args);
	memory_free(digest->lanes);
	memory_free(digest);
}

static struct digest_track *track_of(struct digest *digest, uint32_t track)
{
	return array_ensure_index(&digest->tracks, track, &digest->track_count,
		       sizeof(*digest->tracks))
		       ? &digest->tracks[track]
		       : NULL;
}

/* The lane of a track's part, made if new; NULL if out of memory. */
static struct digest_lane *lane_of(
	struct digest *digest, uint32_t track, enum digest_part part)
{
	uint32_t *number = &digest->tracks[track].lanes[part];

	if (*number == 0) {
		if (!array_reserve32(&digest->lanes, digest->lane_count,
			    &digest->lane_room, sizeof(*digest->lanes)))
			return NULL;
		digest->lanes[digest->lane_count] =
			(struct digest_lane){.track = track, .part = part};
		*number = ++digest->lane_count;
	}
	return &digest->lanes[*number - 1];
}

/* Adds a slice, whose lane and arguments are not set yet, to the lane. */
static bool add_slice(struct digest *digest, struct digest_lane *lane,
	struct digest_slice *slice, const char *args, size_t args_size)
{
	int64_t end_ns;

	if (__builtin_add_overflow(slice->start_ns, slice->dur_ns, &end_ns))
		slice->dur_ns = (uint64_t)INT64_MAX - (uint64_t)slice->start_ns;
	slice->lane = (uint32_t)(lane - digest->lanes);
	lane->count++;
	lane->time_ns = saturate_sum(lane->time_ns, slice->dur_ns);
	if (slice->row == 0)
		lane->top_ns = saturate_sum(lane->top_ns, slice->dur_ns);
	if (slice->row >= lane->rows)
		lane->rows = (uint32_t)slice->row + 1;
	if (args_size > 0 && digest->args_bytes + args_size <= ARGS_BYTES &&
		slice_store_wants(&digest->store, slice->lane, slice->dur_ns)) {
		uint32_t known = strtab_count(digest->args);

		slice->args = strtab_add(digest->args, args, args_size);
		if (slice->args == STRTAB_NONE)
			return false;
		if (slice->args >= known)
			digest->args_bytes += args_size;
	}
	return slice_store_add(&digest->store, slice);
}

/* ---- nested ranges ---- */

static bool add_begin(struct digest *digest, struct digest_track *track,
	const struct event *event)
{
	if (!array_reserve32(&track->frames, track->depth, &track->room,
		    sizeof(*track->frames)))
		return false;
	track->frames[track->depth++] =
		(struct frame){event->time_ns, event->site, track->args.used};
	return event->arg_count == 0 ||
	       digest_args_add(&track->args, track->args.used, digest->json,
		       digest->trace, event);
}

/* Ends the innermost range, if there is one. */
static bool end_range(struct digest *digest, uint32_t number, int64_t end_ns)
{
	struct digest_track *track = &digest->tracks[number];
	struct digest_lane *lane = lane_of(digest, number, DIGEST_RANGES);
	const struct frame *frame = &track->frames[--track->depth];
	struct digest_slice slice = {.start_ns = frame->start_ns,
		.dur_ns = end_ns > frame->start_ns
				  ? (uint64_t)end_ns - (uint64_t)frame->start_ns
				  : 0,
		.launch_track = TRACE_NONE,
		.site = frame->site,
		.row = (uint16_t)(track->depth < DIGEST_ROWS
					  ? track->depth
					  : DIGEST_ROWS - 1)};
	size_t args_size = track->args.used - frame->args_at;
	/* Without arguments, the buffer may have no bytes. */
	const uint8_t *args =
		args_size == 0 ? NULL : track->args.bytes + frame->args_at;
	bool ok = lane != NULL && add_slice(digest, lane, &slice,
					  (const char *)args, args_size);

	track->args.used = frame->args_at;
	return ok;
}

static bool add_nested(struct digest *digest, struct digest_track *track,
	const struct event *event)
{
	if (event->kind == EVENT_BEGIN)
		return add_begin(digest, track, event);
	if (track->depth == 0)
		return true;
	if (event->arg_count > 0 &&
		!digest_args_add(&track->args,
			track->frames[track->depth - 1].args_at, digest->json,
			digest->trace, event))
		return false;
	return event->kind == EVENT_ARGS ||
	       end_range(digest, event->track, event->time_ns);
}

/* ---- complete events and activities ---- */

/* The first row without a slice at that time; false if out of memory. */
static bool find_row(
	struct digest_track *track, const struct event *event, uint16_t *row)
{
	uint32_t at = 0;

	while (at < track->row_count && at < ROWS_APART - 1 &&
		track->row_ends[at] > event->time_ns)
		at++;
	if (at == track->row_count) {
		int64_t *ends = memory_resize_array(
			track->row_ends, (size_t)at + 1, sizeof(*ends));

		if (ends == NULL)
			return false;
		track->row_ends = ends;
		ends[track->row_count++] = INT64_MIN;
	}
	if (event_end(event) > track->row_ends[at])
		track->row_ends[at] = event_end(event);
	*row = (uint16_t)at;
	return true;
}

static bool add_complete(struct digest *digest, struct digest_track *track,
	const struct event *event, const struct launch *launch)
{
	struct digest_slice slice = {.start_ns = event->time_ns,
		.dur_ns = event->dur_ns,
		.launch_ns = launch == NULL ? 0 : launch->start_ns,
		.launch_track = launch == NULL ? TRACE_NONE : launch->track,
		.site = event->site};
	struct digest_lane *lane = lane_of(digest, event->track, DIGEST_WHOLE);

	if (lane == NULL || !find_row(track, event, &slice.row))
		return false;
	digest->text.used = 0;
	if (event->arg_count > 0 &&
		slice_store_wants(&digest->store,
			(uint32_t)(lane - digest->lanes), slice.dur_ns) &&
		!digest_args_add(
			&digest->text, 0, digest->json, digest->trace, event))
		return false;
	return add_slice(digest, lane, &slice, (const char *)digest->text.bytes,
		digest->text.used);
}

/* ---- asynchronous ranges ---- */

static bool begin_async(struct digest *digest, struct digest_track *track,
	const struct event *event)
{
	struct open_async_rows *async = digest->async;
	struct open_async *open =
		open_asyncs_add(&async->open, digest->trace, event);
	uint64_t unused = ~track->async_rows;
	uint32_t place;
	unsigned row = ROWS_APART - 1;

	if (open == NULL)
		return false;
	place = (uint32_t)(open - async->open.items);
	if (unused != 0)
		row = (unsigned)__builtin_ctzll(unused);
	if (!array_ensure_index(
		    &async->rows, place, &async->room, sizeof(*async->rows)))
		return false;
	track->async_rows |= UINT64_C(1) << row;
	async->rows[place] = (uint8_t)row;
	return true;
}

static bool end_async(
	struct digest *digest, const struct open_async *open, int64_t end_ns)
{
	const struct event *begin = &open->begin;
	uint8_t row = digest->async->rows[open - digest->async->open.items];
	struct digest_lane *lane = lane_of(digest, begin->track, DIGEST_ASYNC);
	struct digest_slice slice = {.start_ns = begin->time_ns,
		.dur_ns = end_ns > begin->time_ns
				  ? (uint64_t)end_ns - (uint64_t)begin->time_ns
				  : 0,
		.launch_track = TRACE_NONE,
		.site = begin->site,
		.row = row};

	digest->tracks[begin->track].async_rows &= ~(UINT64_C(1) << row);
	digest->text.used = 0;
	if (begin->arg_count > 0 && !digest_args_add(&digest->text, 0,
					    digest->json, digest->trace, begin))
		return false;
	return lane != NULL &&
	       add_slice(digest, lane, &slice, (const char *)digest->text.bytes,
		       digest->text.used);
}

static bool add_async(struct digest *digest, struct digest_track *track,
	const struct event *event)
{
	const struct open_async *open;

	if (event->kind == EVENT_ASYNC_BEGIN)
		return begin_async(digest, track, event);
	open = open_asyncs_remove(&digest->async->open, digest->trace, event);
	return open == NULL || end_async(digest, open, event->time_ns);
}

static bool add_step(struct digest *digest, const struct event *event)
{
	if (digest->step_count < DIGEST_STEPS)
		digest->steps[digest->step_count++] = (struct digest_step){
			event->time_ns, event->id, event->site};
	else
		digest->steps_omitted++;
	return true;
}

static bool add_event(struct digest *digest, const struct event *event,
	const struct launch *launch)
{
	struct digest_track *track = track_of(digest, event->track);

	if (track == NULL)
		return false;
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
	case EVENT_ARGS:
		return add_nested(digest, track, event);
	case EVENT_COMPLETE:
	case EVENT_ACTIVITY:
		return add_complete(digest, track, event, launch);
	case EVENT_ASYNC_BEGIN:
	case EVENT_ASYNC_END:
		return add_async(digest, track, event);
	case EVENT_STEP:
		return add_step(digest, event);
	default:
		return series_table_add(&digest->series, digest->trace, event);
	}
}

enum ctp_status digest_add(struct digest *digest, const struct event *event,
	const struct launch *launch, struct ctp_error *err)
{
	/* The driver reports calls that are on their thread already. */
	if (digest->trace->tracks[event->track].kind == TRACE_CALLS ||
		add_event(digest, event, launch))
		return CTP_OK;
	return ctp_no_memory(err);
}

/* Ends the ranges that are still open. */
static bool end_all(struct digest *digest)
{
	struct open_asyncs *open = &digest->async->open;

	for (uint32_t i = 0; i < digest->track_count; i++)
		while (digest->tracks[i].depth > 0)
			if (!end_range(digest, i,
				    trace_track_end(digest->trace, i)))
				return false;
	for (uint32_t at = open->first; at != 0;
		at = open->items[at - 1].after) {
		const struct open_async *async = &open->items[at - 1];

		if (!end_async(digest, async,
			    trace_track_end(digest->trace, async->begin.track)))
			return false;
	}
	return true;
}

enum ctp_status digest_finish(struct digest *digest, struct ctp_error *err)
{
	bool ok = end_all(digest);

	end_reading(digest);
	ok = ok &&
	     digest_reduce(digest, digest->store.limit, digest->bins.limit / 2);
	return ok ? CTP_OK : ctp_no_memory(err);
}

bool digest_reduce(struct digest *digest, uint32_t slices, uint32_t bins)
{
	if (!slice_store_reduce(&digest->store, slices) ||
		!slice_bins_reduce(&digest->bins, bins))
		return false;
	slice_store_sort(&digest->store);
	return slice_bins_sort(&digest->bins);
}
