/* SPDX-License-Identifier: MIT */
/*
 * A database with all events, made in a temporary file, because SQLite does not
 * write sequentially, and copied when complete. It is one transaction that only
 * inserts. Sites and tracks, whose names may come late, are written last.
 * References are numbers; values that do not apply are NULL.
 */
#include "sqlite/sqlite_write.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "timeline/event_rows.h"
#include "json/json.h"
#include "base/memory.h"
#include "extsort/temp_file.h"
#include "sqlite/sqlite_rows.h"

#define COPY_BYTES ((size_t)1 << 16)

struct sqlite_write {
	struct timeline_writer writer; /* first: callers hold a pointer to it */
	FILE *out;
	const char *title;
	struct event_rows flat;
	struct temp_file file;
	struct sqlite_rows rows;
};

static struct sqlite_write *writer_of(struct timeline_writer *writer)
{
	return (struct sqlite_write *)writer;
}

static void put_args(struct sqlite_write *to, const struct event_row *row)
{
	if (row->args == NULL)
		sqlite_rows_skip(&to->rows);
	else
		sqlite_rows_text_sized(&to->rows, row->args, row->args_size);
}

static void put_slice(struct sqlite_write *to, const struct event_row *row)
{
	sqlite_rows_begin(&to->rows, SQLITE_SLICES);
	sqlite_rows_int(&to->rows, (int64_t)row->number);
	sqlite_rows_int(&to->rows, row->track);
	sqlite_rows_int(&to->rows, row->site);
	sqlite_rows_number(&to->rows, row->parent);
	sqlite_rows_int(&to->rows, row->depth);
	sqlite_rows_int(&to->rows, row->start_ns);
	sqlite_rows_int(&to->rows, (int64_t)row->duration_ns);
	sqlite_rows_int(&to->rows, (int64_t)row->self_ns);
	sqlite_rows_number(&to->rows, row->id);
	put_args(to, row);
}

static void put_activity(struct sqlite_write *to, const struct event_row *row)
{
	sqlite_rows_begin(&to->rows, SQLITE_ACTIVITIES);
	sqlite_rows_int(&to->rows, (int64_t)row->number);
	sqlite_rows_int(&to->rows, row->track);
	sqlite_rows_int(&to->rows, row->site);
	sqlite_rows_number(&to->rows, row->cause);
	sqlite_rows_int(&to->rows, row->start_ns);
	sqlite_rows_int(&to->rows, (int64_t)row->duration_ns);
	sqlite_rows_number(&to->rows, row->id);
	sqlite_rows_number(&to->rows, row->bytes);
	put_args(to, row);
}

static void put_counter(struct sqlite_write *to, const struct event_row *row)
{
	sqlite_rows_begin(&to->rows, SQLITE_COUNTERS);
	sqlite_rows_int(&to->rows, (int64_t)row->number);
	sqlite_rows_int(&to->rows, row->track);
	sqlite_rows_int(&to->rows, row->site);
	sqlite_rows_int(&to->rows, row->start_ns);
	if (row->value != NULL && row->value->kind == ARG_INT)
		sqlite_rows_int(&to->rows, row->value->value.integer);
	else if (row->value != NULL && row->value->kind == ARG_FLOAT)
		sqlite_rows_double(&to->rows, row->value->value.real);
	else
		sqlite_rows_skip(&to->rows);
	put_args(to, row);
}

static void put_event(struct sqlite_write *to, const struct event_row *row)
{
	const char *kind = event_rows_kind_name(row);

	sqlite_rows_begin(&to->rows, SQLITE_EVENTS);
	sqlite_rows_int(&to->rows, (int64_t)row->number);
	sqlite_rows_text(&to->rows, kind);
	sqlite_rows_int(&to->rows, row->track);
	if (row->site == TRACE_NONE)
		sqlite_rows_skip(&to->rows);
	else
		sqlite_rows_int(&to->rows, row->site);
	sqlite_rows_number(&to->rows, row->parent);
	sqlite_rows_int(&to->rows, row->start_ns);
	sqlite_rows_number(&to->rows, row->id);
	sqlite_rows_number(&to->rows, row->bytes);
	if (row->device < 0)
		sqlite_rows_skip(&to->rows);
	else
		sqlite_rows_int(&to->rows, row->device);
	put_args(to, row);
}

