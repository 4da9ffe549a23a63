/* SPDX-License-Identifier: MIT */
/*
 * The profiles of a speedscope file, one for each row: what stands on them is
 * added in any order of rows, and written row by row.
 *
 * Memory: SPEEDSCOPE_SORT_BYTES, the frames, and the depth of what is open.
 */
#ifndef SPEEDSCOPE_ROWS_H
#define SPEEDSCOPE_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "timeline/row_name.h"
#include "extsort/extsort.h"
#include "trace/trace.h"

#define SPEEDSCOPE_SORT_BYTES ((size_t)16 << 20)

struct speedscope_row {
	uint32_t track;
	int32_t lane; /* or ROW_RANGES, or from ROW_HOST on: row_name.h */
};

enum speedscope_kind { POINT_OPEN, POINT_CLOSE, POINT_SLICE };

/* What stands on a row. Per row of ranges, opens and closes come in order of
 * time and match; per lane, slices nest, and the outer of those that begin
 * together comes first. */
struct speedscope_point {
	struct speedscope_row row;
	enum speedscope_kind kind;
	uint32_t frame;
	int64_t time_ns;
	int64_t end_ns; /* POINT_SLICE */
};

struct speedscope_rows {
	struct trace *trace;
	struct extsort *spill;
	struct strtab *frames; /* name, file and line; numbers begin with 1 */
	uint32_t *frame_of;    /* by site; 0: not known yet */
	uint32_t site_room;
	uint64_t point_count; /* that will be written */
	int64_t first_ns;     /* of all times */
	int64_t last_ns;
};

/* False if out of memory; call speedscope_rows_clear() in either case. The
 * trace is borrowed. */
bool speedscope_rows_init(struct speedscope_rows *rows, struct trace *trace);
void speedscope_rows_clear(struct speedscope_rows *rows);

/* The number of a site's frame; false if out of memory. */
bool speedscope_rows_frame(
	struct speedscope_rows *rows, uint32_t site, uint32_t *frame);

/* Errors: those of extsort_add(). */
enum ctp_status speedscope_rows_add(struct speedscope_rows *rows,
	const struct speedscope_point *point, struct ctp_error *err);

/* Writes the file; `title` may be NULL. Errors: those of extsort_next(). */
enum ctp_status speedscope_rows_write(struct speedscope_rows *rows, FILE *out,
	const char *title, struct ctp_error *err);

#endif
