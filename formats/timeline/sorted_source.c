/* SPDX-License-Identifier: MIT */
#include "timeline/sorted_source.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "extsort/extsort.h"

/* Less than a Chrome trace's reader takes, which sorts as well. */
#define EXTSORT_BYTES ((size_t)8 << 20)

struct sorted_source_track {
	bool seen;
	int64_t epoch_ns;
	int64_t last_ns; /* of what is in order on a track */
};

struct sorted_source {
	struct event_source source; /* first: it is what callers hold */
	struct extsort *spill;
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
	struct sorted_source *order, uint32_t number)
{
	return memory_reach(&order->tracks, number, &order->track_room,
		       sizeof(*order->tracks))
		       ? &order->tracks[number]
		       : NULL;
}

static bool is_nested(enum event_kind kind)
{
	return kind == EVENT_BEGIN || kind == EVENT_END || kind == EVENT_ARGS ||
	       kind == EVENT_CORRELATION || kind == EVENT_FLOW;
}

/* The event's time in the order of all; false if out of memory. */
static bool set_time(struct sorted_source *order, struct event *event)
{
	struct sorted_source_track *track = find_track(order, event->track);

	if (track == NULL)
		return false;
	if (!track->seen) {
		track->epoch_ns = trace_track_epoch(
			order->source.trace, event->track, event->time_ns);
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
			trace_lose(order->source.trace, LOSS_BACKWARD_TIMES, 1);
		event->time_ns = track->last_ns;
	}
	track->last_ns = event->time_ns;
	return true;
}

static bool has_text(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON;
}

/* The event, its arguments, and their text. */
static bool pack(struct sorted_source *order, const struct event *event)
{
	struct buffer *bytes = &order->bytes;

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
	struct sorted_source *order, const void *bytes, struct event *event)
{
	const char *text = bytes;
	uint32_t count;

	memcpy(event, bytes, sizeof(*event));
	count = event->arg_count;
	text += sizeof(*event);
	if (!memory_reach(&order->args, count, &order->arg_room,
		    sizeof(*order->args)))
		return CTP_ERR_NOMEM;
	if (count > 0)
		memcpy(order->args, text, count * sizeof(*order->args));
	text += count * sizeof(*order->args);
	for (uint32_t i = 0; i < count; i++) {
		if (!has_text(&order->args[i]))
			continue;
		order->args[i].value.text.bytes = text;
		text += order->args[i].value.text.size;
	}
	event->args = order->args;
	return CTP_OK;
}

static enum ctp_status add_event(struct sorted_source *order,
	struct event *event, const struct sorted_source_watch *watch,
	struct ctp_error *err)
{
	struct extsort_record record;

	if (!set_time(order, event) || !pack(order, event) ||
		(watch != NULL && !watch->see(watch->user, event)))
		return ctp_no_memory(err);
	if (!order->has_start || event->time_ns < order->start_ns) {
		order->has_start = true;
		order->start_ns = event->time_ns;
	}
	record = (struct extsort_record){
		event->time_ns, 0, order->bytes.bytes, order->bytes.used};
	return extsort_add(order->spill, &record, err);
}

/* Tracks that have changed their clock end by that, and none before its last
 * event, though a damaged log may have it so. */
static void move_ends(struct sorted_source *order)
{
	struct trace *trace = order->source.trace;

	for (uint32_t i = 0; i < order->track_room; i++) {
		const struct sorted_source_track *track = &order->tracks[i];
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

enum ctp_status sorted_source_read(struct sorted_source *order,
	const struct sorted_source_watch *watch, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint64_t count = 1; status == CTP_OK; count++) {
		struct event event;

		status = order->source.inner->next(
			order->source.inner, &event, err);
		if (status == CTP_OK)
			status = add_event(order, &event, watch, err);
		read_request_progress(&order->source.trace->request, count);
	}
	if (status != CTP_END)
		return status;
	move_ends(order);
	order->is_read = true;
	return extsort_sort(order->spill, err);
}

bool sorted_source_start(const struct sorted_source *order, int64_t *start_ns)
{
	*start_ns = order->start_ns;
	return order->has_start;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct sorted_source *order = (struct sorted_source *)source;
	struct extsort_record record;
	enum ctp_status status = CTP_OK;

	if (!order->is_read)
		status = sorted_source_read(order, NULL, err);
	if (status == CTP_OK)
		status = extsort_next(order->spill, &record, err);
	if (status != CTP_OK)
		return status;
	if (unpack(order, record.bytes, event) != CTP_OK)
		return ctp_no_memory(err);
	return CTP_OK;
}

static void close_order(struct event_source *source)
{
	struct sorted_source *order = (struct sorted_source *)source;

	extsort_free(order->spill);
	memory_free(order->tracks);
	memory_free(order->args);
	buffer_clear(&order->bytes);
	order->source.inner->close(order->source.inner);
	memory_free(order);
}

enum ctp_status sorted_source_open(struct event_source *inner,
	struct sorted_source **out, struct ctp_error *err)
{
	struct sorted_source *order = memory_new_zeroed(1, sizeof(*order));

	if (order != NULL)
		order->spill = extsort_new(EXTSORT_BYTES);
	if (order == NULL || order->spill == NULL) {
		memory_free(order);
		return ctp_no_memory(err);
	}
	event_source_wrap(&order->source, inner, next, close_order);
	*out = order;
	return CTP_OK;
}

struct event_source *sorted_source_events(struct sorted_source *order)
{
	return &order->source;
}
