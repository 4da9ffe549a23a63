/* SPDX-License-Identifier: MIT */
#include "gpu/optimize_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/amount.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "profiles/label.h"
#include "cli/diag.h"

/* Exact hundredths of a percent. */
static uint32_t idle_share(const struct ranking_row *row)
{
	return row->duration_ns == 0
		       ? 0
		       : amount_share(row->idle_ns, row->duration_ns);
}

/* Returns "file.py(12): name" unchanged, or "file:12"; "" if neither it nor an
 * enclosing range has a place. Free it; NULL if out of memory. */
static char *location_of(
	const struct optimize_view *view, const struct ranking_row *row)
{
	const struct trace_site *site;
	char *text = NULL;

	if (row->place == TRACE_NONE)
		return strdup("");
	site = &view->trace->sites[row->place];
	if (site->file == 0)
		return strdup(trace_site_name(view->trace, row->place));
	if (asprintf(&text, "%s:%" PRIu32,
		    trace_site_file(view->trace, row->place), site->line) < 0)
		return NULL;
	return text;
}

struct line {
	const char *input, *name;
	char *location; /* "" if unknown */
	double idle_percent;
	struct ranking_row row;
	char score[JSON_NUMBER_MAX + 1];
	struct value short_score;
	uint64_t idle_share;
	char *range;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct line, member)
static const struct column items[] = {
	COLUMN_IN_CSV(TEXT, "input", "the input", OF(input)),
	COLUMN(TEXT, "name", NULL, "the range", OF(name)),
	COLUMN(TEXT, "location", NULL,
		"the place in the source, also of a range around it; empty if "
		"unknown", OF(location)),
	COLUMN_IN_JSON(REAL, "idle_percent",
		"share of the range in which the GPU was idle, in percent",
		OF(idle_percent)),
	COLUMN_IN_JSON(REAL, "score", "the rank; the largest is worst",
		OF(row.score)),
	COLUMN_IN_TEXT(REAL, "score", OF(short_score)),
	COLUMN_IN_TEXT(PERCENT, "idle %", OF(idle_share)),
	COLUMN(INTEGER, "start_ns", NULL, "the range's start",
		OF(row.start_ns)),
	COLUMN(TIME, "duration_ns", "duration ", "the range's duration",
		OF(row.duration_ns), .place = 3),
	COLUMN(TIME, "self_ns", "self ",
		"the range's time without the ranges in it", OF(row.self_ns),
		.place = 2),
	COLUMN(TIME, "idle_ns", "idle ", "the time in which the GPU was idle",
		OF(row.idle_ns), .place = 1),
	COLUMN_IN_TEXT(TEXT, "range", OF(range), .place = 4),
};
/* clang-format on */

/* "NAME @ LOCATION"; a Python function is its own place. */
static char *range_text(const struct line *line)
{
	bool placed = line->location[0] != '\0' &&
		      strcmp(line->location, line->name) != 0;
	char *text = NULL;

	if (asprintf(&text, "%s%s%s", label_name(line->name),
		    placed ? "  @ " : "", placed ? line->location : "") < 0)
		return NULL;
	return text;
}

static const struct columns table =
	COLUMNS("rows", "the ranges, the worst first", items);

const struct report_form optimize_form = {.schema = "ctprof/optimize/1",
	.title = "ctprof gaps --optimize",
	.arrays = {&table},
	.csv = &table};

static void add(struct sheet *sheet, const struct optimize_view *view,
	const struct ranking_row *row)
{
	struct line line = {
		.input = view->input,
		.name = trace_site_name(view->trace, row->site),
		.location = location_of(view, row),
		.row = *row,
		.idle_share = idle_share(row),
	};

	if (row->duration_ns != 0)
		line.idle_percent =
			100 * (double)row->idle_ns / (double)row->duration_ns;
	/* Three decimals are enough for text. */
	*json_put_double(
		line.score, (double)(int64_t)(row->score * 1000) / 1000) = '\0';
	line.short_score.text = line.score;
	line.range = line.location == NULL ? NULL : range_text(&line);
	if (line.range != NULL)
		columns_add(sheet, &table, TABLE_PLAIN, &line);
	else
		sheet->failed = true;
	free(line.location);
	free(line.range);
}

void optimize_write(struct sheet *sheet, const void *user)
{
	const struct optimize_view *view = user;
	uint32_t count;
	const struct ranking_row *rows = ranking_rows(view->optimize, &count);

	if (sheet->style == REPORT_TEXT && count == 0) {
		columns_note(sheet, "Nothing to optimize: %s.\n",
			ranking_has_kernels(view->optimize)
				? "the queue of kernels never held four and "
				  "then ran empty"
				: "no GPU ran a kernel");
		return;
	}
	sheet->unit = (struct column_unit){"ms", 1000000};
	columns_begin(sheet, &table);
	for (uint32_t i = 0; i < count; i++)
		add(sheet, view, &rows[i]);
	columns_end(sheet, &table);
}
