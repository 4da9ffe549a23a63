/* SPDX-License-Identifier: MIT */
/* The trace's tables as blocks: sites and tracks before their first use, the
 * rest at the end, when it is known. */
#include "log/encoder_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "log/log_write.h"

/* ---- state ---- */

/*
 * Texts and arguments are most of a log made from another tool's trace: room for
 * all of an event's is reserved at once. Keys are few: the latest ones are kept
 * in encoded form.
 */

struct log_encoder_track *log_encoder_track(
	struct log_encoder *encoder, uint32_t number)
{
	if (!array_ensure_index(&encoder->tracks, number, &encoder->track_room,
		    sizeof(struct log_encoder_track *)))
		return NULL;
	if (encoder->tracks[number] == NULL)
		encoder->tracks[number] =
			memory_new_zeroed(1, sizeof(struct log_encoder_track));
	return encoder->tracks[number];
}

enum ctp_status log_encoder_write_block(
	struct log_encoder *encoder, enum log_block kind, struct ctp_error *err)
{
	return log_block_write(encoder->writer, kind, &encoder->bytes, err);
}

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

struct log_text log_encoder_text(struct log_encoder *encoder, uint32_t number)
{
	struct log_text text;

	text.bytes = strtab_text(encoder->trace->text, number, &text.size);
	text.size = cut(encoder, text.bytes, text.size);
	return text;
}

void log_encoder_string(
	struct log_encoder *encoder, msgpack_packer *packer, uint32_t number)
{
	struct log_text text = log_encoder_text(encoder, number);

	msgpack_out_text(packer, text.bytes, text.size);
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

#define SITES_A_BLOCK 4096
#define BYTES_A_BLOCK ((size_t)1024 * 1024)

/* The place of a fact. */
enum place { IN_HEADER, IN_FACTS, NOWHERE };

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		if (strcmp(key, *keys) == 0)
			return true;
	return false;
}

/* A log's header facts go back into the header; a fact of the same name from
 * another format or document may mean something else. The fact that a log was
 * merged must precede its events. */
static enum place place_of(const struct log_encoder *encoder, uint32_t number)
{
	static const char *const own[] = {
		"format", "version", "reader", "realtime", "spool", NULL};
	static const char *const header[] = {"tool", "host", "pid", "command",
		"clock", "clock_hz", "policy", "min_ns", "range_ps", "parent",
		NULL};
	const struct trace *trace = encoder->trace;
	const struct trace_fact *fact = &trace->facts[number];
	const char *key = strtab_text(trace->text, fact->key, NULL);
	bool is_merged = strcmp(key, TRACE_MERGED) == 0;

	if (number >= encoder->header_facts || fact->kind != FACT_OWN)
		return IN_FACTS;
	/* Other facts may be many: do not search them. */
	if (!is_merged &&
		(!encoder->is_log_again ||
			(!is_one_of(key, own) && !is_one_of(key, header))))
		return IN_FACTS;
	for (uint32_t i = 0; i < number; i++)
		if (trace->facts[i].key == fact->key &&
			trace->facts[i].kind == FACT_OWN)
			return IN_FACTS;
	return is_merged || is_one_of(key, header) ? IN_HEADER : NOWHERE;
}

/* Writes a number as a number if it reads back as the same text. */
static void add_fact(struct log_encoder *encoder, msgpack_packer *packer,
	const struct trace_fact *fact)
{
	const char *text = strtab_text(encoder->trace->text, fact->value, NULL);
	char again[24];
	long long value;

	errno = 0;
	value = strtoll(text, NULL, 10);
	(void)snprintf(again, sizeof(again), "%lld", value);
	log_encoder_string(encoder, packer, fact->key);
	if (errno == 0 && strcmp(again, text) == 0)
		(void)msgpack_pack_int64(packer, value);
	else
		log_encoder_string(encoder, packer, fact->value);
}

/* Do the facts come from a log, perhaps by way of another format? */
static bool is_log_again(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (fact->kind == FACT_OWN &&
			strcmp(strtab_text(trace->text, fact->key, NULL),
				"format") == 0)
			return strcmp(strtab_text(
					      trace->text, fact->value, NULL),
				       LOG_FORMAT_NAME) == 0;
	}
	return false;
}

enum ctp_status log_encoder_write_header(
	struct log_encoder *encoder, struct ctp_error *err)
{
	const struct trace *trace = encoder->trace;
	uint32_t count = 0;
	bool has_tool = false;
	msgpack_packer packer;

