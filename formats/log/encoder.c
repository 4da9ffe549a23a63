/* SPDX-License-Identifier: MIT */
/*
 * Events as blocks of a log: ranges and others in blocks of their track,
 * activities in blocks of any device. The ranges that are open at a block's
 * start are computed when the previous block is written, so that adding an event
 * needs no lookup.
 */
#include "log/encoder.h"

#include <string.h>

#include "base/memory.h"
#include "log/encoder_tables.h"
#include "log/log_row.h"

static bool push_open(struct log_encoder_track *track, uint32_t site)
{
	if (!array_reserve32(&track->open, track->depth, &track->open_room,
		    sizeof(*track->open)))
		return false;
	track->open[track->depth++] = site;
	return true;
}

/* Moves the pending events into the column. False if out of memory. */
static bool fill_column(
	struct log_encoder *encoder, struct log_encoder_track *track)
{
	struct log_column *column = &encoder->column;

	log_column_begin(column, track->number, track->open, track->depth);
	column->seq = track->blocks++;
	column->extras = track->extras;
	column->extra_count = track->extra_count;
	for (uint32_t i = 0; i < track->count; i++) {
		const struct log_encoder_event *event = &track->events[i];

		log_column_add(column, event->id, event->time_ns);
		if (event->id == LOG_COLUMN_END) {
			track->depth -= track->depth > 0;
		} else if (event->id != LOG_COLUMN_EXTRA &&
			   !push_open(track, event->id)) {
			return false;
		}
	}
	return true;
}

/* Writes a track's pending events as a block. */
static enum ctp_status write_track(struct log_encoder *encoder,
	struct log_encoder_track *track, struct ctp_error *err)
{
	enum ctp_status status;

	if (track->count == 0)
		return CTP_OK;
	if (!fill_column(encoder, track))
		return ctp_no_memory(err);
	status = log_encoder_write_tables(encoder, err);
	if (status == CTP_OK)
		status = log_column_write(
			&encoder->column, encoder->writer, err);
	encoder->event_count += track->count;
	track->count = 0;
	track->extras.used = 0;
	track->extra_count = 0;
	return status;
}

/* Writes all tracks' pending events, and frees their memory. */
static enum ctp_status write_tracks(
	struct log_encoder *encoder, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < encoder->track_room && status == CTP_OK; i++) {
		struct log_encoder_track *track = encoder->tracks[i];

		if (track == NULL || track->room == 0)
			continue;
		status = write_track(encoder, track, err);
		memory_free(track->events);
		track->events = NULL;
		track->room = 0;
		buffer_clear(&track->extras);
	}
	encoder->held_bytes = 0;
	return status;
}

/* Events as entries of a track's next block. */

/* A block is written when its rows have this size; one more row stays far below
 * a block's limit. */
#define ROWS_BYTES_MAX ((size_t)1024 * 1024)

/* Entries of one event: itself, its arguments, and the amount it was moved. */
#define ENTRIES_MAX 3

static size_t buffer_bytes(const struct log_encoder_track *track)
{
	return track->room * sizeof(track->events[0]) + track->extras.room;
}

static bool make_room(struct log_encoder_track *track)
{
	uint32_t room = track->room == 0 ? 4 : track->room * 2;
	struct log_encoder_event *events;

	if (track->count + ENTRIES_MAX <= track->room)
		return true;
	events = memory_resize(track->events, room * sizeof(*events));
	if (events == NULL)
		return false;
	track->events = events;
	track->room = room;
	return true;
}

static void push(struct log_encoder_track *track, uint32_t id, int64_t time_ns)
{
	track->events[track->count++] = (struct log_encoder_event){time_ns, id};
}

/* Adds an entry with a row; the caller adds the row's bytes to the result. */
static struct buffer *push_row(struct log_encoder_track *track, int64_t time_ns)
{
	push(track, LOG_COLUMN_EXTRA, time_ns);
	track->extra_count++;
	return &track->extras;
}

static uint64_t site_of(const struct event *event)
{
	return (uint64_t)event->site + 1;
}

