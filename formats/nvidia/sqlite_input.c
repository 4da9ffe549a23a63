/* SPDX-License-Identifier: MIT */
/*
 * Source of the defenses: "Defense Against The Dark Arts",
 * https://www.sqlite.org/security.html
 */
#include "nvidia/sqlite_input.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "sqlite/sqlite_file.h"

#define HEAD_BYTES 16
#define COPY_BYTES ((size_t)1 << 16)

/*
 * SQLite asks us now and then whether to continue. An honest database is read a
 * few times over, in some tens of steps for each row of a few bytes; one whose
 * pages form a cycle could go on forever. Many rows may share one long value,
 * so that few steps are much work. So we also count values, and the time of
 * steps without a row.
 */
#define STEPS_PER_UNIT 1000
#define VALUE_BYTES_PER_UNIT ((uint64_t)16 << 10)
#define NS_PER_UNIT 20000 /* measured: 1,000 steps take 10 us to 20 us */
#define WORK_MIN UINT64_C(200000)
#define BYTES_PER_UNIT 10

/* Longer than any name and any NVTX text. */
#define VALUE_MAX (16 << 20)
/* More than any profiler's table has. */
#define COLUMNS_MAX 500
/* SQLite's own default; the file's header could ask for another. */
#define CACHE "PRAGMA cache_size = -2000"

/* Is the stream a file that SQLite can open? */
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
		return ctp_no_memory(err);
	status = temp_file_open(&input->copy, err);
	if (status == CTP_OK && head_size > 0)
		status = temp_file_add(&input->copy, head, head_size, err);
	while (status == CTP_OK && (got = fread(bytes, 1, COPY_BYTES, in)) > 0)
		status = temp_file_add(&input->copy, bytes, got, err);
	if (status == CTP_OK && ferror(in))
		status = ctp_fail(err, CTP_ERR_IO, "cannot read");
	if (status == CTP_OK)
		status = temp_file_flush(&input->copy, err);
	memory_free(bytes);
	return status;
}

static uint64_t thread_time_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void count_work(struct sqlite_input *input, uint64_t units)
{
	input->work_left -= units < input->work_left ? units : input->work_left;
}

/* Counts the time since the last count if it was in the same SQLite call. */
static void count_time(struct sqlite_input *input)
{
	uint64_t now_ns = thread_time_ns();

	if (input->since_ns != 0 && now_ns > input->since_ns)
		count_work(input, (now_ns - input->since_ns) / NS_PER_UNIT);
	input->since_ns = now_ns;
}

static int is_enough(void *user)
{
	struct sqlite_input *input = user;

	count_work(input, 1);
	count_time(input);
	return input->work_left == 0;
}

/* The functions that our queries need. */
static bool is_function(const char *name)
{
	static const char *const functions[] = {"count", "max", "min", "total"};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(name, functions[i]) == 0)
			return true;
	return false;
}

