/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_replay.h"

#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"
#include "chrome_read/chrome_read_args.h"

void chrome_read_replay_clear(struct chrome_read_replay *replay)
{
	deferred_calls_clear(&replay->deferred);
	slice_stacks_clear(&replay->stacks);
	memory_free(replay->event_args);
}

static int64_t end_of(const struct chrome_read_record *record)
{
	int64_t end_ns;

	return __builtin_add_overflow(record->time_ns, record->dur_ns, &end_ns)
		       ? INT64_MAX
		       : end_ns;
}

/* The next in order of time among the records read and the deferred calls. */
static enum ctp_status next_item(struct chrome_read_replay *replay,
	struct extsort_record *item, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!replay->has_item && replay->deferred.count == 0)
		return extsort_next(replay->records, item, err);
	if (!replay->has_item)
		status = extsort_next(replay->records, &replay->item, err);
	if (status != CTP_OK && status != CTP_END)
		return status;
	replay->has_item = status == CTP_OK;
	if (!replay->has_item ||
		deferred_calls_is_due(&replay->deferred, replay->item.time_ns,
			replay->item.rank)) {
		*item = deferred_calls_pop(&replay->deferred);
		return CTP_OK;
	}
	*item = replay->item;
	replay->has_item = false;
	return status;
}

static enum ctp_status next_record(
	struct chrome_read_replay *replay, struct ctp_error *err)
{
	struct extsort_record item;
	enum ctp_status status = next_item(replay, &item, err);
	size_t args_size;

	if (status != CTP_OK)
		return status;
	replay->record_args = chrome_read_record_unpack(
		&replay->record, item.bytes, item.time_ns);
	args_size = item.size -
		    (size_t)(replay->record_args - (const uint8_t *)item.bytes);
	replay->record_size = sizeof(replay->record) + args_size;
	replay->record_rank = item.rank;
	replay->args_taken = 0;
	replay->has_record = true;
	if (replay->record.kind == CHROME_READ_ACTIVITY) {
		replay->record.track =
			chrome_read_streams_track(replay->streams,
				replay->record.track, replay->record.id);
		if (replay->record.track == TRACE_NONE)
			return ctp_no_memory(err);
	}
	if (!slice_stacks_ensure_track(&replay->stacks, replay->record.track))
		return ctp_no_memory(err);
	return CTP_OK;
}

/* Adds the event's stack as an argument. */
static bool add_stack(struct chrome_read_replay *replay, struct event *event)
{
	struct event_arg *arg = &replay->event_args[event->arg_count];

	if (!chrome_read_frames_write(replay->frames, replay->record.frame))
		return false;
	if (replay->frames->text.used == 0)
		return true;
	arg->kind = ARG_TEXT;
	arg->key = strtab_add(replay->trace->text, "stack", 5);
	arg->value.text.bytes = (const char *)replay->frames->text.bytes;
	arg->value.text.size = replay->frames->text.used;
	event->arg_count++;
	return arg->key != STRTAB_NONE;
}

/* Gives the event the record's arguments; false if out of memory. */
static bool set_args(struct chrome_read_replay *replay, struct event *event)
{
	const uint8_t *at = replay->record_args;
	uint32_t count = replay->record.arg_count;

	if (count + 1 > replay->event_args_room) {
		uint32_t room = 2 * count + 16;
		struct event_arg *more = memory_resize_array(
			replay->event_args, room, sizeof(*more));

		if (more == NULL)
			return false;
		replay->event_args = more;
		replay->event_args_room = room;
	}
	for (uint32_t i = 0; i < count; i++)
		replay->event_args[i] = chrome_read_args_next(&at);
	event->args = replay->event_args;
	event->arg_count = count;
	return replay->record.frame == 0 || add_stack(replay, event);
}

/* Sets an event's time and place from the record. Writes it in place: copying a
 * struct right after its parts were stored stalls the processor. */
static void make_event(struct event *event,
	const struct chrome_read_record *record, enum event_kind kind)
{
	event->kind = kind;
	event->track = record->track;
	event->site = record->site;
	event->time_ns = record->time_ns;
	event->dur_ns = 0;
	event->shift_ns = 0;
	event->id = 0;
	event->bytes = 0;
	event->device = -1;
	event->flow = FLOW_START;
	event->arg_count = 0;
	event->args = NULL;
}

static enum ctp_status finish(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	replay->has_record = false;
	return set_args(replay, event) ? CTP_OK : ctp_no_memory(err);
}

/* The id by which activities refer to the slice that begins. */
static uint64_t id_of(struct chrome_read_replay *replay)
{
	const struct chrome_read_record *record = &replay->record;

	if (record->class == CHROME_READ_API)
		return chrome_correlation_call(replay->correlation, record->id);
	if (record->class == CHROME_READ_OP)
		return chrome_correlation_op(
			replay->correlation, record->external);
	return 0;
}

/* Is it the last slice of a range that ends at its time? Slices that begin at
 * that time come after. */
