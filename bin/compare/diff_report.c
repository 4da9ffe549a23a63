/* SPDX-License-Identifier: MIT */
#include "compare/diff_report.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/diag.h"
#include "flamegraph/flamegraph.h"
#include "input/input.h"
#include "base/memory.h"
#include "cli/output.h"

/* Number of rows of each kind. */
struct counts {
	uint32_t common;
	uint32_t added;
	uint32_t removed;
	uint32_t changed; /* of all of these */
};

static bool is_changed(const struct diff_row *row)
{
	const struct diff_figures *base = &row->side[DIFF_BASE];
	const struct diff_figures *changed = &row->side[DIFF_NEW];

	return (base->found == 0) != (changed->found == 0) ||
	       base->median.count != changed->median.count ||
	       base->median.total_ns != changed->median.total_ns ||
	       base->median.self_ns != changed->median.self_ns;
}

static struct counts count_rows(const struct diff_view *view)
{
	struct counts counts = {0};
	uint32_t count;
	const struct diff_row *rows = diff_rows(view->diff, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (!comparison_shows(view->comparison, &rows[i]))
			continue;
		if (rows[i].side[DIFF_BASE].found == 0)
			counts.added++;
		else if (rows[i].side[DIFF_NEW].found == 0)
			counts.removed++;
		else
			counts.common++;
		counts.changed += is_changed(&rows[i]);
	}
	return counts;
}

bool diff_differs(const struct diff_view *view)
{
	return count_rows(view).changed != 0;
}

/* ---- text ---- */

/* Significantly slower or faster. */
static enum table_style style_of(
	const struct diff_view *view, const struct diff_row *row)
{
	int sign = diff_sign(view->diff, row, DIFF_TOTAL);

	return sign > 0 ? TABLE_HOT : sign < 0 ? TABLE_GOOD : TABLE_PLAIN;
}

static void add_time(struct table *table, const struct diff_figures *side,
	uint64_t time_ns, uint64_t unit_ns)
{
	char text[QUANTITY_TEXT];

	table_add(table,
		side->found == 0 ? "-" : quantity_in(text, time_ns, unit_ns));
}

static void add_side(const struct diff_view *view, struct table *table,
	const struct diff_figures *side, uint64_t unit_ns)
{
	add_time(table, side, side->median.total_ns, unit_ns);
	if (view->comparison->runs)
		add_time(table, side, side->spread.total_ns, unit_ns);
}

static void add_change(
	struct table *table, const struct diff_row *row, uint64_t unit_ns)
{
	const struct diff_figures *base = &row->side[DIFF_BASE];
	const struct diff_figures *changed = &row->side[DIFF_NEW];
	char text[QUANTITY_TEXT];

	table_add(table, delta_time(text, base->median.total_ns,
				 changed->median.total_ns, unit_ns));
	if (base->found == 0)
		table_add(table, "added");
	else if (changed->found == 0)
		table_add(table, "removed");
	else
		table_add(table, delta_percent(text, base->median.total_ns,
					 changed->median.total_ns));
	table_add(table, delta_time(text, base->median.self_ns,
				 changed->median.self_ns, unit_ns));
}

static void add_count(struct table *table, const struct diff_figures *side)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, side->median.count);
	table_add(table, side->found == 0 ? "-" : text);
}

static void add_row(const struct diff_view *view, struct table *table,
	const struct diff_row *row, uint64_t unit_ns)
{
	table_add_row(table, style_of(view, row));
	add_side(view, table, &row->side[DIFF_BASE], unit_ns);
	add_side(view, table, &row->side[DIFF_NEW], unit_ns);
	add_change(table, row, unit_ns);
	add_count(table, &row->side[DIFF_BASE]);
	add_count(table, &row->side[DIFF_NEW]);
	delta_add_name(table, row);
}

static bool print_rows(const struct diff_view *view,
	const struct delta_unit *unit, FILE *out, uint32_t *hidden)
{
	static const char *const words[] = {"base ", "+-", "new ", "+-",
		"change ", "change %", "self change ", "base n", "new n",
		"function", NULL};
	struct delta_columns columns;
	uint32_t count;
	const struct diff_row *rows = diff_rows(view->diff, &count);
	uint32_t shown = 0;
	struct table table;
	bool printed;

	delta_columns(&columns, words, view->comparison->runs, unit);
	table_init(&table, columns.items, columns.count);
	*hidden = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!comparison_shows(view->comparison, &rows[i]) ||
			!is_changed(&rows[i]))
			continue;
		if (view->top != 0 && shown == view->top) {
			++*hidden;
			continue;
		}
		shown++;
		add_row(view, &table, &rows[i], unit->size_ns);
	}
	printed = table_print(&table, out, view->color, view->width);
	table_clear(&table);
	return printed;
}

