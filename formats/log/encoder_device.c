/* SPDX-License-Identifier: MIT */
/*
 * Texts and arguments, which are most of a log made from another tool's trace:
 * room for all of an event's is reserved at once. Keys are few: the latest ones
 * are kept in encoded form.
 */
#include "log/encoder_private.h"

#include <string.h>

/* Limit of an event's arguments, far below that of a block. */
#define EVENT_ARGS_BYTES_MAX (2 * LOG_ENCODER_TEXT_MAX)

#define CHARACTER_MAX 4 /* bytes of UTF-8 */

/* The size of an argument without its texts. */
#define ARG_ROOM (MSGPACK_OUT_HEAD_MAX + MSGPACK_OUT_INT_MAX)

/* The size of a text in the log. */
static size_t cut(struct log_encoder *encoder, const char *text, size_t size)
{
	size_t valid;

	if (size <= LOG_ENCODER_TEXT_MAX)
		return size;
	trace_lose(encoder->trace, LOSS_CUT_TEXT, 1);
	/* Do not split a character; text that is not UTF-8 may be cut
	 * anywhere. */
	valid = utf8_valid_prefix(text, LOG_ENCODER_TEXT_MAX);
	return valid + CHARACTER_MAX > LOG_ENCODER_TEXT_MAX
		       ? valid
		       : LOG_ENCODER_TEXT_MAX;
}

void log_encoder_string(
	struct log_encoder *encoder, msgpack_packer *packer, uint32_t number)
{
	size_t size;
	const char *text = strtab_text(encoder->trace->text, number, &size);

	msgpack_out_text(packer, text, cut(encoder, text, size));
}

/* Can a log hold the value? Text can be cut, JSON cannot. */
static bool has_room(const struct event_arg *arg)
{
	return arg->kind != ARG_JSON ||
	       arg->value.text.size <= LOG_ENCODER_TEXT_MAX;
}

static size_t text_size(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON
		       ? arg->value.text.size
		       : 0;
}

static uint8_t *put_value(
	struct log_encoder *encoder, uint8_t *at, const struct event_arg *arg)
{
	const char *text = arg->value.text.bytes;

	switch (arg->kind) {
	case ARG_INT:
		return msgpack_out_int(at, arg->value.integer);
	case ARG_FLOAT:
		return msgpack_out_double(at, arg->value.real);
	case ARG_TEXT:
		return msgpack_out_put_text(
			at, text, cut(encoder, text, arg->value.text.size));
	case ARG_JSON:
		at = msgpack_out_ext(at, arg->value.text.size, LOG_EXT_JSON);
		if (arg->value.text.size > 0)
			memcpy(at, text, arg->value.text.size);
		return at + arg->value.text.size;
	}
	return at;
}

/* Stores a key; there must be room for it and LOG_ENCODER_KEY_BYTES more. */
static uint8_t *put_key(
	struct log_encoder *encoder, uint8_t *at, uint32_t number)
{
	struct log_encoder_key *key = &encoder->keys[number % LOG_ENCODER_KEYS];
	const char *text;
	uint8_t *end;
	size_t size;

	if (key->size != 0 && key->number == number) {
		memcpy(at, key->bytes, sizeof(key->bytes));
		return at + key->size;
	}
	text = strtab_text(encoder->trace->text, number, &size);
	end = msgpack_out_put_text(at, text, cut(encoder, text, size));
	size = (size_t)(end - at);
	if (size <= sizeof(key->bytes)) {
		memcpy(key->bytes, at, size);
		key->number = number;
		key->size = (uint8_t)size;
	}
	return end;
}

bool log_encoder_value(struct log_encoder *encoder, struct buffer *bytes,
	const struct event_arg *arg)
{
	uint8_t *at;

	if (!has_room(arg)) {
		trace_lose(encoder->trace, LOSS_NOT_SHOWN, 1);
		return false;
	}
	if (!buffer_reserve(bytes, text_size(arg) + ARG_ROOM))
		return true;
	at = bytes->bytes + bytes->used;
	bytes->used += (size_t)(put_value(encoder, at, arg) - at);
	return true;
}

