/* SPDX-License-Identifier: MIT */
#include "sqlite/sqlite_rows.h"

#include <errno.h>
#include <string.h>

#include "sqlite/sqlite_file.h"
#include "base/utf8.h"

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

static enum ctp_status fail(struct sqlite_rows *rows, struct ctp_error *err)
{
	int result = sqlite3_errcode(rows->db);

	if (result == SQLITE_NOMEM)
		return ctp_no_memory(err);
	if (errno == 0)
		errno = EIO;
	return ctp_fail(err, CTP_ERR_IO,
		"cannot make a database of temporary data: %.100s",
		sqlite3_errstr(result));
}

static enum ctp_status execute(
	struct sqlite_rows *rows, const char *sql, struct ctp_error *err)
{
	errno = 0;
	return sqlite3_exec(rows->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? CTP_OK
		       : fail(rows, err);
}

enum ctp_status sqlite_rows_open(struct sqlite_rows *rows, int fd,
	struct trace *trace, struct ctp_error *err)
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
void sqlite_rows_close(struct sqlite_rows *rows)
{
	for (int i = 0; i < SQLITE_TABLES; i++)
		(void)sqlite3_finalize(rows->insert[i]);
	(void)sqlite3_close(rows->db);
	buffer_clear(&rows->text);
	*rows = (struct sqlite_rows){.db = NULL};
}

enum ctp_status sqlite_rows_commit(
	struct sqlite_rows *rows, struct ctp_error *err)
{
	return execute(rows, "COMMIT", err);
}

void sqlite_rows_begin(struct sqlite_rows *rows, enum sqlite_table table)
{
	rows->row = rows->insert[table];
	rows->column = 0;
	(void)sqlite3_clear_bindings(rows->row);
}

void sqlite_rows_skip(struct sqlite_rows *rows)
{
	rows->column++;
}

void sqlite_rows_int(struct sqlite_rows *rows, int64_t value)
{
	(void)sqlite3_bind_int64(rows->row, ++rows->column, value);
}

void sqlite_rows_double(struct sqlite_rows *rows, double value)
{
	(void)sqlite3_bind_double(rows->row, ++rows->column, value);
}

void sqlite_rows_number(struct sqlite_rows *rows, uint64_t value)
{
	if (value == 0)
		sqlite_rows_skip(rows);
	else
		sqlite_rows_int(rows, (int64_t)value);
}

void sqlite_rows_text_sized(
	struct sqlite_rows *rows, const char *bytes, size_t size)
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

void sqlite_rows_text(struct sqlite_rows *rows, const char *text)
{
	sqlite_rows_text_sized(rows, text, strlen(text));
}

void sqlite_rows_string(struct sqlite_rows *rows, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(rows->trace->text, number, &size);

	sqlite_rows_text_sized(rows, bytes, size);
}

void sqlite_rows_name(struct sqlite_rows *rows, uint32_t number)
{
	if (number == 0)
		sqlite_rows_skip(rows);
	else
		sqlite_rows_string(rows, number);
}

enum ctp_status sqlite_rows_end(struct sqlite_rows *rows, struct ctp_error *err)
{
	errno = 0;
	if (rows->text.failed)
		return ctp_no_memory(err);
	(void)sqlite3_step(rows->row);
	return sqlite3_reset(rows->row) == SQLITE_OK ? CTP_OK : fail(rows, err);
}
