/* SPDX-License-Identifier: MIT */
/*
 * Source of the defences: "Defense Against The Dark Arts",
 * https://www.sqlite.org/security.html
 */
#include "sqlite_input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "sqlite_file.h"

#define HEAD_BYTES 16
#define COPY_BYTES ((size_t)1 << 16)

/* SQLite asks us now and then whether to go on. A database that is what it
 * seems to be is read a few times over, in some tens of steps for each row of a
 * few bytes; one whose pages refer to each other in circles, or that computes
 * its columns, could go on forever. */
#define STEPS_PER_UNIT 1000
#define WORK_MIN UINT64_C(200000)
#define BYTES_PER_UNIT 10

/* No value that we ask for is that long. */
#define VALUE_MAX (64 << 20)

/* Does the stream stand for a file that we can read by ourselves? */
static bool is_plain(FILE *in, const void *head, size_t head_size)
{
	uint8_t bytes[HEAD_BYTES];
	struct stat found;
	int fd = fileno(in);

	return fd >= 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
	       head_size >= sizeof(bytes) &&
	       pread(fd, bytes, sizeof(bytes), 0) == (ssize_t)sizeof(bytes) &&
	       memcmp(bytes, head, sizeof(bytes)) == 0;
}

static enum ctp_status copy(struct sqlite_input *input, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err)
{
	uint8_t *bytes = memory_new(COPY_BYTES);
	enum ctp_status status;
	size_t got = 0;

	if (bytes == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	status = spill_file_open(&input->copy, err);
	if (status == CTP_OK && head_size > 0)
		status = spill_file_add(&input->copy, head, head_size, err);
	while (status == CTP_OK && (got = fread(bytes, 1, COPY_BYTES, in)) > 0)
		status = spill_file_add(&input->copy, bytes, got, err);
	if (status == CTP_OK && ferror(in))
		status = ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot read");
	if (status == CTP_OK)
		status = spill_file_flush(&input->copy, err);
	memory_free(bytes);
	return status;
}

static int is_enough(void *user)
{
	struct sqlite_input *input = user;

	if (input->work_left == 0)
		return 1;
	input->work_left--;
	return 0;
}

static void defend(struct sqlite_input *input)
{
	static const struct {
		int what, value;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, VALUE_MAX},
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_EXPR_DEPTH, 100},
		{SQLITE_LIMIT_COMPOUND_SELECT, 8},
		{SQLITE_LIMIT_VDBE_OP, 25000},
		{SQLITE_LIMIT_FUNCTION_ARG, 8},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 8},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};
	sqlite3 *db = input->db;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		(void)sqlite3_limit(db, limits[i].what, limits[i].value);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA /* since 3.31 */
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
	(void)sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	sqlite3_progress_handler(db, STEPS_PER_UNIT, is_enough, input);
}

static enum ctp_status fail(sqlite3 *db, struct ctp_error *err)
{
	int result = sqlite3_extended_errcode(db);

	switch (result & 0xff) {
	case SQLITE_NOMEM:
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (result == SQLITE_IOERR_SHORT_READ)
			break;
		return ctp_fail(err, CTP_ERR_IO, ERROR_NO_OFFSET,
			"SQLite: %.150s", sqlite3_errmsg(db));
	case SQLITE_INTERRUPT:
		return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
			"takes more work to read than its size can explain");
	default:
		break;
	}
	return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET, "SQLite: %.150s",
		sqlite3_errmsg(db));
}

/* Reads the schema, without which nothing is known. */
static enum ctp_status check(
	struct sqlite_input *input, int fd, struct ctp_error *err)
{
	struct stat found;

	if (fstat(fd, &found) != 0)
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot read");
	input->size_bytes = (uint64_t)found.st_size;
	input->work_left = WORK_MIN + input->size_bytes / BYTES_PER_UNIT;
	defend(input);
	return sqlite3_exec(input->db, "SELECT count(*) FROM sqlite_master",
		       NULL, NULL, NULL) == SQLITE_OK
		       ? CTP_OK
		       : fail(input->db, err);
}

