/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_events.h"

#include <string.h>

#include "json/json_value.h"
#include "base/stable_hash.h"
#include "base/strtab.h"

void chrome_read_events_clear(struct chrome_read_events *events)
{
	buffer_clear(&events->header.bytes);
}

static int64_t end_of(int64_t time_ns, uint64_t dur_ns)
{
	int64_t end_ns;

	return __builtin_add_overflow(time_ns, dur_ns, &end_ns) ? INT64_MAX
								: end_ns;
}

static void extend_time(
	struct chrome_read_events *events, int64_t from, int64_t to)
{
	struct trace *trace = events->trace;

	if (!events->has_time || from < trace->start_ns)
		trace->start_ns = from;
	if (!events->has_time || to > trace->end_ns)
		trace->end_ns = to;
	events->has_time = true;
}

/* Adds the record with its arguments to the sorter. */
static enum ctp_status add_record(struct chrome_read_events *events,
	struct chrome_read_record *record, int64_t key_ns, int64_t rank,
	struct ctp_error *err)
{
	struct buffer *args = &events->args->bytes;
	struct extsort_record item = {.time_ns = key_ns, .rank = rank};
	const uint8_t *from;

	extend_time(events, record->time_ns,
		end_of(record->time_ns, record->dur_ns));
	record->arg_count = events->args->count;
	from = chrome_read_record_pack(
		args->bytes + sizeof(*record), record, key_ns);
	item.bytes = from;
	item.size = args->used - (size_t)(from - args->bytes);
	return extsort_add(events->records, &item, err);
}

/* Adds the pending header, whose rank is now known. */
static enum ctp_status add_header(
	struct chrome_read_events *events, int64_t rank, struct ctp_error *err)
{
	struct chrome_read_header *header = &events->header;
	struct buffer *bytes = &header->bytes;
	struct extsort_record item = {
		.time_ns = header->record.time_ns, .rank = rank};
	const uint8_t *from;

	header->waits = false;
	extend_time(events, item.time_ns, item.time_ns);
	from = chrome_read_record_pack(bytes->bytes + sizeof(header->record),
		&header->record, item.time_ns);
	item.bytes = from;
	item.size = bytes->used - (size_t)(from - bytes->bytes);
	return extsort_add(events->records, &item, err);
}

enum ctp_status chrome_read_events_finish(
	struct chrome_read_events *events, struct ctp_error *err)
{
	return events->header.waits
		       ? add_header(events, events->header.rank, err)
		       : CTP_OK;
}

static int64_t known_arg(const struct chrome_read_events *events,
	enum chrome_read_known known, int64_t fallback)
{
	return (events->args->seen & CHROME_READ_WANT(known)) != 0
		       ? events->args->known[known]
		       : fallback;
}

/* 0 if the id is missing or negative. */
static uint64_t known_id(
	const struct chrome_read_events *events, enum chrome_read_known known)
{
	int64_t id = known_arg(events, known, 0);

	return id > 0 ? (uint64_t)id : 0;
}

/* Checks which of two consecutive slices in the file contains the other. This
 * shows the order in which the producer writes equal slices. */
static void compare_slices(struct chrome_read_events *events,
	struct chrome_read_row *row, const struct chrome_read_record *record)
{
	int64_t start_ns = record->time_ns;
	int64_t end_ns = end_of(start_ns, record->dur_ns);

	if (row->has_slice &&
		(start_ns != row->start_ns || end_ns != row->end_ns)) {
		if (start_ns <= row->start_ns && end_ns >= row->end_ns)
			events->producer->children_first++;
		else if (start_ns >= row->start_ns && end_ns <= row->end_ns)
			events->producer->parents_first++;
	}
	row->has_slice = true;
	row->start_ns = start_ns;
	row->end_ns = end_ns;
}

/* The default user of the devices is the process with the first API call, or
 * without one, the first op. */
static void record_process(struct chrome_read_events *events,
	const struct chrome_read_row *row, enum chrome_read_class class)
{
	if (class == CHROME_READ_API && !events->has_caller) {
		events->has_caller = true;
		events->process = row->process;
	} else if (class == CHROME_READ_OP && events->process == 0) {
		events->process = row->process;
	}
}

static bool is_u32(int64_t value)
{
	return value >= 0 && value <= (int64_t)UINT32_MAX;
}

/* Is it on a device's row? */
static bool is_device(
	const struct chrome_read_events *events, enum chrome_read_class class)
{
	uint32_t place = CHROME_READ_WANT(CHROME_READ_DEVICE) |
			 CHROME_READ_WANT(CHROME_READ_STREAM_ID);

	return class == CHROME_READ_ANNOTATION ||
	       class == CHROME_READ_ROW_WORK ||
	       ((class == CHROME_READ_WORK || class == CHROME_READ_WAIT) &&
		       (events->args->seen & place) != 0);
}

