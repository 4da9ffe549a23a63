/* SPDX-License-Identifier: MIT */
#include "timeline/timeline.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "json/json.h"

static enum ctp_status failure(
	const struct timeline *timeline, struct ctp_error *err)
{
	return timeline->status == CTP_OK ? ctp_no_memory(err)
					  : timeline->status;
}

bool timeline_check(struct timeline *timeline, enum ctp_status status)
{
	timeline->status = status;
	return status == CTP_OK;
}

static void begin_file(struct timeline *timeline, int64_t first_ns)
{
	if (!timeline->begun && timeline->form->begin_file != NULL)
		timeline->form->begin_file(timeline, first_ns);
	timeline->begun = true;
}

struct timeline_track *timeline_open_track(
	struct timeline *timeline, uint32_t number)
{
	const struct timeline_form *form = timeline->form;
	struct timeline_track *track;

	assert(number < timeline->trace->track_count);
	if (!array_ensure_index(&timeline->tracks, number,
		    &timeline->track_count, sizeof(*timeline->tracks)))
		return NULL;
	if (timeline->tracks[number] != NULL)
		return timeline->tracks[number];
	track = memory_new_zeroed(1, form->track_bytes);
	if (track == NULL)
		return NULL;
	timeline->tracks[number] = track;
	track->number = number;
	track->last_ns = INT64_MIN;
	return form->open_track == NULL || form->open_track(timeline, track)
		       ? track
		       : NULL;
}

void timeline_open_ranges(struct timeline *timeline,
	struct timeline_track *track, int64_t first_ns)
{
	if (!track->has_ranges && !timeline->form->keeps_times)
		track->epoch_ns = trace_track_epoch(
			timeline->trace, track->number, first_ns);
	track->has_ranges = true;
}

/* Passes on a begin or an end, its time corrected if it went backwards. */
static bool add_in_order(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	int64_t time_ns = timeline_time(track, event->time_ns);
	struct event adjusted;

	if (time_ns < track->last_ns) {
		trace_lose(timeline->trace, LOSS_BACKWARD_TIMES, 1);
		time_ns = track->last_ns;
	}
	track->last_ns = time_ns;
	if (time_ns != event->time_ns) {
		adjusted = *event;
		adjusted.time_ns = time_ns;
		event = &adjusted;
	}
	return timeline->form->add[event->kind](timeline, track, event);
}

static bool add_begin(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	timeline_open_ranges(timeline, track, event->time_ns);
	return array_ensure_index(&track->frames, track->depth,
		       &track->frame_room, timeline->form->frame_bytes) &&
	       add_in_order(timeline, track, event);
}

/* Adds an event of a kind that the format shows. */
static bool add_shown(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
		return add_begin(timeline, track, event);
	case EVENT_END:
		if (track->depth > 0)
			return add_in_order(timeline, track, event);
		trace_lose(timeline->trace, LOSS_STRAY_ENDS, 1);
		return true;
	case EVENT_ARGS:
	case EVENT_CORRELATION:
		if (track->depth > 0)
			break;
		trace_lose(timeline->trace, LOSS_NOT_SHOWN, 1);
		return true;
	default:
		break;
	}
	return timeline->form->add[event->kind](timeline, track, event);
}

static enum ctp_status add(struct timeline_writer *writer,
	const struct event *event, struct ctp_error *err)
{
	struct timeline *timeline = (struct timeline *)writer;
	struct timeline_track *track;

	timeline->err = err;
	if (!timeline->begun)
		begin_file(timeline, event->time_ns);
	if (timeline->form->add[event->kind] == NULL) {
		if ((timeline->form->skipped >> event->kind & 1) == 0)
			trace_lose(timeline->trace, LOSS_NOT_SHOWN, 1);
		return CTP_OK;
	}
	track = timeline_find_track(timeline, event->track);
	if (track == NULL || !add_shown(timeline, track, event) ||
		(timeline->failed != NULL && *timeline->failed))
		return failure(timeline, err);
	return CTP_OK;
}

static bool finish_track(
	struct timeline *timeline, struct timeline_track *track)
{
	const struct timeline_form *form = timeline->form;
	struct event end = {.kind = EVENT_END,
		.track = track->number,
		.site = TRACE_NONE,
		.time_ns = timeline_time(track,
			trace_track_end(timeline->trace, track->number))};

	if (end.time_ns < track->last_ns)
		end.time_ns = track->last_ns;
	if (form->finish_track != NULL && !form->finish_track(timeline, track))
		return false;
	while (track->depth > 0) {
		trace_lose(timeline->trace, LOSS_OPEN_RANGES, 1);
		if ((form->mark_open != NULL &&
			    !form->mark_open(timeline, track)) ||
			!form->add[EVENT_END](timeline, track, &end))
			return false;
	}
	return true;
}

static enum ctp_status finish(
	struct timeline_writer *writer, struct ctp_error *err)
{
	struct timeline *timeline = (struct timeline *)writer;
	bool done = true;

	timeline->err = err;
	begin_file(timeline, 0);
	for (uint32_t i = 0; i < timeline->track_count && done; i++)
		done = timeline->tracks[i] == NULL ||
		       finish_track(timeline, timeline->tracks[i]);
	done = done && timeline->form->finish(timeline);
	return done ? CTP_OK : failure(timeline, err);
}

static void free_track(
	const struct timeline_form *form, struct timeline_track *track)
{
	if (track == NULL)
		return;
	for (uint32_t i = 0; i < track->frame_room; i++)
		if (form->clear_frame != NULL)
			form->clear_frame(
				(char *)track->frames + i * form->frame_bytes);
	if (form->clear_track != NULL)
		form->clear_track(track);
	for (size_t i = 0; i < sizeof(track->lanes) / sizeof(track->lanes[0]);
		i++)
		lanes_free(track->lanes[i]);
	memory_free(track->frames);
	memory_free(track);
}

