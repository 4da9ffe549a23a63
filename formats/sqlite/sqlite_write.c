/* SPDX-License-Identifier: MIT */
/*
 * A database with all events, made in a temporary file, because SQLite does not
 * write sequentially, and copied when complete. It is one transaction that only
 * inserts. Sites and tracks, whose names may come late, are written last.
 * References are numbers; values that do not apply are NULL.
 */
#include "sqlite/sqlite_write.h"

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "timeline/event_rows.h"
#include "json/json.h"
#include "base/memory.h"
#include "extsort/temp_file.h"
#include "base/buffer.h"
#include "base/error.h"
#include "trace/trace.h"
#include "sqlite/sqlite_file.h"
#include "base/utf8.h"

enum sqlite_table {
	SQLITE_SLICES,
	SQLITE_ACTIVITIES,
	SQLITE_COUNTERS,
	SQLITE_EVENTS,
	SQLITE_SITES,
	SQLITE_TRACKS,
	SQLITE_DEVICES,
	SQLITE_FACTS,
	SQLITE_LOSSES,
	SQLITE_TABLES
};

/* The output database: its tables, and rows that are filled from left to
 * right. */
struct rows {
	struct trace *trace;
	sqlite3 *db;
	sqlite3_stmt *insert[SQLITE_TABLES];
	sqlite3_stmt *row; /* being filled */
	int column;        /* the last one filled */
	struct buffer text;
};

/* "user_version" is the version of this schema. */
static const char schema[] =
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
	"PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 8192;"
	"PRAGMA user_version = 1;"
	"BEGIN;"
	"CREATE TABLE facts (key TEXT NOT NULL, value TEXT NOT NULL);"
	"CREATE TABLE losses (name TEXT NOT NULL, count INTEGER NOT NULL);"
	"CREATE TABLE devices (pid INTEGER NOT NULL, device INTEGER NOT NULL,"
	" properties TEXT NOT NULL);"
	"CREATE TABLE tracks (track INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
	" pid INTEGER, tid INTEGER, process TEXT, name TEXT,"
	" device INTEGER, context INTEGER, stream INTEGER);"
	"CREATE TABLE sites (site INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" category TEXT, file TEXT, line INTEGER);"
	"CREATE TABLE slices (slice INTEGER PRIMARY KEY,"
	" track INTEGER NOT NULL, site INTEGER NOT NULL, parent INTEGER,"
	" depth INTEGER NOT NULL, start_ns INTEGER NOT NULL,"
	" duration_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL, id INTEGER,"
	" args TEXT);"
	"CREATE TABLE activities (activity INTEGER PRIMARY KEY,"
	" track INTEGER NOT NULL, site INTEGER NOT NULL, cause INTEGER,"
	" start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, id INTEGER,"
	" bytes INTEGER, args TEXT);"
	"CREATE TABLE counters (counter INTEGER PRIMARY KEY,"
	" track INTEGER NOT NULL, site INTEGER NOT NULL,"
	" time_ns INTEGER NOT NULL, value, args TEXT);"
	"CREATE TABLE events (event INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
	" track INTEGER NOT NULL, site INTEGER, parent INTEGER,"
	" time_ns INTEGER NOT NULL, id INTEGER, bytes INTEGER, device INTEGER,"
	" args TEXT);"
	"CREATE VIEW instants AS SELECT * FROM events WHERE kind = 'instant';"
	"CREATE VIEW flows AS SELECT * FROM events WHERE kind LIKE 'flow %';"
	"CREATE VIEW functions AS SELECT name, category, file, line,"
	" count(*) AS calls, sum(self_ns) AS self_ns, min(duration_ns) AS"
	" min_ns, max(duration_ns) AS max_ns FROM slices JOIN sites USING"
	" (site) GROUP BY site;"
	"CREATE VIEW args AS"
	" SELECT 'slice' AS kind, slice AS number, a.key, a.value"
	" FROM slices, json_each(slices.args) AS a"
	" UNION ALL SELECT 'activity', activity, a.key, a.value"
	" FROM activities, json_each(activities.args) AS a"
	" UNION ALL SELECT 'counter', counter, a.key, a.value"
	" FROM counters, json_each(counters.args) AS a"
	" UNION ALL SELECT 'event', event, a.key, a.value"
	" FROM events, json_each(events.args) AS a;";