static uint64_t field_of(const struct event *event, enum log_field field)
{
	switch (field) {
	case LOG_FIELD_SITE:
		return site_of(event);
	case LOG_FIELD_ID:
		return event->id;
	case LOG_FIELD_BYTES:
		return event->bytes;
	case LOG_FIELD_DEVICE:
		return (uint64_t)(int64_t)event->device;
	case LOG_FIELD_DURATION:
		return event->dur_ns;
	case LOG_FIELD_SHIFT:
		return event->shift_ns;
	case LOG_FIELD_FLOW:
		return (uint64_t)event->flow;
	case LOG_FIELD_END:
	case LOG_FIELD_ADVANCE:
	case LOG_FIELD_VALUE:
	case LOG_FIELD_ARG:
		break;
	}
	return 0;
}

/* A row whose fields are all numbers. */
static void add_row(struct log_encoder_track *track, const struct event *event,
	enum log_row row)
{
	uint64_t numbers[LOG_FIELDS_MAX];

	for (int i = 0; i < LOG_FIELDS_MAX; i++)
		numbers[i] = field_of(event, log_row_fields[row][i]);
	log_row_add(push_row(track, event->time_ns), row, numbers);
}

static void add_correlation(struct log_encoder *encoder,
	struct log_encoder_track *track, const struct event *event)
{
	add_row(track, event, LOG_ROW_CORRELATION);
	if (track->is_caller)
		return;
	track->is_caller = true;
	track->next_caller = encoder->callers;
	encoder->callers = track;
}

/* [1, key, value]; returns the number of arguments in it. */
static uint32_t add_arg(struct log_encoder *encoder,
	struct log_encoder_track *track, const struct event *event)
{
	struct buffer *value = &encoder->bytes;
	msgpack_packer packer = msgpack_out(&track->extras);

	value->used = 0;
	if (event->arg_count == 0 ||
		!log_encoder_value(encoder, value, event->args))
		return event->arg_count;
	log_row_begin(push_row(track, event->time_ns), LOG_ROW_ARG, 3);
	log_encoder_string(encoder, &packer, event->args[0].key);
	buffer_add(&track->extras, value->bytes, value->used);
	return 1;
}

/* [3, site, value, key]; no key if that is empty. Likewise. */
static uint32_t add_counter(struct log_encoder *encoder,
	struct log_encoder_track *track, const struct event *event)
{
	struct buffer *value = &encoder->bytes;
	bool has_key = event->arg_count > 0 && event->args[0].key != 0;
	msgpack_packer packer = msgpack_out(&track->extras);

	value->used = 0;
	if (event->arg_count == 0) {
		trace_lose(encoder->trace, LOSS_NOT_SHOWN, 1);
		return 0;
	}
	if (!log_encoder_value(encoder, value, event->args))
		return event->arg_count;
	log_row_begin(push_row(track, event->time_ns), LOG_ROW_COUNTER,
		has_key ? 4 : 3);
	(void)msgpack_pack_uint64(&packer, site_of(event));
	buffer_add(&track->extras, value->bytes, value->used);
	if (has_key)
		log_encoder_string(encoder, &packer, event->args[0].key);
	return 1;
}

/* [8, site, step, advance]; likewise. */
static uint32_t add_step(struct log_encoder *encoder,
	struct log_encoder_track *track, const struct event *event)
{
	static const struct event_arg one = {
		.kind = ARG_INT, .value.integer = 1};
	struct buffer *value = &encoder->bytes;
	msgpack_packer packer = msgpack_out(&track->extras);

	value->used = 0;
	if (event->arg_count == 0 ||
		!log_encoder_value(encoder, value, event->args))
		(void)log_encoder_value(encoder, value, &one);
	log_row_begin(push_row(track, event->time_ns), LOG_ROW_STEP, 4);
	(void)msgpack_pack_uint64(&packer, site_of(event));
	(void)msgpack_pack_uint64(&packer, event->id);
	buffer_add(&track->extras, value->bytes, value->used);
	return event->arg_count > 0;
}

#define ROW(name, row, chunk, event, ...) [event] = row,
/* By event kind; 0: no row. */
static const uint8_t rows[EVENT_KINDS] = {LOG_ROWS(ROW)};
#undef ROW