static void timeline_free(struct timeline_writer *writer)
{
	struct timeline *timeline = (struct timeline *)writer;

	if (timeline == NULL)
		return;
	for (uint32_t i = 0; i < timeline->track_count; i++)
		free_track(timeline->form, timeline->tracks[i]);
	timeline->form->clear(timeline);
	memory_free(timeline->tracks);
	correlation_free(timeline->causes);
	strtab_free(timeline->holders);
	memory_free(timeline->held);
	memory_free(timeline);
}

/* Adds only the words that the form needs, because texts are numbered, and some
 * outputs have the numbers. */
static bool add_words(struct timeline *timeline)
{
	static const char *const texts[TIMELINE_WORDS] = {
		[WORD_KERNEL] = "kernel",
		[WORD_COPY] = "gpu_memcpy",
		[WORD_SET] = "gpu_memset",
		[WORD_MEMORY] = "[memory]",
		[WORD_WAIT] = "cuda_sync",
		[WORD_OVERHEAD] = "overhead",
		[WORD_CAUSE] = "ac2g",
	};

	for (int i = 0; i < TIMELINE_WORDS; i++)
		if ((timeline->form->words >> i & 1) != 0 &&
			(timeline->words[i] = strtab_add(timeline->trace->text,
				 texts[i], strlen(texts[i]))) == STRTAB_NONE)
			return false;
	return true;
}

static bool init(struct timeline *timeline)
{
	timeline->causes = correlation_new(CORRELATION_LIMIT);
	timeline->holders = strtab_new();
	/* Initializes all of the format, so that all can be cleared. */
	return timeline->form->init(timeline) && timeline->causes != NULL &&
	       timeline->holders != NULL && add_words(timeline);
}

enum ctp_status timeline_new(const struct timeline_form *form, FILE *out,
	struct trace *trace, const struct format_options *options,
	struct timeline_writer **writer, struct ctp_error *err)
{
	struct timeline *timeline = memory_new_zeroed(1, form->bytes);
	enum ctp_status status;

	if (timeline == NULL)
		return ctp_no_memory(err);
	timeline->writer = (struct timeline_writer){.add = add,
		.finish = finish,
		.free = timeline_free,
		.pending = form->pending};
	timeline->form = form;
	timeline->out = out;
	timeline->trace = trace;
	timeline->err = err;
	if (options != NULL)
		timeline->options = *options;
	if (!init(timeline)) {
		status = failure(timeline, err);
		timeline_free(&timeline->writer);
		return status;
	}
	*writer = &timeline->writer;
	return CTP_OK;
}

bool timeline_place(struct timeline *timeline, struct timeline_track *track,
	const struct event *slice, int32_t first, int32_t *lane)
{
	struct lanes **lanes = &track->lanes[first / LANES_MAX];
	uint32_t number;

	if (*lanes == NULL)
		*lanes = lanes_new(timeline->form->keeps_apart);
	if (*lanes == NULL)
		return false;
	number = lanes_place(*lanes, slice->time_ns, slice->dur_ns);
	*lane = first + (int32_t)number;
	return number != LANES_NONE;
}

bool timeline_place_slice(struct timeline *timeline,
	struct timeline_track *track, const struct event *slice, int32_t first,
	int32_t *lane)
{
	if (!timeline_place(timeline, track, slice, first, lane))
		return false;
	if (*lane > first)
		trace_lose(timeline->trace, LOSS_OVERLAPS, 1);
	return true;
}

bool timeline_is_overhead(
	const struct timeline *timeline, const struct event *event)
{
	return timeline->trace->sites[event->site].category ==
	       timeline->words[WORD_OVERHEAD];
}

bool timeline_is_host(
	const struct timeline *timeline, const struct event *event)
{
	const struct trace *trace = timeline->trace;

	return trace->tracks[event->track].kind == TRACE_STREAM &&
	       (timeline_is_overhead(timeline, event) ||
		       trace->sites[event->site].category ==
			       timeline->words[WORD_WAIT]);
}

bool timeline_add_cause(
	struct timeline *timeline, const struct event *event, uint64_t value)
{
	return correlation_add(timeline->causes,
		timeline->trace->tracks[event->track].pid, event->id, value);
}

bool timeline_find_cause(
	struct timeline *timeline, const struct event *event, uint64_t *value)
{
	const struct trace_track *track =
		&timeline->trace->tracks[event->track];
	bool is_known = correlation_find(
		timeline->causes, track->pid, event->id, value);

	/* Driver overhead may belong to any call, even an unrecorded one. */
	if (track->kind == TRACE_STREAM && event->id != 0 && !is_known &&
		!timeline_is_overhead(timeline, event))
		trace_lose(timeline->trace, LOSS_UNMATCHED, 1);
	return is_known;
}

bool timeline_hold(struct timeline *timeline, const struct event *event,
	int64_t pid, uint64_t *total)
{
	const int64_t key[2] = {pid, event->device};
	uint32_t number =
		strtab_add(timeline->holders, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE ||
		!array_ensure_index(&timeline->held, number,
			&timeline->held_room, sizeof(*timeline->held)))
		return false;
	timeline->held[number] +=
		event->kind == EVENT_FREE ? -event->bytes : event->bytes;
	*total = timeline->held[number];
	return true;
}

void timeline_held_name(char name[TIMELINE_HELD_NAME_MAX], int32_t device)
{
	char *at = stpcpy(name, "Total Allocated (");

	at = stpcpy(at, device < 0 ? "host" : "device ");
	if (device >= 0)
		at = json_put_int(at, device);
	(void)stpcpy(at, ")");
}