static bool is_ending(const struct chrome_read_replay *replay)
{
	return replay->record_rank >= CHROME_READ_RANK_ENDING &&
	       replay->record_rank < CHROME_READ_RANK_SLICES;
}

/* Its position in the file, if it is empty and sorted by that. */
static uint64_t order_of(const struct chrome_read_replay *replay)
{
	bool is_empty = replay->record.kind == CHROME_READ_SLICE &&
			replay->record.dur_ns == 0 &&
			(replay->producer->is_own ||
				replay->record_rank >= CHROME_READ_RANK_EMPTY);

	return is_empty || is_ending(replay) ? replay->record.order
					     : SLICE_STACK_NO_ORDER;
}

/* The position of the slice's end. An empty X contains all others of its time,
 * except API calls, which make no calls, and in our own files, where we would
 * have written B and E. */
static uint64_t end_order_of(const struct chrome_read_replay *replay)
{
	const struct chrome_read_record *record = &replay->record;

	if (record->after != 0 &&
		(record->dur_ns > 0 ||
			order_of(replay) != SLICE_STACK_NO_ORDER))
		return chrome_read_record_end(record);
	if (record->dur_ns > 0 || record->class == CHROME_READ_API ||
		replay->producer->is_own || is_ending(replay))
		return 0;
	return SLICE_STACK_MOMENT;
}

static struct chrome_read_slice slice_of(
	const struct chrome_read_replay *replay)
{
	const struct chrome_read_record *record = &replay->record;

	return (struct chrome_read_slice){.start_ns = record->time_ns,
		.end_ns = end_of(record),
		.end_order = end_order_of(replay),
		.call = record->class == CHROME_READ_PYTHON,
		.cut = record->deferred_ns > 0};
}

/* Does the file mark it as outside the nesting, as we do for overlapping
 * slices? */
static bool is_apart(const struct chrome_read_record *record)
{
	return record->event == EVENT_COMPLETE;
}

/* Are Python calls clipped to make room for it? JAX's ranges have no
 * category. */
static bool is_range(const struct chrome_read_replay *replay)
{
	const struct chrome_read_record *record = &replay->record;

	return record->kind == CHROME_READ_SLICE && !is_apart(record) &&
	       (record->class == CHROME_READ_OP ||
		       (record->class == CHROME_READ_PLAIN &&
			       replay->trace->sites[record->site].category ==
				       0));
}

/* Ends one of the calls that the current range outlives, if any. */
static bool cut_call(struct chrome_read_replay *replay, struct event *event)
{
	const struct chrome_read_record *record = &replay->record;
	struct chrome_read_slice range = slice_of(replay);

	return is_range(replay) &&
	       slice_stacks_cut(&replay->stacks, record->track, &range, event);
}

/* Is the current call deferred, and until when? A call is deferred if it
 * outlives ranges that it begins in. */
static bool is_deferred(const struct chrome_read_replay *replay,
	const struct chrome_read_slice *call, int64_t *until_ns)
{
	return call->call && !is_apart(&replay->record) &&
	       deferred_calls_has_room(
		       &replay->deferred, replay->record_size) &&
	       slice_stacks_outlives(
		       &replay->stacks, replay->record.track, call, until_ns);
}

/* Defers the call until these ranges have ended, before other slices; its
 * unclipped form is emitted now. CTP_END: it was emitted before. */
static enum ctp_status defer(struct chrome_read_replay *replay,
	int64_t until_ns, struct event *event, struct ctp_error *err)
{
	struct chrome_read_record *record = &replay->record;
	uint64_t deferred_ns = (uint64_t)until_ns - (uint64_t)record->time_ns;
	struct extsort_record item = {
		until_ns, CHROME_READ_RANK_SLICES, NULL, replay->record_size};
	uint8_t *copy = deferred_calls_add(&replay->deferred, &item);
	bool is_first = record->deferred_ns == 0;

	if (copy == NULL)
		return ctp_no_memory(err);
	make_event(event, record, EVENT_UNCLIPPED_CALL);
	event->dur_ns = record->dur_ns;
	record->deferred_ns += deferred_ns;
	record->time_ns = until_ns;
	record->dur_ns -= deferred_ns;
	memcpy(copy, record, sizeof(*record));
	memcpy(copy + sizeof(*record), replay->record_args,
		item.size - sizeof(*record));
	replay->has_record = false;
	if (!is_first)
		return CTP_END;
	trace_lose(replay->trace, LOSS_CUT_CALLS, 1);
	return set_args(replay, event) ? CTP_OK : ctp_no_memory(err);
}

/* Is it the span of the whole recording? */
static bool is_span(const struct chrome_read_replay *replay)
{
	return replay->record.class == CHROME_READ_SPAN &&
	       trace_site_is_span(replay->trace, replay->record.site);
}

/* Makes the slice nest if it overlaps only by rounding. Returns whether this
 * ends another slice first. */