static enum ctp_status add_activity(struct chrome_read_events *events,
	const struct chrome_read_row *row, struct chrome_read_record *record,
	struct ctp_error *err)
{
	struct chrome_cause_ids cause = {
		known_id(events, CHROME_READ_CORRELATION),
		known_id(events, CHROME_READ_EXTERNAL_ID)};
	const struct chrome_read_process *process =
		chrome_read_rows_process(events->rows, row);
	struct chrome_read_place place = {row->process,
		known_arg(events, CHROME_READ_DEVICE,
			process->owner != 0 ? process->device : process->pid),
		known_arg(events, CHROME_READ_CONTEXT, 0),
		known_arg(events, CHROME_READ_STREAM_ID,
			row->has_stream ? row->stream : row->tid)};
	int64_t key_ns = record->time_ns;

	if (!is_u32(place.device))
		place.device = 0;
	if (!is_u32(place.context))
		place.context = 0;
	record->kind = CHROME_READ_ACTIVITY;
	if (record->class == CHROME_READ_ANNOTATION) {
		cause = (struct chrome_cause_ids){0, 0};
	} else {
		record->bytes = known_id(events, CHROME_READ_BYTES);
		key_ns = end_of(key_ns, record->dur_ns);
		if (!chrome_correlation_add_work(events->correlation, cause))
			return ctp_no_memory(err);
	}
	record->track = chrome_read_streams_add(
		events->streams, place, cause.correlation);
	if (record->track == STRTAB_NONE)
		return ctp_no_memory(err);
	record->id = cause.correlation;
	record->external = cause.external;
	return add_record(events, record, key_ns, (int64_t)events->count, err);
}

static bool add_call(struct chrome_read_events *events,
	const struct chrome_read_row *row, uint64_t correlation)
{
	return chrome_read_streams_add_call(events->streams, row->process,
		       correlation, &events->correlation->calls) &&
	       chrome_correlation_add_call(events->correlation, correlation);
}

/* Records the ids of the work that it caused; false if out of memory. */
static bool record_cause(struct chrome_read_events *events,
	const struct chrome_read_row *row, struct chrome_read_record *record)
{
	if (record->class == CHROME_READ_OP)
		record->external = known_id(events, CHROME_READ_EXTERNAL_ID);
	if (record->class != CHROME_READ_API)
		return true;
	record->id = known_id(events, CHROME_READ_CORRELATION);
	return record->id == 0 || add_call(events, row, record->id);
}

static int64_t common_unit(int64_t unit_ns, int64_t time_ns)
{
	while (unit_ns > 1 && time_ns % unit_ns != 0)
		unit_ns /= 10;
	return unit_ns;
}

/* Adds the slice to the evidence of how the producer nests slices and rounds
 * times. */
static void study_slice(struct chrome_read_events *events,
	struct chrome_read_row *row, const struct chrome_read_record *record)
{
	struct chrome_read_producer *producer = events->producer;

	producer->start_unit_ns =
		common_unit(producer->start_unit_ns, record->time_ns);
	producer->dur_unit_ns =
		common_unit(producer->dur_unit_ns, (int64_t)record->dur_ns);
	compare_slices(events, row, record);
}

static enum ctp_status add_slice(struct chrome_read_events *events,
	struct chrome_read_row *row, struct chrome_read_record *record,
	struct ctp_error *err)
{
	if (is_device(events, (enum chrome_read_class)record->class))
		return add_activity(events, row, record, err);
	record->kind = CHROME_READ_SLICE;
	record->event = row->is_apart ? EVENT_COMPLETE : EVENT_BEGIN;
	record->order = events->count;
	record->track = chrome_read_rows_track(events->rows, row);
	if (record->track == TRACE_NONE || !record_cause(events, row, record))
		return ctp_no_memory(err);
	study_slice(events, row, record);
	return add_record(events, record, record->time_ns,
		events->producer->is_own
			? CHROME_READ_RANK_OWN + (int64_t)record->order
			: chrome_read_record_rank(
				  record->dur_ns, CHROME_READ_RANK_NOT_PAIRED),
		err);
}

/* The value of an id, or the hash of one that is other text. */
static uint64_t read_id(
	const struct chrome_read_events *events, const struct json_token *token)
{
	const char *text = json_scan_text(events->scan, token);
	uint64_t id;

	if (token->kind != JSON_NUMBER && token->kind != JSON_STRING)
		return 0;
	return json_value_id(text, token->size, &id)
		       ? id
		       : stable_hash(text, token->size);
}

/* The id, unique in the file: ids local to a process, or with a scope other
 * than the name, are made distinct. */