static void print_sum(const struct diff_view *view, bool device,
	const struct delta_unit *unit, FILE *out)
{
	const struct diff_row *sum = diff_sum(view->diff, device);
	uint64_t base = sum->side[DIFF_BASE].median.total_ns;
	uint64_t changed = sum->side[DIFF_NEW].median.total_ns;
	char texts[3][QUANTITY_TEXT];

	if (base == 0 && changed == 0)
		return;
	fprintf(out, "%s: %s -> %s %s (%s %%)\n",
		device ? "All GPU work" : "All functions",
		quantity_in(texts[0], base, unit->size_ns),
		quantity_in(texts[1], changed, unit->size_ns), unit->name,
		delta_percent(texts[2], base, changed));
}

static void print_sums(const struct diff_view *view,
	const struct counts *counts, const struct delta_unit *unit, FILE *out)
{
	if (!view->comparison->kernels)
		print_sum(view, false, unit, out);
	print_sum(view, true, unit, out);
	fprintf(out,
		"Functions in both: %" PRIu32 ", added: %" PRIu32
		", removed: %" PRIu32 "\n",
		counts->common, counts->added, counts->removed);
}

/* The largest sum, which determines the unit. */
static uint64_t largest(const struct diff_view *view)
{
	uint64_t most = 0;

	for (int device = 0; device < 2; device++)
		for (int side = 0; side < DIFF_SIDES; side++) {
			uint64_t sum = diff_sum(view->diff, device)
					       ->side[side]
					       .median.total_ns;

			most = sum > most ? sum : most;
		}
	return most;
}

int diff_print_text(const struct diff_view *view, FILE *out)
{
	const struct delta_unit *unit = delta_unit(view->unit, largest(view));
	struct counts counts = count_rows(view);
	uint32_t hidden;

	if (counts.common + counts.added + counts.removed == 0) {
		fputs(view->comparison->kernels
				? "Nothing to compare: no GPU activity.\n"
				: "Nothing to compare: there are no "
				  "functions.\n",
			out);
		return EXIT_DONE;
	}
	if (counts.changed == 0) {
		fputs("Nothing changed.\n\n", out);
	} else if (!print_rows(view, unit, out, &hidden)) {
		return diag_no_memory(NULL);
	} else {
		if (hidden != 0)
			fprintf(out, "(%" PRIu32 " more changed; see --top)\n",
				hidden);
		putc('\n', out);
	}
	print_sums(view, &counts, unit, out);
	return EXIT_DONE;
}

/* ---- JSON and CSV ---- */

/* Whether the row is among the first `top` shown rows. */
static bool is_within_top(const struct diff_view *view,
	const struct diff_row *row, uint32_t *shown_count)
{
	if (!comparison_shows(view->comparison, row) ||
		(view->top != 0 && *shown_count == view->top))
		return false;
	++*shown_count;
	return true;
}

static void put_sum(
	const struct diff_view *view, struct json *json, bool device)
{
	json_key(json, device ? "device" : "host");
	json_begin(json, '{');
	delta_write(json, diff_sum(view->diff, device));
	json_end(json, '}');
}

static void put_row(struct json *json, const struct diff_row *row)
{
	json_begin(json, '{');
	report_text(json, "name", row->name);
	report_text(json, "file", row->file);
	report_uint(json, "line", row->line);
	report_text(json, "kind", delta_kind(row));
	delta_write(json, row);
	json_end(json, '}');
}

int diff_print_json(
	const struct diff_view *view, const struct report *report, FILE *out)
{
	struct counts counts = count_rows(view);
	struct report complete = *report;
	uint32_t count;
	const struct diff_row *rows = diff_rows(view->diff, &count);
	uint32_t shown_count = 0;
	struct json json;
	int status;

	if (view->top != 0 &&
		view->top < counts.common + counts.added + counts.removed)
		complete.truncated = true;
	status = report_begin(&complete, &json, out);
	if (status != EXIT_DONE)
		return status;
	comparison_write(view->comparison, &json);
	report_text(&json, "sort", view->sort);
	report_uint(&json, "common", counts.common);
	report_uint(&json, "added", counts.added);
	report_uint(&json, "removed", counts.removed);
	put_sum(view, &json, false);
	put_sum(view, &json, true);
	json_key(&json, "rows");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < count; i++)
		if (is_within_top(view, &rows[i], &shown_count))
			put_row(&json, &rows[i]);
	json_end(&json, ']');
	return report_end(&json);
}

