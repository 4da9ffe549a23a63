/* SPDX-License-Identifier: MIT */
#include "log_out.h"

#include <string.h>

#include "log_out_private.h"
#include "memory.h"

/* What waits of all tracks, at most; then all of it is written. */
#define HELD_MAX ((size_t)24 * 1024 * 1024)

/* What waits is larger than what it becomes by about this factor: 2.5 bytes
 * for one of 16, and arguments that repeat. */
#define HELD_PER_BYTE 6

/* Of an event's arguments: far from what a block may be. */
#define ARGS_BYTES_MAX (2 * LOG_OUT_TEXT_MAX)

#define CHARACTER_MAX 4 /* bytes of UTF-8 */

struct log_out *log_out_new(struct log_writer *writer, struct trace *trace)
{
	struct log_out *out = memory_new_zeroed(1, sizeof(*out));

	if (out == NULL)
		return NULL;
	out->writer = writer;
	out->trace = trace;
	out->descriptions = strtab_new();
	out->node_key =
		strtab_add(trace->text, LOG_NODE_KEY, strlen(LOG_NODE_KEY));
	if (out->descriptions == NULL || out->node_key == STRTAB_NONE) {
		log_out_free(out);
		return NULL;
	}
	return out;
}

static void track_free(struct log_out_track *track)
{
	if (track == NULL)
		return;
	memory_free(track->events);
	memory_free(track->open);
	buffer_clear(&track->extras);
	memory_free(track);
}

void log_out_free(struct log_out *out)
{
	if (out == NULL)
		return;
	for (uint32_t i = 0; i < out->track_room; i++)
		track_free(out->tracks[i]);
	memory_free(out->tracks);
	/* A column's rows are its track's. */
	log_column_sites_clear(&out->sites);
	buffer_clear(&out->activities.args);
	buffer_clear(&out->bytes);
	buffer_clear(&out->description);
	strtab_free(out->descriptions);
	memory_free(out);
}

enum ctp_status log_out_no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

enum ctp_status log_out_write(
	struct log_out *out, enum log_block kind, struct ctp_error *err)
{
	if (out->bytes.failed)
		return log_out_no_memory(err);
	return log_writer_add(out->writer, kind,
		&(struct deflate_part){
			out->bytes.bytes, out->bytes.used, false},
		1, err);
}

void log_out_text(struct log_out *out, msgpack_packer *packer, const char *text,
	size_t size)
{
	if (size > LOG_OUT_TEXT_MAX) {
		size_t valid = utf8_valid_prefix(text, LOG_OUT_TEXT_MAX);

		/* Not within a character; what is no UTF-8 may be cut
		 * anywhere. */
		size = valid + CHARACTER_MAX > LOG_OUT_TEXT_MAX
			       ? valid
			       : LOG_OUT_TEXT_MAX;
		trace_lose(out->trace, LOSS_CUT_TEXT, 1);
	}
	msgpack_out_text(packer, text, size);
}

void log_out_string(
	struct log_out *out, msgpack_packer *packer, uint32_t number)
{
	size_t size;
	const char *text = strtab_text(out->trace->text, number, &size);

	log_out_text(out, packer, text, size);
}

/* Can a log hold the value? Text can be cut, JSON cannot. */
static bool has_room(const struct event_arg *arg)
{
	return arg->kind != ARG_JSON ||
	       arg->value.text.size <= LOG_OUT_TEXT_MAX;
}

static void add_value(struct log_out *out, msgpack_packer *packer,
	const struct event_arg *arg)
{
	switch (arg->kind) {
	case ARG_INT:
		(void)msgpack_pack_int64(packer, arg->value.integer);
		break;
	case ARG_FLOAT:
		(void)msgpack_pack_double(packer, arg->value.real);
		break;
	case ARG_TEXT:
		log_out_text(out, packer, arg->value.text.bytes,
			arg->value.text.size);
		break;
	case ARG_JSON:
		(void)msgpack_pack_ext(
			packer, arg->value.text.size, LOG_EXT_JSON);
		(void)msgpack_pack_ext_body(
			packer, arg->value.text.bytes, arg->value.text.size);
		break;
	}
}

bool log_out_value(
	struct log_out *out, struct buffer *bytes, const struct event_arg *arg)
{
	msgpack_packer packer = msgpack_out(bytes);

	if (!has_room(arg)) {
		trace_lose(out->trace, LOSS_NOT_SHOWN, 1);
		return false;
	}
	add_value(out, &packer, arg);
	return true;
}

/* How many of the arguments have room. */
static uint32_t count_args(
	const struct log_out *out, const struct event_arg *args, uint32_t count)
{
	uint32_t kept = 0;
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++) {
		size_t size;

		(void)strtab_text(out->trace->text, args[i].key, &size);
		bytes += size;
		if (args[i].kind == ARG_TEXT || args[i].kind == ARG_JSON)
			bytes += args[i].value.text.size;
		if (bytes > ARGS_BYTES_MAX || kept == LOG_ARGS_MAX)
			break;
		kept += has_room(&args[i]);
	}
	return kept;
}

void log_out_args(struct log_out *out, struct buffer *bytes,
	const struct event_arg *args, uint32_t count)
{
	msgpack_packer packer = msgpack_out(bytes);
	uint32_t kept = count_args(out, args, count);

	trace_lose(out->trace, LOSS_NOT_SHOWN, count - kept);
	(void)msgpack_pack_map(&packer, kept);
	for (; kept > 0; args++) {
		if (!has_room(args))
			continue;
		log_out_string(out, &packer, args->key);
		add_value(out, &packer, args);
		kept--;
	}
}

enum ctp_status log_out_add(
	struct log_out *out, const struct event *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!out->begun)
		status = log_out_write_header(out, err);
	if (status != CTP_OK)
		return status;
	if (event->kind == EVENT_ACTIVITY)
		return log_out_activity(out, event, err);
	status = log_out_event(out, event, err);
	if (status == CTP_OK && out->held_bytes > HELD_MAX)
		status = log_out_write_tracks(out, err);
	return status;
}

uint64_t log_out_pending(const struct log_out *out)
{
	return out->held_bytes / HELD_PER_BYTE;
}

enum ctp_status log_out_finish(struct log_out *out, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (!out->begun)
		status = log_out_write_header(out, err);
	if (status == CTP_OK)
		status = log_out_write_activities(out, err);
	if (status == CTP_OK)
		status = log_out_write_tracks(out, err);
	return status == CTP_OK ? log_out_write_end(out, err) : status;
}
