/* SPDX-License-Identifier: MIT */
/*
 * A database of SQLite that somebody else made: read from any stream, with
 * whatever tables and columns it has. It may have been made to do harm: it may
 * cost as much work as fits its size, and no more, and rows are read from it,
 * never computed by it. A view, a virtual table or a table with generated
 * columns that we would read makes it unreadable.
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
	struct temp_file copy; /* of what came from a pipe */
	uint64_t size_bytes;
	uint64_t work_left; /* what it may still cost to read */
	uint64_t bytes;     /* of values, not yet counted as work */
	uint64_t chance;
	uint64_t since_ns;        /* time of the thread, counted up to there */
	struct strtab *computed;  /* names of what is no table of plain rows, */
	uint32_t computed_count;  /* then of others */
	struct ctp_error refused; /* CTP_OK: nothing was */
};

/*
 * Opens what is in the stream, as an open_events() is given it.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED, CTP_ERR_FORMAT.
 * Nothing is open then.
 */
enum ctp_status sqlite_input_open(struct sqlite_input *input, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err);
void sqlite_input_close(struct sqlite_input *input);

/* Is there a table of this name, with this column (NULL: any)? If it is one
 * that is computed, there is none, and sqlite_input_check() fails. */
bool sqlite_input_has(
	struct sqlite_input *input, const char *table, const char *column);

/*
 * Has all been read so far that was asked? For what cannot be told otherwise.
 *
 * Errors: CTP_ERR_FORMAT if a table is computed; CTP_ERR_NOMEM.
 */
enum ctp_status sqlite_input_check(
	const struct sqlite_input *input, struct ctp_error *err);

/* What is asked of one table. */
struct sqlite_select {
	const char *table;
	const char *const *columns; /* those that the table lacks are NULL */
	size_t column_count;
	const char *condition; /* NULL: none; only of columns it has */
	const char *order;     /* NULL: any; else ends in the rows' own order */
	const char *sql; /* the whole question, instead of the last two: it
			    needs all of the columns */
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

/* The first row, of a question that is asked often: all of its time counts as
 * the input's work. Errors: as above. */
enum ctp_status sqlite_input_find(
	struct sqlite_input *input, sqlite3_stmt *statement);

/* The first column of the first row, of a question that needs no more: an
 * integer. False if there is none. */
bool sqlite_input_number(
	struct sqlite_input *input, const char *sql, int64_t *out);

/* Text of the row at hand in UTF-8, borrowed until the next; NULL if there is
 * none. */
const char *sqlite_input_text(
	sqlite3_stmt *statement, int column, size_t *size);

/* Is there an integer? */
bool sqlite_input_int(sqlite3_stmt *statement, int column, int64_t *out);

#endif