int diff_print_csv(const struct diff_view *view, FILE *out)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(view->diff, &count);
	uint32_t shown_count = 0;

	fputs("name,file,line,kind," DELTA_CSV_TITLES "\n", out);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_within_top(view, &rows[i], &shown_count))
			continue;
		table_csv(out, rows[i].name, ',');
		table_csv(out, rows[i].file, ',');
		fprintf(out, "%" PRIu32 ",%s,", rows[i].line,
			delta_kind(&rows[i]));
		delta_csv(out, &rows[i], '\n');
	}
	return EXIT_DONE;
}

/* ---- the flame graph ---- */

/* A directory is read as sums, and so are many profiles: these have no tree. */
static bool have_trees(const struct comparison *comparison,
	const struct comparison_profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++) {
		const struct profile *profile = profiles->items[i];

		if (profile->node_count > 0 || profile->function_count == 0)
			continue;
		diag("%s: has callers and callees but no call paths, which "
		     "--svg needs",
			input_name(comparison->inputs.paths[i]));
		return false;
	}
	return true;
}

/* Start of the path's last part that begins before `at`. */
static const char *previous_part(const char *path, const char *at)
{
	while (at > path && at[-1] == '/')
		at--;
	while (at > path && at[-1] != '/')
		at--;
	return at;
}

/* The last parts of a path, as many as distinguish it from the other. */
static const char *distinct_name(const char *path, const char *other)
{
	const char *name = path + strlen(path);
	const char *other_name = other + strlen(other);

	do {
		name = previous_part(path, name);
		other_name = previous_part(other, other_name);
	} while (strcmp(name, other_name) == 0 && name > path);
	return name;
}

/* "a.ctp → b.ctp", "old/a.ctp → new/a.ctp"; to be freed. NULL if out of memory. */
static char *make_title(const struct comparison *comparison)
{
	char *const *paths = comparison->inputs.paths;
	size_t news = comparison->inputs.count - comparison->base_count;
	const char *base = paths[0];
	const char *new = paths[comparison->base_count];
	char *title = NULL;
	int size;

	if (comparison->runs)
		size = asprintf(&title,
			"%zu runs such as %s \xe2\x86\x92 %zu such as %s",
			comparison->base_count, distinct_name(base, new), news,
			distinct_name(new, base));
	else
		size = asprintf(&title, "%s \xe2\x86\x92 %s",
			distinct_name(base, new), distinct_name(new, base));
	return size < 0 ? NULL : title;
}

/* Compares the runs; NULL if out of memory. */
static struct flame_diff *join_runs(const struct comparison *comparison,
	const struct comparison_profiles *profiles)
{
	struct flame_diff *diff = flame_diff_new(comparison->match);
	enum ctp_status status = diff == NULL ? CTP_ERR_NOMEM : CTP_OK;

	for (size_t i = 0; i < profiles->count && status == CTP_OK; i++)
		status = flame_diff_add(diff,
			i < comparison->base_count ? DIFF_BASE : DIFF_NEW,
			profiles->items[i], NULL);
	if (status != CTP_OK) {
		flame_diff_free(diff);
		return NULL;
	}
	flame_diff_finish(diff);
	return diff;
}

static int write_svg(const struct flame_diff *diff, const char *title,
	const char *path, bool force)
{
	struct output output;
	enum ctp_status drawn;
	int status = output_open(&output, path, force, false);

	if (status != EXIT_DONE)
		return status;
	drawn = flamegraph_write_diff(output.file, diff, title, NULL);
	if (drawn != CTP_OK)
		status = diag_no_memory(NULL);
	return exit_worse(status, output_close(&output, drawn == CTP_OK));
}

int diff_svg_write(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *path,
	bool force)
{
	struct flame_diff *diff;
	char *title;
	int status = EXIT_LIMIT;

	if (!have_trees(comparison, profiles))
		return EXIT_INPUT;
	diff = join_runs(comparison, profiles);
	title = make_title(comparison);
	if (diff != NULL && title != NULL)
		status = write_svg(diff, title, path, force);
	else
		diag_no_memory(NULL);
	flame_diff_free(diff);
	memory_free(title);
	return status;
}