enum ctp_status sqlite_input_open(struct sqlite_input *input, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	int fd = fileno(in);

	*input = (struct sqlite_input){.copy = SPILL_FILE_NONE};
	if (!is_plain(in, head, head_size)) {
		status = copy(input, in, head, head_size, err);
		fd = input->copy.fd;
	}
	if (status == CTP_OK)
		status = sqlite_file_open(fd, false, &input->db, err);
	if (status == CTP_OK)
		status = check(input, fd, err);
	if (status != CTP_OK)
		sqlite_input_close(input);
	return status;
}

void sqlite_input_close(struct sqlite_input *input)
{
	(void)sqlite3_close(input->db);
	input->db = NULL;
	spill_file_close(&input->copy);
}

bool sqlite_input_has(
	const struct sqlite_input *input, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(input->db, "main", table, column,
		       NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* The question in SQL; sqlite3_free() it. NULL if out of memory. */
static char *compose(
	const struct sqlite_input *input, const struct sqlite_select *select)
{
	sqlite3_str *sql = sqlite3_str_new(input->db);

	for (size_t i = 0; i < select->column_count; i++) {
		sqlite3_str_appendall(sql, i == 0 ? "SELECT " : ", ");
		if (sqlite_input_has(input, select->table, select->columns[i]))
			sqlite3_str_appendf(sql, "\"%w\"", select->columns[i]);
		else
			sqlite3_str_appendall(sql, "NULL");
	}
	sqlite3_str_appendf(sql, " FROM main.\"%w\"", select->table);
	if (select->condition != NULL)
		sqlite3_str_appendf(sql, " WHERE %s", select->condition);
	if (select->order != NULL)
		sqlite3_str_appendf(sql, " ORDER BY %s%s", select->order,
			sqlite_input_has(input, select->table, "rowid")
				? ", rowid"
				: "");
	return sqlite3_str_finish(sql);
}

enum ctp_status sqlite_input_select(const struct sqlite_input *input,
	const struct sqlite_select *select, sqlite3_stmt **out,
	struct ctp_error *err)
{
	char *sql = select->sql != NULL ? sqlite3_mprintf("%s", select->sql)
					: compose(input, select);
	int result;

	*out = NULL;
	if (sql == NULL)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	result = sqlite3_prepare_v2(input->db, sql, -1, out, NULL);
	sqlite3_free(sql);
	return result == SQLITE_OK ? CTP_OK : fail(input->db, err);
}

enum ctp_status sqlite_input_step(
	sqlite3_stmt *statement, struct ctp_error *err)
{
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		return CTP_OK;
	case SQLITE_DONE:
		return CTP_END;
	default:
		return fail(sqlite3_db_handle(statement), err);
	}
}

bool sqlite_input_number(
	const struct sqlite_input *input, const char *sql, int64_t *out)
{
	sqlite3_stmt *statement;
	bool found;

	if (sqlite3_prepare_v2(input->db, sql, -1, &statement, NULL) !=
		SQLITE_OK)
		return false;
	found = sqlite3_step(statement) == SQLITE_ROW &&
		sqlite_input_int(statement, 0, out);
	(void)sqlite3_finalize(statement);
	return found;
}

const char *sqlite_input_text(sqlite3_stmt *statement, int column, size_t *size)
{
	const unsigned char *text;

	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return NULL;
	text = sqlite3_column_text(statement, column);
	if (size != NULL)
		*size = (size_t)sqlite3_column_bytes(statement, column);
	return (const char *)text;
}

bool sqlite_input_int(sqlite3_stmt *statement, int column, int64_t *out)
{
	if (sqlite3_column_type(statement, column) != SQLITE_INTEGER)
		return false;
	*out = sqlite3_column_int64(statement, column);
	return true;
}
