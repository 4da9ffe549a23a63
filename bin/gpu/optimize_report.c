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

static enum table_style fill(
	const struct columns *columns, uint32_t index, void *out)
{
	const struct optimize_view *view = columns->user;
	struct line *line = out;
	uint32_t count;
	const struct ranking_row *row =
		&ranking_rows(view->optimize, &count)[index];

	*line = (struct line){
		.input = view->input,
		.name = trace_site_name(view->trace, row->site),
		.location = location_of(view, row),
		.row = *row,
		.idle_share = idle_share(row),
	};
	if (row->duration_ns != 0)
		line->idle_percent =
			100 * (double)row->idle_ns / (double)row->duration_ns;
	/* Three decimals are enough for text. */
	*json_put_double(line->score,
		(double)(int64_t)(row->score * 1000) / 1000) = '\0';
	line->short_score.text = line->score;
	if (line->location == NULL)
		return COLUMNS_NO_MEMORY;
	line->range = range_text(line);
	return line->range == NULL ? COLUMNS_NO_MEMORY : TABLE_PLAIN;
}

static void clear(void *row)
{
	struct line *line = row;

	free(line->location);
	free(line->range);
}

static struct columns columns_of(const struct optimize_view *view)
{
	struct columns columns = {COLUMNS(items, struct line), .fill = fill,
		.clear = clear, .user = view, .unit = {"ms", 1000000},
		.width = view->width, .color = view->color};

	(void)ranking_rows(view->optimize, &columns.row_count);
	return columns;
}

int optimize_print_text(const struct optimize_view *view, FILE *out)
{
	struct columns columns = columns_of(view);

	if (columns.row_count == 0) {
		fputs(ranking_has_kernels(view->optimize)
				? "Nothing to optimize: the queue of kernels "
				  "never held four and then ran empty.\n"
				: "Nothing to optimize: no GPU ran a kernel.\n",
			out);
		return EXIT_DONE;
	}
	if (columns_print(&columns, out))
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

int optimize_print_json(const struct optimize_view *view,
	const struct report *report, FILE *out)
{
	struct columns columns = columns_of(view);
	struct json json;
	int status = report_begin(report, &json, out);

	if (status != EXIT_DONE)
		return status;
	columns_put_rows(&columns, &json, "rows");
	return report_end(&json);
}

int optimize_print_csv(const struct optimize_view *view, FILE *out)
{
	struct columns columns = columns_of(view);

	if (view->titles)
		columns_put_titles(&columns, out);
	if (columns_put_lines(&columns, out))
		return EXIT_DONE;
	return diag_no_memory(NULL);
}