/* Adds the event; returns the number of its arguments in it. */
static uint32_t add_entry(struct log_encoder *encoder,
	struct log_encoder_track *track, const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
	case EVENT_END:
		push(track,
			event->kind == EVENT_END ? LOG_COLUMN_END
						 : event->site + 1,
			event->time_ns);
		if (event->shift_ns > 0)
			add_row(track, event, LOG_ROW_SHIFT);
		break;
	case EVENT_ARGS:
		return add_arg(encoder, track, event);
	case EVENT_COUNTER:
		return add_counter(encoder, track, event);
	case EVENT_STEP:
		return add_step(encoder, track, event);
	case EVENT_CORRELATION:
		add_correlation(encoder, track, event);
		break;
	default:
		if (rows[event->kind] != 0)
			add_row(track, event, rows[event->kind]);
	}
	return 0;
}

/* Adds an event that is not an activity to the pending ones. */
static enum ctp_status add_event(struct log_encoder *encoder,
	const struct event *event, struct ctp_error *err)
{
	struct log_encoder_track *track =
		log_encoder_track(encoder, event->track);
	enum ctp_status status = CTP_OK;
	uint32_t done;
	size_t before;

	if (track == NULL)
		return ctp_no_memory(err);
	if (track->number == 0)
		status = log_encoder_number(encoder, event->track, false, err);
	if (status != CTP_OK)
		return status;
	before = buffer_bytes(track);
	if (!make_room(track))
		return ctp_no_memory(err);
	done = add_entry(encoder, track, event);
	if (done < event->arg_count) {
		log_row_begin(
			push_row(track, event->time_ns), LOG_ROW_MORE_ARGS, 2);
		log_encoder_args(encoder, &track->extras, event->args + done,
			event->arg_count - done);
	}
	if (track->extras.failed || encoder->bytes.failed)
		return ctp_no_memory(err);
	encoder->held_bytes += buffer_bytes(track) - before;
	if (track->count + ENTRIES_MAX <= LOG_COLUMN_MAX &&
		track->extras.used <= ROWS_BYTES_MAX)
		return CTP_OK;
	return write_track(encoder, track, err);
}

/*
 * Activities, and their descriptions. Arguments that repeat are part of a
 * description. Arguments that differ for each activity, as many tools write
 * them, are stored beside it, or every activity would have its own description.
 */

/* Limits of descriptions with arguments: their number, and the bytes of
 * each. */
#define DESCRIPTIONS_MAX 16384
#define DESCRIPTION_BYTES_MAX 4096

/* After TRIES attempts, one in TRIES_A_FIND must have found an existing
 * description. */
#define TRIES 2048
#define TRIES_A_FIND 4

#define ARGS_BYTES_MAX ((size_t)1024 * 1024)

static enum log_activity activity_kind(
	const struct log_encoder *encoder, uint32_t site)
{
	static const struct {
		const char *category;
		enum log_activity kind;
	} kinds[] = {{"kernel", LOG_KERNEL}, {"gpu_memcpy", LOG_MEMCPY},
		{"gpu_memset", LOG_MEMSET}, {"cuda_sync", LOG_DEVICE_WAIT},
		{"cuda_runtime", LOG_API_CALL}, {"cuda_driver", LOG_API_CALL},
		{"overhead", LOG_OVERHEAD}, {"cuda_event", LOG_DEVICE_EVENT},
		{"cuda_graph", LOG_GRAPH}};
	const struct trace *trace = encoder->trace;
	const char *category =
		strtab_text(trace->text, trace->sites[site].category, NULL);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].category, category) == 0)
			return kinds[i].kind;
	return LOG_OTHER_ACTIVITY;
}

/* Encodes a description into encoder->bytes. */
static void pack_description(
	struct log_encoder *encoder, const struct event *event, uint32_t count)
{
	msgpack_packer packer = msgpack_out(&encoder->bytes);

	encoder->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 3);
	(void)msgpack_pack_int(
		&packer, (int)activity_kind(encoder, event->site));
	(void)msgpack_pack_uint32(&packer, event->site + 1);
	log_encoder_args(encoder, &encoder->bytes, event->args, count);
}

/* The number of the description in encoder->bytes; STRTAB_NONE if out of memory. */
static uint32_t add_description(struct log_encoder *encoder)
{
	uint32_t count = strtab_count(encoder->descriptions);
	uint32_t number;

	if (encoder->bytes.failed)
		return STRTAB_NONE;
	number = strtab_add(encoder->descriptions,
		(const char *)encoder->bytes.bytes, encoder->bytes.used);
	if (number == count) {
		buffer_add(&encoder->description, encoder->bytes.bytes,
			encoder->bytes.used);
		encoder->description_count++;
	}
	return number;
}