static uint64_t full_id(const struct chrome_read_events *events,
	const struct chrome_read_row *row, const struct chrome_read_json *event)
{
	uint64_t parts[3] = {0};

	if (event->local_id.kind != CHROME_READ_JSON_NONE) {
		parts[0] = read_id(events, &event->local_id);
		parts[1] = row->process;
		return stable_hash(parts, sizeof(parts));
	}
	return read_id(events, &event->id);
}

/* A begin or an end. */
static enum ctp_status add_mark(struct chrome_read_events *events,
	struct chrome_read_row *row, struct chrome_read_record *record,
	struct ctp_error *err)
{
	events->has_ranges = true;
	record->order = events->count;
	record->track = chrome_read_rows_track(events->rows, row);
	if (record->track == TRACE_NONE || !record_cause(events, row, record))
		return ctp_no_memory(err);
	return add_record(events, record, record->time_ns,
		CHROME_READ_RANK_RANGES + (int64_t)record->order, err);
}

/* Holds a header until its end, which is the next event. */
static enum ctp_status begin_header(struct chrome_read_events *events,
	const struct chrome_read_record *record, struct ctp_error *err)
{
	struct chrome_read_header *header = &events->header;
	enum ctp_status status = chrome_read_events_finish(events, err);

	if (status != CTP_OK)
		return status;
	header->record = *record;
	header->record.arg_count = events->args->count;
	header->rank = (int64_t)events->count;
	header->bytes.used = 0;
	buffer_add(&header->bytes, events->args->bytes.bytes,
		events->args->bytes.used);
	header->waits = !header->bytes.failed;
	return header->waits ? CTP_OK : ctp_no_memory(err);
}

static enum ctp_status end_header(struct chrome_read_events *events,
	struct chrome_read_record *record, struct ctp_error *err)
{
	const struct chrome_read_header *header = &events->header;
	int64_t rank = (int64_t)events->count;
	int64_t start_ns = header->record.time_ns;
	enum ctp_status status;

	if (header->waits && header->record.track == record->track &&
		start_ns <= record->time_ns) {
		uint64_t dur_ns =
			(uint64_t)record->time_ns - (uint64_t)start_ns;

		status = add_header(events,
			CHROME_READ_RANK_HEADERS +
				chrome_read_record_rank(
					dur_ns, CHROME_READ_RANK_NOT_PAIRED),
			err);
		/* A producer that writes headers so writes all slices so. */
		events->producer->children_first++;
		if (dur_ns == 0)
			rank += CHROME_READ_RANK_HEADERS;
	} else {
		status = chrome_read_events_finish(events, err);
	}
	return status == CTP_OK
		       ? add_record(events, record, record->time_ns, rank, err)
		       : status;
}

/* Is it a header as clang writes it? We write headers in order of time. */
static bool is_header(const struct chrome_read_events *events,
	const struct chrome_read_json *event)
{
	return (event->phase == 'b' || event->phase == 'e') &&
	       !events->producer->is_own &&
	       chrome_read_json_is_source(events->scan, &event->category) &&
	       chrome_read_json_is_source(events->scan, &event->name);
}

static enum ctp_status add_point(struct chrome_read_events *events,
	struct chrome_read_row *row, const struct chrome_read_json *event,
	struct chrome_read_record *record, struct ctp_error *err)
{
	record->id = full_id(events, row, event);
	record->track = chrome_read_rows_track(events->rows, row);
	if (record->track == TRACE_NONE)
		return ctp_no_memory(err);
	if (is_header(events, event))
		return event->phase == 'b' ? begin_header(events, record, err)
					   : end_header(events, record, err);
	return add_record(
		events, record, record->time_ns, (int64_t)events->count, err);
}

/* Sets the kind of record for a phase; false if there is no such phase. */
static bool read_phase(char phase, struct chrome_read_record *record)
{
	record->kind = CHROME_READ_POINT;
	switch (phase) {
	case 'X':
		record->kind = CHROME_READ_SLICE;
		return true;
	case 'B':
		record->kind = CHROME_READ_BEGIN;
		return true;
	case 'E':
		record->kind = CHROME_READ_END;
		return true;
	case 'C':
		record->kind = CHROME_READ_COUNTERS;
		return true;
	case 's':
	case 't':
	case 'f':
		record->event = EVENT_FLOW;
		record->flow = phase == 's'   ? FLOW_START
			       : phase == 't' ? FLOW_STEP
					      : FLOW_END;
		return true;
	case 'b':
	case 'S':
		record->event = EVENT_ASYNC_BEGIN;
		return true;
	case 'e':
	case 'F':
		record->event = EVENT_ASYNC_END;
		return true;
	default:
		record->event = EVENT_INSTANT;
		return phase != 0 && strchr("iIRPnTpNODcvV()=", phase) != NULL;
	}
}