	encoder->begun = true;
	encoder->is_log_again = is_log_again(trace);
	encoder->header_facts = trace->fact_count;
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		if (place_of(encoder, i) != IN_HEADER)
			continue;
		count++;
		has_tool |= strcmp(strtab_text(trace->text, trace->facts[i].key,
					   NULL),
				    "tool") == 0;
	}
	packer = log_block_begin(&encoder->bytes, LOG_HEADER, 2);
	(void)msgpack_pack_map(&packer, 4 + count + !has_tool);
	msgpack_out_pair(&packer, "format", LOG_FORMAT_NAME);
	msgpack_out_pair_int(&packer, "version", LOG_VERSION);
	msgpack_out_pair_int(&packer, "reader", LOG_READER);
	if (!has_tool)
		msgpack_out_pair(&packer, "tool", PACKAGE_STRING);
	for (uint32_t i = 0; i < trace->fact_count; i++)
		if (place_of(encoder, i) == IN_HEADER)
			add_fact(encoder, &packer, &trace->facts[i]);
	msgpack_out_pair_int(&packer, "realtime", trace->base_realtime_ns);
	return log_encoder_write_block(encoder, LOG_HEADER, err);
}

static void add_site(struct log_encoder *encoder, msgpack_packer *packer,
	const struct trace_site *site)
{
	bool is_long = site->category != 0 || site->call_line != 0;

	log_block_add_site(packer,
		&(struct log_site_row){
			.name = log_encoder_text(encoder, site->name),
			.file = log_encoder_text(encoder, site->file),
			.line = site->line,
			.category = log_encoder_text(encoder, site->category),
			.call_line = site->call_line,
			.elements = is_long ? LOG_SITE_INFO_ELEMENTS
					    : LOG_SITE_ELEMENTS});
}

/* The number of sites, from this one on, that fit in one block. */
static uint32_t count_sites(const struct log_encoder *encoder, uint32_t first)
{
	const struct trace *trace = encoder->trace;
	uint32_t end = first;
	size_t bytes = 0;

	while (end < trace->site_count && end - first < SITES_A_BLOCK &&
		bytes < BYTES_A_BLOCK) {
		const struct trace_site *site = &trace->sites[end++];
		const uint32_t texts[] = {
			site->name, site->file, site->category};

		for (size_t i = 0; i < 3; i++) {
			size_t size;

			(void)strtab_text(trace->text, texts[i], &size);
			bytes += size;
		}
	}
	return end - first;
}

static enum ctp_status write_sites(
	struct log_encoder *encoder, struct ctp_error *err)
{
	uint32_t count = count_sites(encoder, encoder->site_count);
	msgpack_packer packer;

	if (encoder->site_count + count >= LOG_SITES_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, "more than %u names",
			LOG_SITES_MAX - 1);
	packer = log_block_begin_rows(
		&encoder->bytes, LOG_SITES, encoder->site_count + 1, count);
	for (; count > 0; count--)
		add_site(encoder, &packer,
			&encoder->trace->sites[encoder->site_count++]);
	return log_encoder_write_block(encoder, LOG_SITES, err);
}

/* Did the track's recording end before the others (of other processes), with
 * ranges still open? Otherwise these ranges end at the log's end. */
static bool ends_early(const struct log_encoder *encoder, uint32_t number)
{
	const struct trace_track *track = &encoder->trace->tracks[number];
	const struct log_encoder_track *written = encoder->tracks[number];
	int64_t end_ns = track->kind == TRACE_TIMELINE
				 ? encoder->trace->timeline_end_ns
				 : encoder->trace->end_ns;

	return written->depth > 0 && track->has_end && track->end_ns < end_ns;
}

static enum ctp_status write_track(struct log_encoder *encoder, uint32_t number,
	uint32_t log_number, enum log_track_kind kind, struct ctp_error *err)
{
	const struct trace_track *track = &encoder->trace->tracks[number];
	const struct log_track_row row = {.number = log_number,
		.kind = kind,
		.tid = track->tid,
		.name = log_encoder_text(encoder, track->name),
		.device = track->device,
		.context = track->context,
		.pid = track->pid,
		.process = log_encoder_text(encoder, track->process_name),
		.has_sort = track->has_sort,
		.has_process_sort = track->has_process_sort,
		.has_end = (kind == LOG_THREAD || kind == LOG_TIMELINE) &&
			   ends_early(encoder, number),
		.sort = track->sort,
		.process_sort = track->process_sort,
		.end_ns = track->end_ns};
	bool sorted = row.has_sort || row.has_process_sort;

	log_block_set_track(&encoder->bytes, &row,
		row.has_end ? LOG_TRACK_END_ELEMENTS
		: sorted    ? LOG_TRACK_SORT_ELEMENTS
			    : LOG_TRACK_PROCESS_ELEMENTS);
	return log_encoder_write_block(encoder, LOG_TRACK, err);
}

