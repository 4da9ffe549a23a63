/* SPDX-License-Identifier: MIT */
#include "timeline/sorted_source.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "extsort/extsort.h"

/* Less than the Chrome trace reader needs, which sorts as well. */
#define EXTSORT_BYTES ((size_t)8 << 20)

struct sorted_source_track {
	bool seen;
	int64_t epoch_ns;
	int64_t last_ns; /* of a track's ordered events */
};

struct sorted_source {
	struct event_source source; /* first: callers hold a pointer to it */
	struct extsort *records;
	struct sorted_source_track *tracks;
	uint32_t track_room;
	struct buffer bytes;
	struct event_arg *args;
	uint32_t arg_room;
	bool is_read;
	bool has_start;
	int64_t start_ns;
};

static struct sorted_source_track *find_track(
	struct sorted_source *sorted, uint32_t number)
{
	return array_ensure_index(&sorted->tracks, number, &sorted->track_room,
		       sizeof(*sorted->tracks))
		       ? &sorted->tracks[number]
		       : NULL;
}

static bool is_nested(enum event_kind kind)
{
	return kind == EVENT_BEGIN || kind == EVENT_END || kind == EVENT_ARGS ||
	       kind == EVENT_CORRELATION || kind == EVENT_FLOW;
}

/* Sets the event's time in the common order; false if out of memory. */
static bool set_time(struct sorted_source *sorted, struct event *event)
{
	struct sorted_source_track *track = find_track(sorted, event->track);

	if (track == NULL)
		return false;
	if (!track->seen) {
		track->epoch_ns = trace_track_epoch(
			sorted->source.trace, event->track, event->time_ns);
		track->last_ns = INT64_MIN;
		track->seen = true;
	}
	if (__builtin_sub_overflow(
		    event->time_ns, track->epoch_ns, &event->time_ns))
		event->time_ns = INT64_MIN;
	if (!is_nested(event->kind))
		return true;
	if (event->time_ns < track->last_ns) {
		if (event->kind == EVENT_BEGIN || event->kind == EVENT_END)
			trace_lose(
				sorted->source.trace, LOSS_BACKWARD_TIMES, 1);
		event->time_ns = track->last_ns;
	}
	track->last_ns = event->time_ns;
	return true;
}

static bool has_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

/* Packs the event, its arguments, and their text. */
static bool pack(struct sorted_source *sorted, const struct event *event)
{
	struct buffer *bytes = &sorted->bytes;

	bytes->used = 0;
	buffer_add(bytes, event, sizeof(*event));
	if (event->arg_count > 0)
		buffer_add(bytes, event->args,
			event->arg_count * sizeof(*event->args));
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (has_text(&event->args[i]))
			buffer_add(bytes, event->args[i].value.text.bytes,
				event->args[i].value.text.size);
	return !bytes->failed;
}

static enum ctp_status unpack(
	struct sorted_source *sorted, const void *bytes, struct event *event)
{
	const char *text = bytes;
	uint32_t count;

	memcpy(event, bytes, sizeof(*event));
	count = event->arg_count;
	text += sizeof(*event);
	if (!array_ensure_index(&sorted->args, count, &sorted->arg_room,
		    sizeof(*sorted->args)))
		return CTP_ERR_NOMEM;
	if (count > 0)
		memcpy(sorted->args, text, count * sizeof(*sorted->args));
	text += count * sizeof(*sorted->args);
	for (uint32_t i = 0; i < count; i++) {
		if (!has_text(&sorted->args[i]))
			continue;
		sorted->args[i].value.text.bytes = text;
		text += sorted->args[i].value.text.size;
	}
	event->args = sorted->args;
	return CTP_OK;
}

static enum ctp_status add_event(struct sorted_source *sorted,
	struct event *event, const struct sorted_source_watch *watch,
	struct ctp_error *err)
{
	struct extsort_record record;

	if (!set_time(sorted, event) || !pack(sorted, event) ||
		(watch != NULL && !watch->see(watch->user, event)))
		return ctp_no_memory(err);
	if (!sorted->has_start || event->time_ns < sorted->start_ns) {
		sorted->has_start = true;
		sorted->start_ns = event->time_ns;
	}
	record = (struct extsort_record){
		event->time_ns, 0, sorted->bytes.bytes, sorted->bytes.used};
	return extsort_add(sorted->records, &record, err);
}

/* Converts the ends of tracks whose clock changed, and moves an end that
 * precedes the last event, as in a damaged log. */
static void move_ends(struct sorted_source *sorted)
{
	struct trace *trace = sorted->source.trace;

	for (uint32_t i = 0; i < sorted->track_room; i++) {
		const struct sorted_source_track *track = &sorted->tracks[i];
		int64_t end_ns;

		if (!track->seen ||
			(track->epoch_ns == 0 && !trace->tracks[i].has_end))
			continue;
		if (__builtin_sub_overflow(trace_track_end(trace, i),
			    track->epoch_ns, &end_ns) ||
			end_ns < track->last_ns)
			end_ns = track->last_ns;
		trace->tracks[i].has_end = true;
		trace->tracks[i].end_ns = end_ns;
	}
}

enum ctp_status sorted_source_read(struct sorted_source *sorted,
	const struct sorted_source_watch *watch, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint64_t count = 1; status == CTP_OK; count++) {
		struct event event;

		status = sorted->source.inner->next(
			sorted->source.inner, &event, err);
		if (status == CTP_OK)
			status = add_event(sorted, &event, watch, err);
		read_request_progress(&sorted->source.trace->request, count);
	}
	if (status != CTP_END)
		return status;
	move_ends(sorted);
	sorted->is_read = true;
	return extsort_sort(sorted->records, err);
}

bool sorted_source_start(const struct sorted_source *sorted, int64_t *start_ns)
{
	*start_ns = sorted->start_ns;
	return sorted->has_start;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct sorted_source *sorted = (struct sorted_source *)source;
	struct extsort_record record;
	enum ctp_status status = CTP_OK;

	if (!sorted->is_read)
		status = sorted_source_read(sorted, NULL, err);
	if (status == CTP_OK)
		status = extsort_next(sorted->records, &record, err);
	if (status != CTP_OK)
		return status;
	if (unpack(sorted, record.bytes, event) != CTP_OK)
		return ctp_no_memory(err);
	return CTP_OK;
}

static void close_order(struct event_source *source)
{
	struct sorted_source *sorted = (struct sorted_source *)source;

	extsort_free(sorted->records);
	memory_free(sorted->tracks);
	memory_free(sorted->args);
	buffer_clear(&sorted->bytes);
	sorted->source.inner->close(sorted->source.inner);
	memory_free(sorted);
}

enum ctp_status sorted_source_open(struct event_source *inner,
	struct sorted_source **out, struct ctp_error *err)
{
	struct sorted_source *sorted = memory_new_zeroed(1, sizeof(*sorted));

	if (sorted != NULL)
		sorted->records = extsort_new(EXTSORT_BYTES);
	if (sorted == NULL || sorted->records == NULL) {
		memory_free(sorted);
		return ctp_no_memory(err);
	}
	event_source_wrap(&sorted->source, inner, next, close_order);
	*out = sorted;
	return CTP_OK;
}

struct event_source *sorted_source_events(struct sorted_source *sorted)
{
	return &sorted->source;
}