/* The number of arguments that fit; `*bytes`: upper bound of their text. */
static uint32_t count_args(const struct log_encoder *encoder,
	const struct event_arg *args, uint32_t count, size_t *bytes)
{
	uint32_t kept = 0;

	*bytes = 0;
	for (uint32_t i = 0; i < count; i++) {
		size_t size;

		(void)strtab_text(encoder->trace->text, args[i].key, &size);
		*bytes += size + text_size(&args[i]);
		if (*bytes > EVENT_ARGS_BYTES_MAX || kept == LOG_ARGS_MAX)
			break;
		kept += has_room(&args[i]);
	}
	return kept;
}

void log_encoder_args(struct log_encoder *encoder, struct buffer *bytes,
	const struct event_arg *args, uint32_t count)
{
	size_t size;
	uint32_t kept = count_args(encoder, args, count, &size);
	uint8_t *at;

	trace_lose(encoder->trace, LOSS_NOT_SHOWN, count - kept);
	if (!buffer_reserve(bytes, MSGPACK_OUT_HEAD_MAX + size +
					   kept * ARG_ROOM +
					   LOG_ENCODER_KEY_BYTES))
		return;
	at = msgpack_out_map(bytes->bytes + bytes->used, kept);
	for (; kept > 0; args++) {
		if (!has_room(args))
			continue;
		at = put_key(encoder, at, args->key);
		at = put_value(encoder, at, args);
		kept--;
	}
	bytes->used = (size_t)(at - bytes->bytes);
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

static enum log_activity kind_of(
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
static void pack(
	struct log_encoder *encoder, const struct event *event, uint32_t count)
{
	msgpack_packer packer = msgpack_out(&encoder->bytes);

	encoder->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 3);
	(void)msgpack_pack_int(&packer, (int)kind_of(encoder, event->site));
	(void)msgpack_pack_uint32(&packer, event->site + 1);
	log_encoder_args(encoder, &encoder->bytes, event->args, count);
}

/* The number of the description in encoder->bytes; STRTAB_NONE if out of memory. */
static uint32_t add(struct log_encoder *encoder)
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
static bool is_long(const struct log_encoder *encoder,
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
static bool is_worth_it(const struct log_encoder *encoder, uint32_t count)
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
	if (is_worth_it(encoder, count) &&
		!is_long(encoder, event->args, count)) {
		pack(encoder, event, count);
		*has_args = encoder->bytes.used <= DESCRIPTION_BYTES_MAX;
	}
	if (!*has_args) {
		pack(encoder, event, 0);
		return add(encoder);
	}
	number = add(encoder);
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

		status = log_encoder_write_track(encoder, track, err);
		encoder->callers = track->next_caller;
		track->is_caller = false;
	}
	return status;
}

static enum ctp_status write_descriptions(
	struct log_encoder *encoder, struct ctp_error *err)
{
	msgpack_packer packer = msgpack_out(&encoder->bytes);
	uint32_t count = encoder->description_count;

	if (count == 0)
		return CTP_OK;
	if (encoder->description.failed)
		return ctp_no_memory(err);
	encoder->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 3);
	(void)msgpack_pack_int(&packer, LOG_DESCRIPTIONS);
	(void)msgpack_pack_uint32(
		&packer, strtab_count(encoder->descriptions) - count);
	(void)msgpack_pack_array(&packer, count);
	buffer_add(&encoder->bytes, encoder->description.bytes,
		encoder->description.used);
	encoder->description.used = 0;
	encoder->description_count = 0;
	return log_encoder_write_block(encoder, LOG_DESCRIPTIONS, err);
}

enum ctp_status log_encoder_write_activities(
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
		status = log_column_write_activities(
			activities, &encoder->bytes, encoder->writer, err);
	encoder->event_count += activities->count;
	activities->count = 0;
	activities->has_args = false;
	activities->args.used = 0;
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

static void add_args(
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

enum ctp_status log_encoder_activity(struct log_encoder *encoder,
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
	add_args(encoder, event, has_args ? 0 : count);
	activities->rows[activities->count++] = row;
	if (activities->count < LOG_ACTIVITIES_MAX &&
		activities->args.used < ARGS_BYTES_MAX &&
		encoder->description.used < ARGS_BYTES_MAX)
		return CTP_OK;
	return log_encoder_write_activities(encoder, err);
}