static enum ctp_status put(
	void *user, const struct event_row *row, struct ctp_error *err)
{
	struct sqlite_write *to = user;

	switch (row->kind) {
	case EVENT_BEGIN:
	case EVENT_COMPLETE:
	case EVENT_UNCLIPPED_CALL:
		put_slice(to, row);
		break;
	case EVENT_ACTIVITY:
		put_activity(to, row);
		break;
	case EVENT_COUNTER:
		put_counter(to, row);
		break;
	default:
		put_event(to, row);
		break;
	}
	return sqlite_rows_end(&to->rows, err);
}

static enum ctp_status put_sites(struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.trace;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < trace->site_count && status == CTP_OK; i++) {
		const struct trace_site *site = &trace->sites[i];

		sqlite_rows_begin(&to->rows, SQLITE_SITES);
		sqlite_rows_int(&to->rows, i);
		sqlite_rows_string(&to->rows, site->name);
		sqlite_rows_name(&to->rows, site->category);
		sqlite_rows_name(&to->rows, site->file);
		sqlite_rows_number(&to->rows, site->line);
		status = sqlite_rows_end(&to->rows, err);
	}
	return status;
}

/* A pid or tid; NULL where the trace has a text, which is a name here. */
static void put_id(struct sqlite_write *to, int64_t id)
{
	if (trace_id_is_text(id))
		sqlite_rows_skip(&to->rows);
	else
		sqlite_rows_int(&to->rows, id);
}

static enum ctp_status put_tracks(
	struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.trace;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < trace->track_count && status == CTP_OK; i++) {
		const struct trace_track *track = &trace->tracks[i];
		const char *kind = event_rows_track_name(track);
		bool is_stream = track->kind == TRACE_STREAM;

		sqlite_rows_begin(&to->rows, SQLITE_TRACKS);
		sqlite_rows_int(&to->rows, i);
		sqlite_rows_text(&to->rows, kind);
		put_id(to, track->pid);
		if (is_stream)
			sqlite_rows_skip(&to->rows);
		else
			put_id(to, track->tid);
		sqlite_rows_name(&to->rows, track->process_name);
		sqlite_rows_name(&to->rows, track->name);
		if (is_stream) {
			sqlite_rows_int(&to->rows, track->device);
			sqlite_rows_int(&to->rows, track->context);
			put_id(to, track->tid);
		}
		status = sqlite_rows_end(&to->rows, err);
	}
	return status;
}

static enum ctp_status put_devices(
	struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.trace;
	struct json *json = &to->flat.json;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < trace->device_count && status == CTP_OK; i++) {
		const struct trace_device *device = &trace->devices[i];

		json->used = 0;
		json->comma = false;
		json_begin(json, '{');
		for (uint32_t at = 0; at < device->arg_count; at++) {
			json_key(json, strtab_text(trace->text,
					       device->args[at].key, NULL));
			json_arg(json, &device->args[at]);
		}
		json_end(json, '}');
		if (json->failed)
			return ctp_no_memory(err);
		sqlite_rows_begin(&to->rows, SQLITE_DEVICES);
		sqlite_rows_int(&to->rows, device->pid);
		sqlite_rows_int(&to->rows, device->number);
		sqlite_rows_text_sized(&to->rows, json->bytes, json->used);
		status = sqlite_rows_end(&to->rows, err);
	}
	return status;
}

static enum ctp_status put_fact(struct sqlite_write *to, const char *key,
	const char *value, struct ctp_error *err)
{
	sqlite_rows_begin(&to->rows, SQLITE_FACTS);
	sqlite_rows_text(&to->rows, key);
	sqlite_rows_text(&to->rows, value);
	return sqlite_rows_end(&to->rows, err);
}