static bool is_valid(
	const struct chrome_read_json *event, struct chrome_read_record *record)
{
	if (event->phase == 'M')
		return event->name.kind == JSON_STRING;
	if (!read_phase(event->phase, record) || !event->has_time)
		return false;
	return record->kind != CHROME_READ_SLICE ||
	       (event->has_dur && event->dur_ns >= 0);
}

/* Does it only repeat other events? */
static bool is_repeated(const struct chrome_read_events *events,
	const struct chrome_read_json *event,
	const struct chrome_read_record *record)
{
	if (record->kind == CHROME_READ_POINT && record->event == EVENT_FLOW)
		return chrome_read_labels_is_arrow(events->labels, events->scan,
			&event->name, event->kind);
	return event->phase == 'X' &&
	       (events->args->seen & CHROME_READ_WANT(CHROME_READ_AVERAGE)) !=
		       0 &&
	       chrome_read_labels_is_sum(
		       json_scan_text(events->scan, &event->name),
		       event->name.size);
}

/* Reads the key of the event's frame in the table of stacks. */
static bool read_frame(struct chrome_read_events *events,
	const struct chrome_read_json *event, struct chrome_read_record *record)
{
	if (event->frame.kind != JSON_STRING &&
		event->frame.kind != JSON_NUMBER)
		return true;
	record->frame = strtab_add(events->trace->text,
		json_scan_text(events->scan, &event->frame), event->frame.size);
	return record->frame != STRTAB_NONE;
}

/* Adds the location of the site's function. */
static bool add_place(struct chrome_read_events *events, uint32_t *site)
{
	struct chrome_read_args *args = events->args;
	struct trace_site place = events->trace->sites[*site];
	const char *text;
	size_t size;

	if (!chrome_read_args_plain(
		    args, events->scan, &args->file, &text, &size))
		return false;
	place.file = strtab_add(events->trace->text, text, size);
	place.line = (uint32_t)args->known[CHROME_READ_LINE];
	if (place.file == STRTAB_NONE)
		return false;
	*site = trace_add_place(events->trace, place);
	return *site != TRACE_NONE;
}

enum ctp_status chrome_read_events_add(struct chrome_read_events *events,
	const struct chrome_read_json *event, struct ctp_error *err)
{
	struct chrome_read_record record = {.time_ns = event->time_ns};
	uint32_t category = event->kind;
	struct chrome_read_row *row;

	events->count++;
	events->has_phase |= event->phase != 0;
	if (!is_valid(event, &record)) {
		trace_lose(events->trace, LOSS_BAD_EVENTS, 1);
		return CTP_OK;
	}
	if (is_repeated(events, event, &record)) {
		trace_lose(events->trace, LOSS_LEFT_OUT, 1);
		return CTP_OK;
	}
	row = chrome_read_rows_find(
		events->rows, events->scan, &event->pid, &event->tid);
	if (row == NULL)
		return ctp_no_memory(err);
	if (event->phase == 'P')
		trace_lose(events->trace, LOSS_SAMPLES, 1);
	if (event->phase == 'M')
		return chrome_read_rows_describe(events->rows, row,
			       json_scan_text(events->scan, &event->name),
			       event->name.size)
			       ? CTP_OK
			       : ctp_no_memory(err);
	/* Bazel writes a counter's values as text. */
	if (record.kind == CHROME_READ_COUNTERS &&
		!chrome_read_args_make_numbers(events->args))
		return ctp_no_memory(err);
	if (!events->json->skip_args &&
		!chrome_read_json_add_members(events->json, event))
		return ctp_no_memory(err);
	if (category == CHROME_READ_NO_CATEGORY &&
		chrome_read_labels_is_jax(events->scan, &event->name))
		category = CHROME_READ_JAX_CALLS;
	if (!chrome_read_labels_site(events->labels, events->scan, &event->name,
		    category, &record.site) ||
		((events->args->seen & CHROME_READ_WANT_PLACE) != 0 &&
			!add_place(events, &record.site)) ||
		!read_frame(events, event, &record))
		return ctp_no_memory(err);
	if (record.kind == CHROME_READ_POINT ||
		record.kind == CHROME_READ_COUNTERS)
		return add_point(events, row, event, &record, err);
	record.class =
		(uint8_t)chrome_read_labels_class(events->labels, category);
	record_process(events, row, (enum chrome_read_class)record.class);
	if (record.kind != CHROME_READ_SLICE)
		return add_mark(events, row, &record, err);
	record.dur_ns = (uint64_t)event->dur_ns;
	return add_slice(events, row, &record, err);
}
