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

bool diff_is_changed(const struct diff_row *row)
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
		counts.changed += diff_is_changed(&rows[i]);
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

/* clang-format off */
static const struct column items[] = {
	DELTA_NAME_COLUMNS,
	DELTA_COLUMNS,
	DELTA_TEXT_COLUMNS,
	COLUMN_IN_TEXT(TIME, "self change ", DELTA_OF(self_change)),
	COLUMN_IN_TEXT(COUNT, "base n", DELTA_OF(count[DIFF_BASE])),
	COLUMN_IN_TEXT(COUNT, "new n", DELTA_OF(count[DIFF_NEW])),
	COLUMN_IN_TEXT(TEXT, "function", DELTA_OF(function)),
};
/* clang-format on */
static const struct columns table =
	COLUMNS("rows", "the functions and the work of devices", items);

static void add_row(struct sheet *sheet, const struct diff_view *view,
	const struct diff_row *row)
{
	struct delta_line line;

	delta_line_init(&line, row, row->name, DIFF_TOTAL, &sheet->unit);
	delta_line_name_side(&line);
	columns_add(sheet, &table, style_of(view, row), &line);
}

/* Returns the number of rows that `top` hides. */
static uint32_t add_rows(struct sheet *sheet, const struct diff_view *view)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(view->diff, &count);
	uint32_t shown = 0;
	uint32_t hidden = 0;

	columns_begin(sheet, &table);
	for (uint32_t i = 0; i < count; i++) {
		if (!comparison_shows(view->comparison, &rows[i]) ||
			(sheet->style == REPORT_TEXT &&
				!diff_is_changed(&rows[i])))
			continue;
		if (view->top != 0 && shown == view->top) {
			hidden++;
			continue;
		}
		shown++;
		add_row(sheet, view, &rows[i]);
	}
	columns_end(sheet, &table);
	return hidden;
}

static void print_sum(
	struct sheet *sheet, const struct diff_view *view, bool device)
{
	const struct diff_row *sum = diff_sum(view->diff, device);
	uint64_t base = sum->side[DIFF_BASE].median.total_ns;
	uint64_t changed = sum->side[DIFF_NEW].median.total_ns;
	char texts[3][QUANTITY_TEXT];

	if (base == 0 && changed == 0)
		return;
	columns_note(sheet, "%s: %s -> %s %s (%s %%)\n",
		device ? "All GPU work" : "All functions",
		quantity_in(texts[0], base, sheet->unit.size),
		quantity_in(texts[1], changed, sheet->unit.size),
		sheet->unit.name, delta_percent(texts[2], base, changed));
}

/* It determines the unit. */
uint64_t diff_largest_ns(const struct diff_view *view)
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

static void write_text(struct sheet *sheet, const struct diff_view *view)
{
	struct counts counts = count_rows(view);
	uint32_t hidden;

	if (counts.common + counts.added + counts.removed == 0) {
		columns_note(sheet,
			view->comparison->kernels
				? "Nothing to compare: no GPU activity.\n"
				: "Nothing to compare: there are no "
				  "functions.\n");
		return;
	}
	if (counts.changed == 0) {
		columns_note(sheet, "Nothing changed.\n");
	} else {
		hidden = add_rows(sheet, view);
		if (hidden != 0)
			columns_note(sheet,
				"(%" PRIu32 " more changed; see --top)\n",
				hidden);
	}
	columns_note(sheet, "\n");
	if (!view->comparison->kernels)
		print_sum(sheet, view, false);
	print_sum(sheet, view, true);
	columns_note(sheet,
		"Functions in both: %" PRIu32 ", added: %" PRIu32
		", removed: %" PRIu32 "\n",
		counts.common, counts.added, counts.removed);
}

/* ---- the report ---- */

struct head {
	const char *sort;
	struct counts counts;
	const struct delta_line *host, *device;
};

/* clang-format off */
#define OF(member) COLUMN_OF(struct head, member)
static const struct column head_items[] = {
	COLUMN_IN_JSON(TEXT, "sort", "the order of the rows", OF(sort),
		.words = "total|self|count|ratio|name"),
	COLUMN_IN_JSON(COUNT, "common", "number of functions on both sides",
		OF(counts.common)),
	COLUMN_IN_JSON(COUNT, "added", "number of those only on the new side",
		OF(counts.added)),
	COLUMN_IN_JSON(COUNT, "removed", "number of those only in the base",
		OF(counts.removed)),
	COLUMN_IN_JSON(OBJECT, "host", "the sum of all functions", OF(host),
		.table = &delta_sum_table),
	COLUMN_IN_JSON(OBJECT, "device", "the sum of all work of devices",
		OF(device), .table = &delta_sum_table),
};
/* clang-format on */
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);

const struct report_form diff_form = {.schema = "ctprof/diff/1",
	.title = "ctprof diff",
	.heads = {&comparison_head, &head_table},
	.arrays = {&table},
	.csv = &table};

bool diff_has_more(const struct diff_view *view)
{
	struct counts counts = count_rows(view);

	return view->top != 0 &&
	       view->top < counts.common + counts.added + counts.removed;
}

void diff_write(struct sheet *sheet, const void *user)
{
	const struct diff_view *view = user;
	struct delta_line sums[2];

	sheet->unit = *delta_unit(view->unit, diff_largest_ns(view));
	sheet->shown = view->comparison->runs ? DELTA_RUNS : 0;
	if (sheet->style == REPORT_TEXT) {
		write_text(sheet, view);
		return;
	}
	for (int device = 0; device < 2; device++)
		delta_line_init(&sums[device], diff_sum(view->diff, device), "",
			DIFF_TOTAL, &sheet->unit);
	comparison_write(sheet, view->comparison);
	columns_members(sheet, &head_table,
		&(struct head){
			view->sort, count_rows(view), &sums[0], &sums[1]});
	(void)add_rows(sheet, view);
}

/* ---- the flame graph ---- */

/* A directory is read as sums, and so are many profiles: these have no tree. */
size_t diff_find_pathless(const struct comparison_profiles *profiles)
{
	size_t i = 0;

	while (i < profiles->count &&
		(profiles->items[i]->node_count > 0 ||
			profiles->items[i]->function_count == 0))
		i++;
	return i;
}

static bool have_trees(const struct comparison *comparison,
	const struct comparison_profiles *profiles)
{
	size_t pathless = diff_find_pathless(profiles);

	if (pathless == profiles->count)
		return true;
	diag("%s: has callers and callees but no call paths, which --svg needs",
		input_name(comparison->inputs.paths[pathless]));
	return false;
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
struct flame_diff *diff_join_paths(const struct comparison *comparison,
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
	diff = diff_join_paths(comparison, profiles);
	title = make_title(comparison);
	if (diff != NULL && title != NULL)
		status = write_svg(diff, title, path, force);
	else
		diag_no_memory(NULL);
	flame_diff_free(diff);
	memory_free(title);
	return status;
}