static enum ctp_status new_number(
	struct log_encoder *encoder, uint32_t *number, struct ctp_error *err)
{
	if (encoder->last_number + 1 >= LOG_TRACKS_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, "more than %u tracks",
			LOG_TRACKS_MAX - 1);
	*number = ++encoder->last_number;
	return CTP_OK;
}

/* The log's kind of a trace's track, for its events or its activities. */
static enum log_track_kind kind_of(
	const struct trace_track *track, bool activities)
{
	switch (track->kind) {
	case TRACE_STREAM:
		return activities ? LOG_STREAM : LOG_THREAD;
	case TRACE_CALLS:
		return activities ? LOG_CALLS : LOG_THREAD;
	case TRACE_TIMELINE:
		return activities ? LOG_CALLS : LOG_TIMELINE;
	case TRACE_THREAD:
		break;
	}
	return activities ? LOG_CALLS : LOG_THREAD;
}

static bool is_device(const struct trace_track *track)
{
	return track->kind == TRACE_STREAM || track->kind == TRACE_CALLS;
}

/* Assigns a number to the events or activities of a trace's track, and writes
 * its block. */
static enum ctp_status add_track(struct log_encoder *encoder, uint32_t number,
	bool activities, struct ctp_error *err)
{
	struct log_encoder_track *track = log_encoder_track(encoder, number);
	uint32_t log_number = 0;
	enum ctp_status status;

	if (track == NULL)
		return ctp_no_memory(err);
	status = new_number(encoder, &log_number, err);
	if (status != CTP_OK)
		return status;
	if (activities)
		track->device_number = log_number;
	else
		track->number = log_number;
	track->name = encoder->trace->tracks[number].name;
	track->process_name = encoder->trace->tracks[number].process_name;
	return write_track(encoder, number, log_number,
		kind_of(&encoder->trace->tracks[number], activities), err);
}

/* The tracks' blocks are in the trace's order, so that they are read in it. */
static enum ctp_status write_tracks(
	struct log_encoder *encoder, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (encoder->track_count < encoder->trace->track_count &&
		status == CTP_OK) {
		uint32_t number = encoder->track_count++;

		status = add_track(encoder, number,
			is_device(&encoder->trace->tracks[number]), err);
	}
	return status;
}

enum ctp_status log_encoder_number(struct log_encoder *encoder, uint32_t number,
	bool activities, struct ctp_error *err)
{
	struct log_encoder_track *track = log_encoder_track(encoder, number);
	enum ctp_status status;

	if (track == NULL)
		return ctp_no_memory(err);
	if ((activities ? track->device_number : track->number) != 0)
		return CTP_OK;
	status = write_tracks(encoder, err);
	if (status != CTP_OK ||
		(activities ? track->device_number : track->number) != 0)
		return status;
	return add_track(encoder, number, activities, err);
}

/* Writes a track again if more is known than when its events came. */
static enum ctp_status finish_track(
	struct log_encoder *encoder, uint32_t number, struct ctp_error *err)
{
	const struct trace_track *from = &encoder->trace->tracks[number];
	struct log_encoder_track *track = encoder->tracks[number];
	enum ctp_status status = CTP_OK;

	if (track->name == from->name &&
		track->process_name == from->process_name &&
		!ends_early(encoder, number))
		return CTP_OK;
	if (track->number != 0)
		status = write_track(encoder, number, track->number,
			kind_of(from, false), err);
	if (track->device_number != 0 && status == CTP_OK)
		status = write_track(encoder, number, track->device_number,
			kind_of(from, true), err);
	return status;
}

/* [10, device, {…}, pid] */
static enum ctp_status write_device(struct log_encoder *encoder,
	const struct trace_device *device, struct ctp_error *err)
{
	msgpack_packer packer = log_block_begin(&encoder->bytes, LOG_DEVICE, 4);
	uint32_t count = device->arg_count < LOG_DEVICE_KEYS_MAX
				 ? device->arg_count
				 : LOG_DEVICE_KEYS_MAX;

	(void)msgpack_pack_uint32(&packer, device->number);
	log_encoder_args(encoder, &encoder->bytes, device->args, count);
	(void)msgpack_pack_int64(&packer, device->pid);
	return log_encoder_write_block(encoder, LOG_DEVICE, err);
}