static const char *const inserts[SQLITE_TABLES] = {
	[SQLITE_SLICES] = "INSERT INTO slices VALUES (?,?,?,?,?,?,?,?,?,?)",
	[SQLITE_ACTIVITIES] =
		"INSERT INTO activities VALUES (?,?,?,?,?,?,?,?,?)",
	[SQLITE_COUNTERS] = "INSERT INTO counters VALUES (?,?,?,?,?,?)",
	[SQLITE_EVENTS] = "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?)",
	[SQLITE_SITES] = "INSERT INTO sites VALUES (?,?,?,?,?)",
	[SQLITE_TRACKS] = "INSERT INTO tracks VALUES (?,?,?,?,?,?,?,?,?)",
	[SQLITE_DEVICES] = "INSERT INTO devices VALUES (?,?,?)",
	[SQLITE_FACTS] = "INSERT INTO facts VALUES (?,?)",
	[SQLITE_LOSSES] = "INSERT INTO losses VALUES (?,?)",
};

static enum ctp_status fail(struct rows *rows, struct ctp_error *err)
{
	int result = sqlite3_errcode(rows->db);

	if (result == SQLITE_NOMEM)
		return ctp_no_memory(err);
	if (errno == 0)
		errno = EIO;
	return ctp_fail(err, CTP_ERR_IO,
		"cannot create the temporary database: %.100s",
		sqlite3_errstr(result));
}

static enum ctp_status execute(
	struct rows *rows, const char *sql, struct ctp_error *err)
{
	errno = 0;
	return sqlite3_exec(rows->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? CTP_OK
		       : fail(rows, err);
}

/* Creates the tables in the file `fd`. Call rows_close() in any case.
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO. */
static enum ctp_status rows_open(
	struct rows *rows, int fd, struct trace *trace, struct ctp_error *err)
{
	enum ctp_status status = sqlite_file_open(fd, true, &rows->db, err);