static enum ctp_status put_facts(struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.trace;
	enum ctp_status status = CTP_OK;
	char digits[JSON_NUMBER_MAX + 1];

	if (to->title != NULL)
		status = put_fact(to, "title", to->title, err);
	*json_put_int(digits, trace->base_realtime_ns) = '\0';
	if (status == CTP_OK && trace->base_realtime_ns != 0)
		status = put_fact(to, "base_realtime_ns", digits, err);
	for (uint32_t i = 0; i < trace->fact_count && status == CTP_OK; i++)
		status = put_fact(to,
			strtab_text(trace->text, trace->facts[i].key, NULL),
			strtab_text(trace->text, trace->facts[i].value, NULL),
			err);
	for (int i = 0; i < LOSS_KINDS && status == CTP_OK; i++) {
		const char *name = trace_loss_name((enum trace_loss)i);

		if (trace->losses[i] == 0)
			continue;
		sqlite_rows_begin(&to->rows, SQLITE_LOSSES);
		sqlite_rows_text(&to->rows, name);
		sqlite_rows_number(&to->rows, trace->losses[i]);
		status = sqlite_rows_end(&to->rows, err);
	}
	return status;
}

/* Copies the file to the output; write errors show on the stream. */
static enum ctp_status copy(struct sqlite_write *to, struct ctp_error *err)
{
	char *bytes = memory_new(COPY_BYTES);
	enum ctp_status status = CTP_OK;
	off_t at = 0;
	ssize_t got = 0;

	if (bytes == NULL)
		return ctp_no_memory(err);
	while (!ferror(to->out) &&
		((got = pread(to->file.fd, bytes, COPY_BYTES, at)) > 0 ||
			(got < 0 && errno == EINTR))) {
		if (got < 0)
			continue;
		(void)fwrite(bytes, 1, (size_t)got, to->out);
		at += got;
	}
	if (got < 0)
		status =
			ctp_fail(err, CTP_ERR_IO, "cannot read temporary data");
	memory_free(bytes);
	return status;
}

static enum ctp_status finish(
	struct timeline_writer *writer, struct ctp_error *err)
{
	struct sqlite_write *to = writer_of(writer);
	enum ctp_status status = event_rows_finish(&to->flat, err);

	if (status == CTP_OK)
		status = put_sites(to, err);
	if (status == CTP_OK)
		status = put_tracks(to, err);
	if (status == CTP_OK)
		status = put_devices(to, err);
	if (status == CTP_OK)
		status = put_facts(to, err);
	if (status == CTP_OK)
		status = sqlite_rows_commit(&to->rows, err);
	sqlite_rows_close(&to->rows);
	return status == CTP_OK ? copy(to, err) : status;
}

static enum ctp_status add(struct timeline_writer *writer,
	const struct event *event, struct ctp_error *err)
{
	return event_rows_add(&writer_of(writer)->flat, event, err);
}

/* Unwritten data is in memory only, and little. */
static uint64_t pending(const struct timeline_writer *writer)
{
	const struct sqlite_write *to = (const struct sqlite_write *)writer;
	struct stat found;

	return fstat(to->file.fd, &found) == 0 ? (uint64_t)found.st_size : 0;
}

static void sqlite_free(struct timeline_writer *writer)
{
	struct sqlite_write *to = writer_of(writer);

	sqlite_rows_close(&to->rows);
	temp_file_close(&to->file);
	event_rows_clear(&to->flat);
	memory_free(to);
}

enum ctp_status sqlite_write_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	struct sqlite_write *to = memory_new_zeroed(1, sizeof(*to));
	enum ctp_status status = CTP_OK;

	if (to == NULL)
		return ctp_no_memory(err);
	to->writer = (struct timeline_writer){
		.add = add,
		.finish = finish,
		.free = sqlite_free,
		.pending = pending,
	};
	to->out = out;
	to->title = options == NULL ? NULL : options->title;
	to->file = TEMP_FILE_NONE;
	if (!event_rows_init(&to->flat, trace))
		status = ctp_no_memory(err);
	if (status == CTP_OK)
		status = temp_file_open(&to->file, err);
	if (status == CTP_OK)
		status = sqlite_rows_open(&to->rows, to->file.fd, trace, err);
	if (status != CTP_OK) {
		sqlite_free(&to->writer);
		return status;
	}
	to->flat.put = put;
	to->flat.user = to;
	*writer = &to->writer;
	return CTP_OK;
}