static bool round_slice(struct chrome_read_replay *replay,
	struct chrome_read_slice *slice, struct event *event)
{
	return !slice->cut && !is_apart(&replay->record) && !is_span(replay) &&
	       slice_stacks_round(
		       &replay->stacks, replay->record.track, slice, event);
}

/* Is the slice nested on its track? A deferred call must be, because it was
 * already emitted: it is clipped if necessary. */
static bool is_nested(
	struct chrome_read_replay *replay, struct chrome_read_slice *slice)
{
	const struct chrome_read_record *record = &replay->record;

	if (is_span(replay))
		return false;
	if (!is_apart(record) && !slice_stacks_overlaps(&replay->stacks,
					 record->track, slice->end_ns))
		return true;
	if (slice->cut) {
		slice->end_ns =
			slice_stacks_limit(&replay->stacks, record->track);
		return true;
	}
	trace_lose(replay->trace, LOSS_OVERLAPS, 1);
	return false;
}

/* CTP_END: no event yet. */
static enum ctp_status open_slice(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	const struct chrome_read_record *record = &replay->record;
	struct chrome_read_slice slice = slice_of(replay);
	int64_t until_ns;

	if (is_deferred(replay, &slice, &until_ns))
		return defer(replay, until_ns, event, err);
	if (round_slice(replay, &slice, event))
		return CTP_OK;
	if (!is_nested(replay, &slice)) {
		make_event(event, record, EVENT_COMPLETE);
		event->dur_ns = record->dur_ns;
	} else {
		make_event(event, record, EVENT_BEGIN);
		event->shift_ns = record->deferred_ns;
		if (!slice_stacks_open(&replay->stacks, record->track, &slice))
			return ctp_no_memory(err);
		replay->begun_id = id_of(replay);
	}
	return finish(replay, event, err);
}

static enum ctp_status open_range(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	const struct chrome_read_record *record = &replay->record;

	make_event(event, record, EVENT_BEGIN);
	if (!slice_stacks_open_range(
		    &replay->stacks, record->track, record->time_ns))
		return ctp_no_memory(err);
	replay->begun_id = id_of(replay);
	return finish(replay, event, err);
}

static enum ctp_status add_activity(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	const struct chrome_read_record *record = &replay->record;
	struct chrome_cause_ids cause = {record->id, record->external};

	make_event(event, record, EVENT_ACTIVITY);
	event->dur_ns = record->dur_ns;
	event->bytes = record->bytes;
	event->id = chrome_correlation_work(replay->correlation, cause);
	return finish(replay, event, err);
}

/* One event for each series; CTP_END: no more series. */
static enum ctp_status add_counter(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	make_event(event, &replay->record, EVENT_COUNTER);
	if (replay->args_taken == 0 && !set_args(replay, event))
		return ctp_no_memory(err);
	while (replay->args_taken < replay->record.arg_count) {
		const struct event_arg *arg =
			&replay->event_args[replay->args_taken++];

		if (arg->kind == ARG_INT || arg->kind == ARG_FLOAT) {
			event->args = arg;
			event->arg_count = 1;
			return CTP_OK;
		}
		trace_lose(replay->trace, LOSS_NOT_KEPT, 1);
	}
	replay->has_record = false;
	return CTP_END;
}

static enum ctp_status add_point(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	const struct chrome_read_record *record = &replay->record;

	make_event(event, record, (enum event_kind)record->event);
	if (event->kind != EVENT_INSTANT)
		event->id = record->id;
	event->flow = (enum event_flow)record->flow;
	return finish(replay, event, err);
}

/* The next event of the current record; CTP_END: none left. */
static enum ctp_status make_next(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	const struct chrome_read_record *record = &replay->record;

	if (slice_stacks_pop(&replay->stacks, record->track, record->time_ns,
		    order_of(replay), event) ||
		cut_call(replay, event))
		return CTP_OK;
	switch ((enum chrome_read_record_kind)record->kind) {
	case CHROME_READ_BEGIN:
		return open_range(replay, event, err);
	case CHROME_READ_SLICE:
		return open_slice(replay, event, err);
	case CHROME_READ_ACTIVITY:
		return add_activity(replay, event, err);
	case CHROME_READ_COUNTERS:
		return add_counter(replay, event, err);
	default:
		return add_point(replay, event, err);
	}
}

enum ctp_status chrome_read_replay_next(struct chrome_read_replay *replay,
	struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_END;

	if (replay->begun_id != 0) {
		make_event(event, &replay->record, EVENT_CORRELATION);
		event->site = TRACE_NONE;
		event->id = replay->begun_id;
		replay->begun_id = 0;
		return CTP_OK;
	}
	while (status == CTP_END) {
		if (!replay->has_record) {
			status = next_record(replay, err);
			if (status == CTP_END)
				return slice_stacks_flush(
					       &replay->stacks, event)
					       ? CTP_OK
					       : CTP_END;
			if (status != CTP_OK)
				return status;
		}
		status = make_next(replay, event, err);
	}
	return status;
}