	rows->trace = trace;
	if (status == CTP_OK)
		status = execute(rows, schema, err);
	for (int i = 0; i < SQLITE_TABLES && status == CTP_OK; i++)
		if (sqlite3_prepare_v2(rows->db, inserts[i], -1,
			    &rows->insert[i], NULL) != SQLITE_OK)
			status = fail(rows, err);
	return status;
}

/* Statements first, because they keep the database open. */
static void rows_close(struct rows *rows)
{
	for (int i = 0; i < SQLITE_TABLES; i++)
		(void)sqlite3_finalize(rows->insert[i]);
	(void)sqlite3_close(rows->db);
	buffer_clear(&rows->text);
	*rows = (struct rows){.db = NULL};
}

/* Commits all rows to the file. Errors: likewise. */
static enum ctp_status rows_commit(struct rows *rows, struct ctp_error *err)
{
	return execute(rows, "COMMIT", err);
}

/* Columns of a row, from left to right; skipped ones are NULL. */
static void rows_begin(struct rows *rows, enum sqlite_table table)
{
	rows->row = rows->insert[table];
	rows->column = 0;
	(void)sqlite3_clear_bindings(rows->row);
}

static void rows_skip(struct rows *rows)
{
	rows->column++;
}

static void rows_int(struct rows *rows, int64_t value)
{
	(void)sqlite3_bind_int64(rows->row, ++rows->column, value);
}

static void rows_double(struct rows *rows, double value)
{
	(void)sqlite3_bind_double(rows->row, ++rows->column, value);
}

/* 0 becomes NULL. */
static void rows_number(struct rows *rows, uint64_t value)
{
	if (value == 0)
		rows_skip(rows);
	else
		rows_int(rows, (int64_t)value);
}

static void rows_text_sized(struct rows *rows, const char *bytes, size_t size)
{
	rows->column++;
	if (utf8_valid_prefix(bytes, size) == size) {
		(void)sqlite3_bind_text64(rows->row, rows->column, bytes, size,
			SQLITE_STATIC, SQLITE_UTF8);
		return;
	}
	rows->text.used = 0;
	trace_lose(rows->trace, LOSS_BAD_TEXT,
		utf8_add_valid(&rows->text, bytes, size));
	(void)sqlite3_bind_text64(rows->row, rows->column,
		(const char *)rows->text.bytes, rows->text.used,
		SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Text, borrowed until the end of the row; invalid UTF-8 is replaced. */
static void rows_text(struct rows *rows, const char *text)
{
	rows_text_sized(rows, text, strlen(text));
}

/* The trace's text; the second writes NULL for "". */
static void rows_string(struct rows *rows, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(rows->trace->text, number, &size);

	rows_text_sized(rows, bytes, size);
}

static void rows_name(struct rows *rows, uint32_t number)
{
	if (number == 0)
		rows_skip(rows);
	else
		rows_string(rows, number);
}

/* Inserts the row. Errors: CTP_ERR_NOMEM, CTP_ERR_IO. */
static enum ctp_status rows_end(struct rows *rows, struct ctp_error *err)
{
	errno = 0;
	if (rows->text.failed)
		return ctp_no_memory(err);
	(void)sqlite3_step(rows->row);
	return sqlite3_reset(rows->row) == SQLITE_OK ? CTP_OK : fail(rows, err);
}

#define COPY_BYTES ((size_t)1 << 16)

struct sqlite_write {
	struct event_rows flat; /* first: the layer holds a pointer to it */
	struct temp_file file;
	struct rows rows;
};

static void write_args(struct sqlite_write *to, const struct event_row *row)
{
	if (row->args == NULL)
		rows_skip(&to->rows);
	else
		rows_text_sized(&to->rows, row->args, row->args_size);
}

static void write_slice(struct sqlite_write *to, const struct event_row *row)
{
	rows_begin(&to->rows, SQLITE_SLICES);
	rows_int(&to->rows, (int64_t)row->number);
	rows_int(&to->rows, row->track);
	rows_int(&to->rows, row->site);
	rows_number(&to->rows, row->parent);
	rows_int(&to->rows, row->depth);
	rows_int(&to->rows, row->start_ns);
	rows_int(&to->rows, (int64_t)row->duration_ns);
	rows_int(&to->rows, (int64_t)row->self_ns);
	rows_number(&to->rows, row->id);
	write_args(to, row);
}

static void write_activity(struct sqlite_write *to, const struct event_row *row)
{
	rows_begin(&to->rows, SQLITE_ACTIVITIES);
	rows_int(&to->rows, (int64_t)row->number);
	rows_int(&to->rows, row->track);
	rows_int(&to->rows, row->site);
	rows_number(&to->rows, row->cause);
	rows_int(&to->rows, row->start_ns);
	rows_int(&to->rows, (int64_t)row->duration_ns);
	rows_number(&to->rows, row->id);
	rows_number(&to->rows, row->bytes);
	write_args(to, row);
}

static void write_counter(struct sqlite_write *to, const struct event_row *row)
{
	rows_begin(&to->rows, SQLITE_COUNTERS);
	rows_int(&to->rows, (int64_t)row->number);
	rows_int(&to->rows, row->track);
	rows_int(&to->rows, row->site);
	rows_int(&to->rows, row->start_ns);
	if (row->value != NULL && row->value->kind == ARG_INT)
		rows_int(&to->rows, row->value->value.integer);
	else if (row->value != NULL && row->value->kind == ARG_FLOAT)
		rows_double(&to->rows, row->value->value.real);
	else
		rows_skip(&to->rows);
	write_args(to, row);
}

static void write_event(struct sqlite_write *to, const struct event_row *row)
{
	const char *kind = event_rows_kind_name(row);

	rows_begin(&to->rows, SQLITE_EVENTS);
	rows_int(&to->rows, (int64_t)row->number);
	rows_text(&to->rows, kind);
	rows_int(&to->rows, row->track);
	if (row->site == TRACE_NONE)
		rows_skip(&to->rows);
	else
		rows_int(&to->rows, row->site);
	rows_number(&to->rows, row->parent);
	rows_int(&to->rows, row->start_ns);
	rows_number(&to->rows, row->id);
	rows_number(&to->rows, row->bytes);
	if (row->device < 0)
		rows_skip(&to->rows);
	else
		rows_int(&to->rows, row->device);
	write_args(to, row);
}

static bool write_row(struct event_rows *flat, const struct event_row *row)
{
	struct sqlite_write *to = (struct sqlite_write *)flat;

	switch (row->kind) {
	case EVENT_BEGIN:
	case EVENT_COMPLETE:
	case EVENT_UNCLIPPED_CALL:
		write_slice(to, row);
		break;
	case EVENT_ACTIVITY:
		write_activity(to, row);
		break;
	case EVENT_COUNTER:
		write_counter(to, row);
		break;
	default:
		write_event(to, row);
		break;
	}
	return timeline_check(
		&flat->timeline, rows_end(&to->rows, flat->timeline.err));
}

static enum ctp_status write_sites(
	struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.timeline.trace;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < trace->site_count && status == CTP_OK; i++) {
		const struct trace_site *site = &trace->sites[i];

		rows_begin(&to->rows, SQLITE_SITES);
		rows_int(&to->rows, i);
		rows_string(&to->rows, site->name);
		rows_name(&to->rows, site->category);
		rows_name(&to->rows, site->file);
		rows_number(&to->rows, site->line);
		status = rows_end(&to->rows, err);
	}
	return status;
}

/* A pid or tid; NULL where the trace has a text, which is a name here. */
static void write_id(struct sqlite_write *to, int64_t id)
{
	if (trace_id_is_text(id))
		rows_skip(&to->rows);
	else
		rows_int(&to->rows, id);
}

static enum ctp_status write_tracks(
	struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.timeline.trace;
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < trace->track_count && status == CTP_OK; i++) {
		const struct trace_track *track = &trace->tracks[i];
		const char *kind = event_rows_track_name(track);
		bool is_stream = track->kind == TRACE_STREAM;

		rows_begin(&to->rows, SQLITE_TRACKS);
		rows_int(&to->rows, i);
		rows_text(&to->rows, kind);
		write_id(to, track->pid);
		if (is_stream)
			rows_skip(&to->rows);
		else
			write_id(to, track->tid);
		rows_name(&to->rows, track->process_name);
		rows_name(&to->rows, track->name);
		if (is_stream) {
			rows_int(&to->rows, track->device);
			rows_int(&to->rows, track->context);
			write_id(to, track->tid);
		}
		status = rows_end(&to->rows, err);
	}
	return status;
}

static enum ctp_status write_devices(
	struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.timeline.trace;
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
		rows_begin(&to->rows, SQLITE_DEVICES);
		rows_int(&to->rows, device->pid);
		rows_int(&to->rows, device->number);
		rows_text_sized(&to->rows, json->bytes, json->used);
		status = rows_end(&to->rows, err);
	}
	return status;
}