/* Do the arguments clearly exceed a description? Packing counts each cut and
 * omission, so long arguments must not be packed twice. */
static bool is_too_long(const struct log_encoder *encoder,
	const struct event_arg *args, uint32_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count && bytes <= DESCRIPTION_BYTES_MAX; i++) {
		size_t size;

		(void)strtab_text(encoder->trace->text, args[i].key, &size);
		bytes += size;
		if (args[i].kind == ARG_TEXT || args[i].kind == ARG_JSON)
			bytes += args[i].value.text.size;
	}
	return bytes > DESCRIPTION_BYTES_MAX;
}

/* May `count` arguments be part of a description? */
static bool may_describe(const struct log_encoder *encoder, uint32_t count)
{
	return count > 0 && count <= LOG_DEVICE_KEYS_MAX &&
	       strtab_count(encoder->descriptions) < DESCRIPTIONS_MAX &&
	       (encoder->args_tried < TRIES ||
		       encoder->args_found >
			       encoder->args_tried / TRIES_A_FIND);
}

/* Finds or adds a description; `*has_args`: the arguments are part of it. */
static uint32_t describe(struct log_encoder *encoder, const struct event *event,
	uint32_t count, bool *has_args)
{
	uint32_t known = strtab_count(encoder->descriptions);
	uint32_t number;

	*has_args = false;
	if (may_describe(encoder, count) &&
		!is_too_long(encoder, event->args, count)) {
		pack_description(encoder, event, count);
		*has_args = encoder->bytes.used <= DESCRIPTION_BYTES_MAX;
	}
	if (!*has_args) {
		pack_description(encoder, event, 0);
		return add_description(encoder);
	}
	number = add_description(encoder);
	encoder->args_tried++;
	encoder->args_found += number < known;
	return number;
}

/* Writes the pending events of tracks that called a device's API. */
static enum ctp_status write_callers(
	struct log_encoder *encoder, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (encoder->callers != NULL && status == CTP_OK) {
		struct log_encoder_track *track = encoder->callers;

		status = write_track(encoder, track, err);
		encoder->callers = track->next_caller;
		track->is_caller = false;
	}
	return status;
}

static enum ctp_status write_descriptions(
	struct log_encoder *encoder, struct ctp_error *err)
{
	uint32_t count = encoder->description_count;

	if (count == 0)
		return CTP_OK;
	if (encoder->description.failed)
		return ctp_no_memory(err);
	(void)log_block_begin_rows(&encoder->bytes, LOG_DESCRIPTIONS,
		strtab_count(encoder->descriptions) - count, count);
	buffer_add(&encoder->bytes, encoder->description.bytes,
		encoder->description.used);
	encoder->description.used = 0;
	encoder->description_count = 0;
	return log_encoder_write_block(encoder, LOG_DESCRIPTIONS, err);
}

static enum ctp_status write_activities(
	struct log_encoder *encoder, struct ctp_error *err)
{
	struct log_activities *activities = &encoder->activities;
	enum ctp_status status;

	if (activities->count == 0)
		return CTP_OK;
	status = write_callers(encoder, err);
	if (status == CTP_OK)
		status = log_encoder_write_tables(encoder, err);
	if (status == CTP_OK)
		status = write_descriptions(encoder, err);
	if (status == CTP_OK)
		status = log_activities_write(
			activities, &encoder->bytes, encoder->writer, err);
	encoder->event_count += activities->count;
	log_activities_reset(activities);
	return status;
}

static uint64_t at_most_int(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : value;
}

/* A graph node is the last argument and has a column of its own. */
static uint64_t graph_node(const struct log_encoder *encoder,
	const struct event *event, uint32_t *count)
{
	const struct event_arg *last;

	*count = event->arg_count;
	if (event->arg_count == 0)
		return 0;
	last = &event->args[event->arg_count - 1];
	if (last->key != encoder->node_key || last->kind != ARG_INT ||
		last->value.integer == 0)
		return 0;
	--*count;
	return (uint64_t)last->value.integer;
}

static void add_activity_args(
	struct log_encoder *encoder, const struct event *event, uint32_t count)
{
	struct log_activities *activities = &encoder->activities;
	msgpack_packer packer = msgpack_out(&activities->args);

