/* SPDX-License-Identifier: MIT */
/*
 * speedscope's own file, evented: a profile for the nested ranges of each
 * track, and one for each lane of its slices, inside which they nest.
 * Source: https://github.com/jlfwong/speedscope, src/lib/file-format-spec.ts,
 * src/import/speedscope.ts.
 *
 * A frame is a function: name, file and line. Arguments are left out, or each
 * call would be a frame of its own.
 *
 * A profile's events stand together, in order of time, and events come from
 * all tracks in turn: they are sorted by row, in bounded memory, and written
 * when the last has come (speedscope_rows.h).
 */
#include "speedscope/speedscope_write.h"

#include <assert.h>
#include <string.h>

#include "timeline/epoch.h"
#include "timeline/lanes.h"
#include "base/memory.h"
#include "speedscope/speedscope_rows.h"

/* What a point is in the file: {"type":"O","frame":12,"at":123456.789} */
#define POINT_BYTES 45

/* What is open on a track, and where its slices go. */
struct speedscope_track {
	uint32_t *open; /* frames */
	uint32_t depth;
	uint32_t room;
	bool has_ranges;
	int64_t epoch_ns; /* what is 0 in the file */
	int64_t last_ns;
	struct lanes *slices; /* NULL: none yet */
	struct lanes *host;   /* a stream's: the host's time */
};

struct speedscope {
	struct timeline_writer writer; /* first: it is what callers hold */
	FILE *out;
	struct trace *trace;
	const char *title;
	struct speedscope_rows rows;
	struct speedscope_track **tracks; /* by number; NULL: not met yet */
	uint32_t count;
	uint32_t wait_category; /* strtab numbers in the trace */
	uint32_t overhead_category;
};

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

static struct speedscope_track *find_track(
	struct speedscope *scope, uint32_t number)
{
	uint32_t count = scope->trace->track_count;

	assert(number < count);
	if (scope->count < count) {
		struct speedscope_track **more =
			memory_resize(scope->tracks, count * sizeof(*more));

		if (more == NULL)
			return NULL;
		for (uint32_t i = scope->count; i < count; i++)
			more[i] = NULL;
		scope->tracks = more;
		scope->count = count;
	}
	if (scope->tracks[number] == NULL) {
		scope->tracks[number] =
			memory_new_zeroed(1, sizeof(**scope->tracks));
		if (scope->tracks[number] != NULL)
			scope->tracks[number]->last_ns = INT64_MIN;
	}
	return scope->tracks[number];
}

/* The event's time in the file, mended should it have gone back. */
static int64_t in_order(struct speedscope *scope,
	struct speedscope_track *track, int64_t time_ns)
{
	if (__builtin_sub_overflow(time_ns, track->epoch_ns, &time_ns))
		time_ns = INT64_MIN;
	if (time_ns < track->last_ns) {
		scope->trace->losses[LOSS_BACKWARD_TIMES]++;
		time_ns = track->last_ns;
	}
	track->last_ns = time_ns;
	return time_ns;
}

static enum ctp_status add_begin(struct speedscope *scope,
	struct speedscope_track *track, const struct event *event,
	struct ctp_error *err)
{
	struct speedscope_point point = {.row = {event->track, ROW_RANGES}};

	if (!track->has_ranges)
		track->epoch_ns = epoch_of_track(scope->trace, event);
	track->has_ranges = true;
	if (!memory_grow32(&track->open, track->depth, &track->room,
		    sizeof(*track->open)))
		return no_memory(err);
	point.kind = POINT_OPEN;
	point.time_ns = in_order(scope, track, event->time_ns);
	if (!speedscope_rows_frame(&scope->rows, event->site, &point.frame))
		return no_memory(err);
	track->open[track->depth++] = point.frame;
	return speedscope_rows_add(&scope->rows, &point, err);
}

static enum ctp_status add_end(struct speedscope *scope,
	struct speedscope_track *track, const struct event *event,
	struct ctp_error *err)
{
	struct speedscope_point point = {.row = {event->track, ROW_RANGES}};

	if (track->depth == 0) {
		scope->trace->losses[LOSS_STRAY_ENDS]++;
		return CTP_OK;
	}
	point.kind = POINT_CLOSE;
	point.time_ns = in_order(scope, track, event->time_ns);
	point.frame = track->open[--track->depth];
	return speedscope_rows_add(&scope->rows, &point, err);
}

static enum ctp_status add_slice(struct speedscope *scope,
	struct speedscope_track *track, const struct event *event,
	struct ctp_error *err)
{
	struct speedscope_point point = {.row = {event->track, 0},
		.kind = POINT_SLICE,
		.time_ns = event->time_ns,
		.end_ns = INT64_MAX};
	uint32_t category = scope->trace->sites[event->site].category;
	/* The host's time, as waits for it, would not nest with the rest. */
	bool host = scope->trace->tracks[event->track].kind == TRACE_STREAM &&
		    (category == scope->wait_category ||
			    category == scope->overhead_category);
	struct lanes **lanes = host ? &track->host : &track->slices;
	uint32_t lane;