/* Activities' times are log times: see lib/log/FORMAT.md, "Devices". */
static enum ctp_status write_device_sync(
	struct log_encoder *encoder, struct ctp_error *err)
{
	log_block_set_device_syncs(
		&encoder->bytes, &(struct log_device_sync){0, 0}, 1);
	return log_encoder_write_block(encoder, LOG_DEVICE_SYNC, err);
}

enum ctp_status log_encoder_write_tables(
	struct log_encoder *encoder, struct ctp_error *err)
{
	const struct trace *trace = encoder->trace;
	enum ctp_status status = CTP_OK;

	while (encoder->site_count < trace->site_count && status == CTP_OK)
		status = write_sites(encoder, err);
	while (encoder->device_count < trace->device_count && status == CTP_OK)
		status = write_device(
			encoder, &trace->devices[encoder->device_count++], err);
	if (encoder->activities.count > 0 && !encoder->has_sync &&
		status == CTP_OK) {
		encoder->has_sync = true;
		status = write_device_sync(encoder, err);
	}
	return status;
}

/* [18, [[key, value, kind], …]]: the facts, from this one on, that fit in one
 * block. */
static enum ctp_status write_facts(
	struct log_encoder *encoder, uint32_t *at, struct ctp_error *err)
{
	const struct trace *trace = encoder->trace;
	struct buffer rows = BUFFER_INIT;
	msgpack_packer packer = msgpack_out(&rows);
	uint32_t count = 0;

	for (; *at < trace->fact_count && rows.used < BYTES_A_BLOCK; ++*at) {
		const struct trace_fact *fact = &trace->facts[*at];

		if (place_of(encoder, *at) != IN_FACTS)
			continue;
		count++;
		(void)msgpack_pack_array(
			&packer, fact->kind == FACT_OWN ? 2 : 3);
		log_encoder_string(encoder, &packer, fact->key);
		log_encoder_string(encoder, &packer, fact->value);
		if (fact->kind != FACT_OWN)
			(void)msgpack_pack_int(&packer, (int)fact->kind);
	}
	packer = log_block_begin(&encoder->bytes, LOG_FACTS, 2);
	(void)msgpack_pack_array(&packer, count);
	buffer_add(&encoder->bytes, rows.bytes, rows.used);
	encoder->bytes.failed |= rows.failed;
	buffer_clear(&rows);
	return count == 0 ? CTP_OK
			  : log_encoder_write_block(encoder, LOG_FACTS, err);
}

/* [19, {name: count}] */
static enum ctp_status write_losses(
	struct log_encoder *encoder, struct ctp_error *err)
{
	const uint64_t *losses = encoder->trace->losses;
	msgpack_packer packer =
		log_block_begin(&encoder->bytes, LOG_TRACE_LOSSES, 2);
	uint32_t count = 0;

	for (int i = 0; i < LOSS_KINDS; i++)
		count += losses[i] != 0;
	if (count == 0)
		return CTP_OK;
	(void)msgpack_pack_map(&packer, count);
	for (int i = 0; i < LOSS_KINDS; i++)
		if (losses[i] != 0)
			msgpack_out_pair_uint(&packer,
				trace_loss_name((enum trace_loss)i), losses[i]);
	return log_encoder_write_block(encoder, LOG_TRACE_LOSSES, err);
}

static enum ctp_status write_totals(
	struct log_encoder *encoder, struct ctp_error *err)
{
	msgpack_packer packer = log_block_begin(&encoder->bytes, LOG_END, 2);

	(void)msgpack_pack_map(&packer, 3);
	msgpack_out_pair_int(&packer, "log", encoder->trace->end_ns);
	msgpack_out_pair_uint(&packer, "events", encoder->event_count);
	msgpack_out_pair_uint(
		&packer, "blocks", log_writer_blocks(encoder->writer));
	return log_encoder_write_block(encoder, LOG_END, err);
}

enum ctp_status log_encoder_write_end(
	struct log_encoder *encoder, struct ctp_error *err)
{
	const struct trace *trace = encoder->trace;
	enum ctp_status status = write_tracks(encoder, err);
	uint32_t at = 0;

	for (uint32_t i = 0; i < trace->track_count && status == CTP_OK; i++)
		status = finish_track(encoder, i, err);
	/* Again, because more may be known by now. */
	encoder->device_count = 0;
	if (status == CTP_OK)
		status = log_encoder_write_tables(encoder, err);
	while (at < trace->fact_count && status == CTP_OK)
		status = write_facts(encoder, &at, err);
	if (status == CTP_OK)
		status = write_losses(encoder, err);
	return status == CTP_OK ? write_totals(encoder, err) : status;
}
