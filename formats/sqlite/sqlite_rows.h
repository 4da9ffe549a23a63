/* SPDX-License-Identifier: MIT */
/* The output database: its tables, and rows that are filled from left to
 * right. */
#ifndef SQLITE_ROWS_H
#define SQLITE_ROWS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "trace/trace.h"

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

struct sqlite_rows {
	struct trace *trace;
	sqlite3 *db;
	sqlite3_stmt *insert[SQLITE_TABLES];
	sqlite3_stmt *row; /* being filled */
	int column;        /* the last one filled */
	struct buffer text;
};

/* Creates the tables in the file `fd`. Call sqlite_rows_close() in any case.
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO. */
enum ctp_status sqlite_rows_open(struct sqlite_rows *rows, int fd,
	struct trace *trace, struct ctp_error *err);
void sqlite_rows_close(struct sqlite_rows *rows);

/* Commits all rows to the file. Errors: likewise. */
enum ctp_status sqlite_rows_commit(
	struct sqlite_rows *rows, struct ctp_error *err);

/* Columns of a row, from left to right; skipped ones are NULL. */
void sqlite_rows_begin(struct sqlite_rows *rows, enum sqlite_table table);
void sqlite_rows_skip(struct sqlite_rows *rows);
void sqlite_rows_int(struct sqlite_rows *rows, int64_t value);
void sqlite_rows_double(struct sqlite_rows *rows, double value);
/* 0 becomes NULL. */
void sqlite_rows_number(struct sqlite_rows *rows, uint64_t value);
/* Text, borrowed until the end of the row; invalid UTF-8 is replaced. */
void sqlite_rows_text(struct sqlite_rows *rows, const char *text);
void sqlite_rows_text_sized(
	struct sqlite_rows *rows, const char *bytes, size_t size);
/* The trace's text; the second writes NULL for "". */
void sqlite_rows_string(struct sqlite_rows *rows, uint32_t number);
void sqlite_rows_name(struct sqlite_rows *rows, uint32_t number);

/* Inserts the row. Errors: CTP_ERR_NOMEM, CTP_ERR_IO. */
enum ctp_status sqlite_rows_end(
	struct sqlite_rows *rows, struct ctp_error *err);

#endif