	if (*lanes == NULL)
		*lanes = lanes_new();
	if (*lanes == NULL)
		return no_memory(err);
	lane = lanes_place(*lanes, event->time_ns, event->dur_ns);
	if (lane == LANES_NONE ||
		!speedscope_rows_frame(&scope->rows, event->site, &point.frame))
		return no_memory(err);
	if (lane > 0)
		scope->trace->losses[LOSS_OVERLAPS]++;
	point.row.lane = host ? ROW_HOST + (int32_t)lane : (int32_t)lane;
	if (event->dur_ns < (uint64_t)INT64_MAX - (uint64_t)event->time_ns)
		point.end_ns =
			(int64_t)((uint64_t)event->time_ns + event->dur_ns);
	return speedscope_rows_add(&scope->rows, &point, err);
}

static enum ctp_status add(struct timeline_writer *writer,
	const struct event *event, struct ctp_error *err)
{
	struct speedscope *scope = (struct speedscope *)writer;
	struct speedscope_track *track = find_track(scope, event->track);

	if (track == NULL)
		return no_memory(err);
	switch (event->kind) {
	case EVENT_BEGIN:
		return add_begin(scope, track, event, err);
	case EVENT_END:
		return add_end(scope, track, event, err);
	case EVENT_COMPLETE:
	case EVENT_ACTIVITY:
		return add_slice(scope, track, event, err);
	case EVENT_ARGS:
	case EVENT_CORRELATION:
	case EVENT_WHOLE:
		/* What belongs to a frame, and not to one call of it; and what
		 * does not nest. */
		return CTP_OK;
	default:
		scope->trace->losses[LOSS_NOT_SHOWN]++;
		return CTP_OK;
	}
}

static enum ctp_status cut_ranges(
	struct speedscope *scope, uint32_t number, struct ctp_error *err)
{
	struct speedscope_track *track = scope->tracks[number];
	const struct event end = {.kind = EVENT_END,
		.track = number,
		.time_ns = trace_track_end(scope->trace, number)};
	enum ctp_status status = CTP_OK;

	while (track != NULL && track->depth > 0 && status == CTP_OK) {
		uint64_t backward = scope->trace->losses[LOSS_BACKWARD_TIMES];

		scope->trace->losses[LOSS_OPEN_RANGES]++;
		status = add_end(scope, track, &end, err);
		/* The end need not be known. */
		scope->trace->losses[LOSS_BACKWARD_TIMES] = backward;
	}
	return status;
}

static enum ctp_status finish(
	struct timeline_writer *writer, struct ctp_error *err)
{
	struct speedscope *scope = (struct speedscope *)writer;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < scope->count && status == CTP_OK; i++)
		status = cut_ranges(scope, i, err);
	if (status == CTP_OK)
		status = speedscope_rows_write(
			&scope->rows, scope->out, scope->title, err);
	return status;
}

static uint64_t pending(const struct timeline_writer *writer)
{
	const struct speedscope *scope = (const struct speedscope *)writer;

	return scope->rows.point_count * POINT_BYTES;
}

static void free_writer(struct timeline_writer *writer)
{
	struct speedscope *scope = (struct speedscope *)writer;

	if (scope == NULL)
		return;
	for (uint32_t i = 0; i < scope->count; i++) {
		if (scope->tracks[i] == NULL)
			continue;
		lanes_free(scope->tracks[i]->slices);
		lanes_free(scope->tracks[i]->host);
		memory_free(scope->tracks[i]->open);
		memory_free(scope->tracks[i]);
	}
	memory_free(scope->tracks);
	speedscope_rows_clear(&scope->rows);
	memory_free(scope);
}

static bool add_text(struct trace *trace, const char *text, uint32_t *number)
{
	*number = strtab_add(trace->text, text, strlen(text));
	return *number != STRTAB_NONE;
}

static bool init(struct speedscope *scope)
{
	return speedscope_rows_init(&scope->rows, scope->trace) &&
	       add_text(scope->trace, "cuda_sync", &scope->wait_category) &&
	       add_text(scope->trace, "overhead", &scope->overhead_category);
}

enum ctp_status speedscope_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	struct speedscope *scope = memory_new_zeroed(1, sizeof(*scope));

	if (scope != NULL) {
		scope->writer = (struct timeline_writer){

			.add = add,
			.finish = finish,
			.free = free_writer,
			.pending = pending,
		};
		scope->out = out;
		scope->trace = trace;
		trace->no_args = true;
		scope->title = options == NULL ? NULL : options->title;
	}
	if (scope == NULL || !init(scope)) {
		if (scope != NULL)
			free_writer(&scope->writer);
		return no_memory(err);
	}
	*writer = &scope->writer;
	return CTP_OK;
}