static enum ctp_status write_fact(struct sqlite_write *to, const char *key,
	const char *value, struct ctp_error *err)
{
	rows_begin(&to->rows, SQLITE_FACTS);
	rows_text(&to->rows, key);
	rows_text(&to->rows, value);
	return rows_end(&to->rows, err);
}

static enum ctp_status write_facts(
	struct sqlite_write *to, struct ctp_error *err)
{
	const struct trace *trace = to->flat.timeline.trace;
	enum ctp_status status = CTP_OK;
	char digits[JSON_NUMBER_MAX + 1];

	if (to->flat.timeline.options.title != NULL)
		status = write_fact(
			to, "title", to->flat.timeline.options.title, err);
	*json_put_int(digits, trace->base_realtime_ns) = '\0';
	if (status == CTP_OK && trace->base_realtime_ns != 0)
		status = write_fact(to, "base_realtime_ns", digits, err);
	for (uint32_t i = 0; i < trace->fact_count && status == CTP_OK; i++)
		status = write_fact(to,
			strtab_text(trace->text, trace->facts[i].key, NULL),
			strtab_text(trace->text, trace->facts[i].value, NULL),
			err);
	for (int i = 0; i < LOSS_KINDS && status == CTP_OK; i++) {
		const char *name = trace_loss_name((enum trace_loss)i);

		if (trace->losses[i] == 0)
			continue;
		rows_begin(&to->rows, SQLITE_LOSSES);
		rows_text(&to->rows, name);
		rows_number(&to->rows, trace->losses[i]);
		status = rows_end(&to->rows, err);
	}
	return status;
}