	if (count == 0) {
		(void)msgpack_pack_nil(&packer);
		return;
	}
	activities->has_args = true;
	log_encoder_args(encoder, &activities->args, event->args, count);
}

/* Adds an EVENT_ACTIVITY to the pending ones. */
static enum ctp_status add_activity(struct log_encoder *encoder,
	const struct event *event, struct ctp_error *err)
{
	struct log_activities *activities = &encoder->activities;
	struct log_activity_row row = {
		.start_ns = event->time_ns,
		.dur_ns = at_most_int(event->dur_ns),
		.correlation = event->id,
		.bytes = at_most_int(event->bytes),
	};
	enum ctp_status status =
		log_encoder_number(encoder, event->track, true, err);
	uint32_t count;
	bool has_args;

	if (status != CTP_OK)
		return status;
	row.track = encoder->tracks[event->track]->device_number;
	row.node = graph_node(encoder, event, &count);
	row.description = describe(encoder, event, count, &has_args);
	if (row.description == STRTAB_NONE)
		return ctp_no_memory(err);
	if (row.description >= LOG_DESCRIPTIONS_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT,
			"more than %u kinds of activities",
			LOG_DESCRIPTIONS_MAX);
	add_activity_args(encoder, event, has_args ? 0 : count);
	log_activities_add(activities, &row);
	if (activities->count < LOG_ACTIVITIES_MAX &&
		activities->args.used < ARGS_BYTES_MAX &&
		encoder->description.used < ARGS_BYTES_MAX)
		return CTP_OK;
	return write_activities(encoder, err);
}

/* Limit of all tracks' pending events; beyond it, all are written. */
#define HELD_MAX ((size_t)24 * 1024 * 1024)

/* Pending events are larger than in the log by about this factor: 2.5 bytes
 * instead of 16, and arguments that repeat. */
#define HELD_PER_BYTE 6

struct log_encoder *log_encoder_new(
	struct log_writer *writer, struct trace *trace)
{
	struct log_encoder *encoder = memory_new_zeroed(1, sizeof(*encoder));

	if (encoder == NULL)
		return NULL;
	encoder->writer = writer;
	encoder->trace = trace;
	encoder->descriptions = strtab_new();
	encoder->node_key =
		strtab_add(trace->text, LOG_NODE_KEY, strlen(LOG_NODE_KEY));
	if (encoder->descriptions == NULL || encoder->node_key == STRTAB_NONE) {
		log_encoder_free(encoder);
		return NULL;
	}
	return encoder;
}

static void track_free(struct log_encoder_track *track)
{
	if (track == NULL)
		return;
	memory_free(track->events);
	memory_free(track->open);
	buffer_clear(&track->extras);
	memory_free(track);
}

void log_encoder_free(struct log_encoder *encoder)
{
	if (encoder == NULL)
		return;
	for (uint32_t i = 0; i < encoder->track_room; i++)
		track_free(encoder->tracks[i]);
	memory_free(encoder->tracks);
	/* The column's rows belong to its track. */
	encoder->column.extras = (struct buffer)BUFFER_INIT;
	log_column_clear(&encoder->column);
	buffer_clear(&encoder->activities.args);
	buffer_clear(&encoder->bytes);
	buffer_clear(&encoder->description);
	strtab_free(encoder->descriptions);
	memory_free(encoder);
}

enum ctp_status log_encoder_add(struct log_encoder *encoder,
	const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!encoder->begun)
		status = log_encoder_write_header(encoder, err);
	if (status != CTP_OK)
		return status;
	if (event->kind == EVENT_ACTIVITY)
		return add_activity(encoder, event, err);
	status = add_event(encoder, event, err);
	if (status == CTP_OK && encoder->held_bytes > HELD_MAX)
		status = write_tracks(encoder, err);
	return status;
}

uint64_t log_encoder_pending(const struct log_encoder *encoder)
{
	return encoder->held_bytes / HELD_PER_BYTE;
}

enum ctp_status log_encoder_finish(
	struct log_encoder *encoder, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!encoder->begun)
		status = log_encoder_write_header(encoder, err);
	if (status == CTP_OK)
		status = write_activities(encoder, err);
	if (status == CTP_OK)
		status = write_tracks(encoder, err);
	return status == CTP_OK ? log_encoder_write_end(encoder, err) : status;
}
