/* SPDX-License-Identifier: MIT */
/*
 * A foreign SQLite database, read from any stream, with any tables and columns.
 * It may be malicious: its work is limited in proportion to its size, and rows
 * are read from it, never computed by it. If a table that we need is a view,
 * virtual, or has generated columns, the database is rejected.
 */
#ifndef SQLITE_INPUT_H
#define SQLITE_INPUT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "extsort/temp_file.h"
#include "base/strtab.h"

struct sqlite_input {
	sqlite3 *db;
	struct temp_file copy; /* of input from a pipe */
	uint64_t size_bytes;
	uint64_t work_left; /* work units left */
	uint64_t bytes;     /* bytes of values not yet counted as work */
	uint64_t chance;
	uint64_t since_ns;        /* thread time at the last count */
	struct strtab *computed;  /* names of tables that are not plain rows, */
	uint32_t computed_count;  /* then of others */
	struct ctp_error refused; /* CTP_OK: nothing was */
};

/*
 * Opens the stream's database; parameters as in open_events().
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED, CTP_ERR_FORMAT.
 * Nothing is open then.
 */
enum ctp_status sqlite_input_open(struct sqlite_input *input, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err);
void sqlite_input_close(struct sqlite_input *input);

/* Is there a table of this name, with this column (NULL: any)? False for a
 * computed table; sqlite_input_check() then fails. */
bool sqlite_input_has(
	struct sqlite_input *input, const char *table, const char *column);

/*
 * Has everything asked for been read so far? Reports failures that other
 * functions cannot.
 *
 * Errors: CTP_ERR_FORMAT if a table is computed; CTP_ERR_NOMEM.
 */
enum ctp_status sqlite_input_check(
	const struct sqlite_input *input, struct ctp_error *err);

/* A query of one table. */
struct sqlite_select {
	const char *table;
	const char *const *columns; /* missing ones read as NULL */
	size_t column_count;
	const char *condition; /* NULL: none; existing columns only */
	const char *order;     /* NULL: any; ties in row order */
	const char *sql; /* the whole query, instead of the last two; needs all
			  * of the columns */
};

/*
 * Prepares it; sqlite3_finalize() when done with it.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_FORMAT; *out is NULL then.
 */
enum ctp_status sqlite_input_select(struct sqlite_input *input,
	const struct sqlite_select *select, sqlite3_stmt **out,
	struct ctp_error *err);

/*
 * The next row; CTP_END after the last.
 *
 * Errors: CTP_ERR_FORMAT if the database is damaged; CTP_ERR_NOMEM, CTP_ERR_IO.
 */
enum ctp_status sqlite_input_step(struct sqlite_input *input,
	sqlite3_stmt *statement, struct ctp_error *err);

/* The first row of a frequent query: all of its time counts as the input's
 * work. Errors: as above. */
enum ctp_status sqlite_input_find(
	struct sqlite_input *input, sqlite3_stmt *statement);

/* The integer in the first column of a query's first row. False if there is
 * none. */
bool sqlite_input_number(
	struct sqlite_input *input, const char *sql, int64_t *out);

/* Text of the current row in UTF-8, borrowed until the next; NULL if there is
 * none. */
const char *sqlite_input_text(
	sqlite3_stmt *statement, int column, size_t *size);

/* Stores the column's integer; false if it is not one. */
bool sqlite_input_int(sqlite3_stmt *statement, int column, int64_t *out);

#endif