/* Copies the file to the output; write errors show on the stream. */
static enum ctp_status copy(struct sqlite_write *to, struct ctp_error *err)
{
	FILE *out = to->flat.timeline.out;
	char *bytes = memory_new(COPY_BYTES);
	enum ctp_status status = CTP_OK;
	off_t at = 0;
	ssize_t got = 0;

	if (bytes == NULL)
		return ctp_no_memory(err);
	while (!ferror(out) &&
		((got = pread(to->file.fd, bytes, COPY_BYTES, at)) > 0 ||
			(got < 0 && errno == EINTR))) {
		if (got < 0)
			continue;
		(void)fwrite(bytes, 1, (size_t)got, out);
		at += got;
	}
	if (got < 0)
		status =
			ctp_fail(err, CTP_ERR_IO, "cannot read temporary data");
	memory_free(bytes);
	return status;
}

/* The tables that are known last. */
static enum ctp_status write_rest(
	struct sqlite_write *to, struct ctp_error *err)
{
	enum ctp_status status = write_sites(to, err);

	if (status == CTP_OK)
		status = write_tracks(to, err);
	if (status == CTP_OK)
		status = write_devices(to, err);
	if (status == CTP_OK)
		status = write_facts(to, err);
	if (status == CTP_OK)
		status = rows_commit(&to->rows, err);
	rows_close(&to->rows);
	return status == CTP_OK ? copy(to, err) : status;
}

static bool finish(struct timeline *timeline)
{
	return timeline_check(timeline,
		write_rest((struct sqlite_write *)timeline, timeline->err));
}

/* Unwritten data is in memory only, and little. */
static uint64_t pending(const struct timeline_writer *writer)
{
	const struct sqlite_write *to = (const struct sqlite_write *)writer;
	struct stat found;

	return fstat(to->file.fd, &found) == 0 ? (uint64_t)found.st_size : 0;
}

static bool init(struct timeline *timeline)
{
	struct sqlite_write *to = (struct sqlite_write *)timeline;
	struct ctp_error *err = timeline->err;

	to->file = TEMP_FILE_NONE;
	to->flat.write_row = write_row;
	return event_rows_init(&to->flat) &&
	       timeline_check(timeline, temp_file_open(&to->file, err)) &&
	       timeline_check(timeline,
		       rows_open(&to->rows, to->file.fd, timeline->trace, err));
}

static void clear(struct timeline *timeline)
{
	struct sqlite_write *to = (struct sqlite_write *)timeline;

	rows_close(&to->rows);
	temp_file_close(&to->file);
	event_rows_clear(&to->flat);
}

static const struct timeline_form form = {
	EVENT_ROWS_FORM,
	.bytes = sizeof(struct sqlite_write),
	.init = init,
	.finish = finish,
	.pending = pending,
	.clear = clear,
};

enum ctp_status sqlite_write_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	return timeline_new(&form, out, trace, options, writer, err);
}
