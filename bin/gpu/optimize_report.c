/* SPDX-License-Identifier: MIT */
#include "gpu/optimize_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/amount.h"
#include "cli/command.h"
#include "profiles/label.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "cli/table.h"

#define UNIT_NS 1000000 /* for text: ms */

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

/* Formatted like JSON, independent of the locale. */
static void add_score(struct table *table, double score)
{
	struct json json;

	if (!json_init(&json, NULL)) {
		table->text.failed = true;
		return;
	}
	/* Three decimals are enough for text. */
	json_double(&json, (double)(int64_t)(score * 1000) / 1000);
	json_raw(&json, "", 1);
	table_add(table, json.bytes);
	json_clear(&json);
}

static void add_row(const struct optimize_view *view, struct table *table,
	const struct ranking_row *row)
{
	char text[QUANTITY_TEXT];
	char share[AMOUNT_TEXT];
	const char *range = trace_site_name(view->trace, row->site);
	char *location = location_of(view, row);
	char *name = NULL;
	/* A Python function is its own place. */
	bool placed = location != NULL && location[0] != '\0' &&
		      strcmp(location, range) != 0;

	table_add_row(table, TABLE_PLAIN);
	add_score(table, row->score);
	table_add(table, amount_hundredths(share, idle_share(row)));
	table_add(table, quantity_in(text, row->idle_ns, UNIT_NS));
	table_add(table, quantity_in(text, row->self_ns, UNIT_NS));
	table_add(table, quantity_in(text, row->duration_ns, UNIT_NS));
	if (location == NULL ||
		asprintf(&name, "%s%s%s", label_name(range),
			placed ? "  @ " : "", placed ? location : "") < 0) {
		table->text.failed = true;
		name = NULL;
	}
	table_add(table, name == NULL ? "" : name);
	free(name);
	free(location);
}

int optimize_print_text(const struct optimize_view *view, FILE *out)
{
	static const struct table_column columns[] = {
		{"score", true},
		{"idle %", true},
		{"idle ms", true},
		{"self ms", true},
		{"duration ms", true},
		{"range", false},
	};
	uint32_t count;
	const struct ranking_row *rows = ranking_rows(view->optimize, &count);
	struct table table;
	bool printed;

	if (count == 0) {
		fputs(ranking_has_kernels(view->optimize)
				? "Nothing to optimize: the queue of kernels "
				  "never held four and then ran empty.\n"
				: "Nothing to optimize: no GPU ran a kernel.\n",
			out);
		return EXIT_DONE;
	}
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < count; i++)
		add_row(view, &table, &rows[i]);
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	if (printed)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}

static void put_row(const struct optimize_view *view, struct json *json,
	const struct ranking_row *row)
{
	char *location = location_of(view, row);

	json_begin(json, '{');
	report_text(json, "name", trace_site_name(view->trace, row->site));
	report_text(json, "location", location == NULL ? "" : location);
	json_key(json, "idle_percent");
	json_double(json, row->duration_ns == 0
				  ? 0
				  : 100 * (double)row->idle_ns /
					    (double)row->duration_ns);
	json_key(json, "score");
	json_double(json, row->score);
	report_int(json, "start_ns", row->start_ns);
	report_uint(json, "duration_ns", row->duration_ns);
	report_uint(json, "self_ns", row->self_ns);
	report_uint(json, "idle_ns", row->idle_ns);
	json_end(json, '}');
	json->failed = json->failed || location == NULL;
	free(location);
}

int optimize_print_json(const struct optimize_view *view,
	const struct report *report, FILE *out)
{
	uint32_t count;
	const struct ranking_row *rows = ranking_rows(view->optimize, &count);
	struct json json;
	int status = report_begin(report, &json, out);

	if (status != EXIT_DONE)
		return status;
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < count; i++)
		put_row(view, &json, &rows[i]);
	json_end(&json, ']');
	return report_end(&json);
}

int optimize_print_csv(const struct optimize_view *view, FILE *out)
{
	uint32_t count;
	const struct ranking_row *rows = ranking_rows(view->optimize, &count);
	bool done = true;

	if (view->titles)
		fputs("input,name,location,start_ns,duration_ns,self_ns,idle_"
		      "ns\n",
			out);
	for (uint32_t i = 0; i < count && done; i++) {
		char *location = location_of(view, &rows[i]);

		done = location != NULL;
		table_csv(out, view->input, ',');
		table_csv(out, trace_site_name(view->trace, rows[i].site), ',');
		table_csv(out, done ? location : "", ',');
		fprintf(out,
			"%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			rows[i].start_ns, rows[i].duration_ns, rows[i].self_ns,
			rows[i].idle_ns);
		free(location);
	}
	if (done)
		return EXIT_DONE;
	return diag_no_memory(NULL);
}