static int authorize(void *user, int action, const char *first,
	const char *second, const char *database, const char *view)
{
	(void)user;
	(void)first;
	switch (action) {
	case SQLITE_SELECT:
		return SQLITE_OK;
	case SQLITE_READ:
		return view == NULL && (database == NULL ||
					       strcmp(database, "main") == 0)
			       ? SQLITE_OK
			       : SQLITE_DENY;
	case SQLITE_FUNCTION:
		return is_function(second) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static void set_limits(struct sqlite_input *input)
{
	static const struct {
		int what, value;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, VALUE_MAX},
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 17},
		{SQLITE_LIMIT_COLUMN, COLUMNS_MAX},
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
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW /* since 3.30 */
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_exec(
		db, "PRAGMA cell_size_check = ON; " CACHE, NULL, NULL, NULL);
	sqlite3_progress_handler(db, STEPS_PER_UNIT, is_enough, input);
}

static enum ctp_status fail(sqlite3 *db, struct ctp_error *err)
{
	int result = sqlite3_extended_errcode(db);

	switch (result & 0xff) {
	case SQLITE_NOMEM:
		return ctp_no_memory(err);
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (result == SQLITE_IOERR_SHORT_READ)
			break;
		return ctp_fail(
			err, CTP_ERR_IO, "SQLite: %.150s", sqlite3_errmsg(db));
	case SQLITE_INTERRUPT:
		return ctp_fail(err, CTP_ERR_FORMAT,
			"takes too much work to read for its size; it may be "
			"damaged");
	default:
		break;
	}
	return ctp_fail(
		err, CTP_ERR_FORMAT, "SQLite: %.150s", sqlite3_errmsg(db));
}

/* A table's name as SQLite compares it; false if out of memory. */
static bool fold(struct buffer *out, const char *name)
{
	for (; *name != '\0'; name++)
		buffer_add_byte(out, (uint8_t)tolower((unsigned char)*name));
	return !out->failed;
}

static bool add_computed(struct sqlite_input *input, const char *name)
{
	struct buffer folded = BUFFER_INIT;
	bool done = fold(&folded, name) &&
		    strtab_add(input->computed, (const char *)folded.bytes,
			    folded.used) != STRTAB_NONE;

	buffer_clear(&folded);
	return done;
}

/* Reads the schema and finds the computed tables: those without rows of their
 * own, or with generated columns. Fails without a schema. */
static enum ctp_status find_computed(
	struct sqlite_input *input, struct ctp_error *err)
{
	static const char sql[] =
		"SELECT name FROM sqlite_master AS m WHERE type = 'view' OR"
		" (type = 'table' AND (rootpage IS NULL OR rootpage = 0 OR"
		"  EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name, 'main')"
		"   WHERE hidden <> 0)))";
	sqlite3_stmt *names = NULL;
	int result;

	input->computed = strtab_new();
	if (input->computed == NULL)
		return ctp_no_memory(err);
	result = sqlite3_prepare_v2(input->db, sql, -1, &names, NULL);
	if (result == SQLITE_OK)
		while ((result = sqlite3_step(names)) == SQLITE_ROW) {
			const char *name = sqlite_input_text(names, 0, NULL);

			if (name != NULL && add_computed(input, name))
				continue;
			result = SQLITE_NOMEM;
			break;
		}
	(void)sqlite3_finalize(names);
	input->computed_count = strtab_count(input->computed);
	if (result == SQLITE_NOMEM)
		return ctp_no_memory(err);
	return result == SQLITE_DONE ? CTP_OK : fail(input->db, err);
}

static enum ctp_status check(
	struct sqlite_input *input, int fd, struct ctp_error *err)
{
	enum ctp_status status;
	struct stat found;

	if (fstat(fd, &found) != 0)
		return ctp_fail(err, CTP_ERR_IO, "cannot read");
	input->size_bytes = (uint64_t)found.st_size;
	input->work_left = WORK_MIN + input->size_bytes / BYTES_PER_UNIT;
	input->chance = thread_time_ns();
	set_limits(input);
	status = find_computed(input, err);
	if (status == CTP_OK)
		(void)sqlite3_set_authorizer(input->db, authorize, NULL);
	return status;
}

enum ctp_status sqlite_input_open(struct sqlite_input *input, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	int fd = fileno(in);

	*input = (struct sqlite_input){.copy = TEMP_FILE_NONE};
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
	strtab_free(input->computed);
	input->db = NULL;
	input->computed = NULL;
	temp_file_close(&input->copy);
}

static void no_memory(struct sqlite_input *input)
{
	(void)ctp_no_memory(&input->refused);
}

/* Is the table one that find_computed() found? */
static bool is_computed(struct sqlite_input *input, const char *table)
{
	struct buffer folded = BUFFER_INIT;
	uint32_t number = STRTAB_NONE;

	if (input->computed_count <= 1) /* "" */
		return false;
	if (fold(&folded, table))
		number = strtab_add(input->computed, (const char *)folded.bytes,
			folded.used);
	buffer_clear(&folded);
	if (number == STRTAB_NONE)
		no_memory(input);
	else if (number < input->computed_count &&
		 input->refused.status == CTP_OK)
		(void)ctp_fail(&input->refused, CTP_ERR_FORMAT,
			"table \"%.60s\" is a view, is virtual or has "
			"generated columns; ctprof reads plain tables only",
			table);
	return number < input->computed_count || number == STRTAB_NONE;
}

enum ctp_status sqlite_input_check(
	const struct sqlite_input *input, struct ctp_error *err)
{
	if (input->refused.status != CTP_OK && err != NULL)
		*err = input->refused;
	return input->refused.status;
}

bool sqlite_input_has(
	struct sqlite_input *input, const char *table, const char *column)
{
	if (is_computed(input, table))
		return false;
	return sqlite3_table_column_metadata(input->db, "main", table, column,
		       NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* The query in SQL; sqlite3_free() it. NULL if out of memory. */
static char *compose(
	struct sqlite_input *input, const struct sqlite_select *select)
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

enum ctp_status sqlite_input_select(struct sqlite_input *input,
	const struct sqlite_select *select, sqlite3_stmt **out,
	struct ctp_error *err)
{
	char *sql = select->sql != NULL ? sqlite3_mprintf("%s", select->sql)
					: compose(input, select);
	int result;

	*out = NULL;
	if (sql == NULL)
		return ctp_no_memory(err);
	result = sqlite3_prepare_v2(input->db, sql, -1, out, NULL);
	sqlite3_free(sql);
	return result == SQLITE_OK ? CTP_OK : fail(input->db, err);
}

/*
 * Long values are work, even if many rows share them. Measuring all of them
 * would take a quarter longer, so a random one stands for all of its row.
 */
static void count_values(struct sqlite_input *input, sqlite3_stmt *statement)
{
	unsigned count = (unsigned)sqlite3_column_count(statement);
	int column;
	int type;

	input->chance = input->chance * UINT64_C(6364136223846793005) + 1;
	column = (int)((input->chance >> 33) % count);
	type = sqlite3_column_type(statement, column);
	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		return;
	input->bytes +=
		count * (uint64_t)sqlite3_column_bytes(statement, column);
	count_work(input, input->bytes / VALUE_BYTES_PER_UNIT);
	input->bytes %= VALUE_BYTES_PER_UNIT;
}

static enum ctp_status step(struct sqlite_input *input, sqlite3_stmt *statement,
	struct ctp_error *err)
{
	enum ctp_status status;

	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		count_values(input, statement);
		return CTP_OK;
	case SQLITE_DONE:
		return CTP_END;
	default:
		status = fail(input->db, err);
		if (status == CTP_ERR_NOMEM)
			no_memory(input);
		return status;
	}
}

enum ctp_status sqlite_input_step(struct sqlite_input *input,
	sqlite3_stmt *statement, struct ctp_error *err)
{
	/* The time between calls is not SQLite's. */
	input->since_ns = 0;
	return step(input, statement, err);
}

enum ctp_status sqlite_input_find(
	struct sqlite_input *input, sqlite3_stmt *statement)
{
	enum ctp_status status;

	input->since_ns = thread_time_ns();
	status = step(input, statement, NULL);
	count_time(input);
	return status;
}

bool sqlite_input_number(
	struct sqlite_input *input, const char *sql, int64_t *out)
{
	sqlite3_stmt *statement;
	bool found;

	if (sqlite3_prepare_v2(input->db, sql, -1, &statement, NULL) !=
		SQLITE_OK)
		return false;
	found = sqlite_input_step(input, statement, NULL) == CTP_OK &&
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
