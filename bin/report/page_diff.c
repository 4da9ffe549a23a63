/* SPDX-License-Identifier: MIT */
#include "report/page_diff.h"

#include <string.h>

#include "base/memory.h"
#include "cli/columns_page.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "compare/delta.h"
#include "compare/diff_report.h"
#include "compare/flame_diff.h"
#include "findings/findings.h"
#include "flamegraph/flamegraph.h"
#include "io/xml.h"
#include "profiles/label.h"
#include "profile/flame_tree.h"
#include "report/page_part.h"

#define ROWS_PART 3    /* of the room; the rows have one of these parts */
#define NODE_BYTES 256 /* of a path, with its function */
#define DEPTH_MAX 400

/* ---- the changed functions ---- */

static const struct column_unit nanoseconds = {"ns", 1};

/* clang-format off */
static const struct column items[] = {
	COLUMN_ON_PAGE(TEXT, "function", DELTA_OF(function)),
	COLUMN_ON_PAGE(TIME, "base", DELTA_OF(time[DIFF_BASE])),
	COLUMN_ON_PAGE(TIME, "new", DELTA_OF(time[DIFF_NEW])),
	COLUMN_ON_PAGE(INTEGER, "change", DELTA_OF(delta_ns),
		.unit = &nanoseconds),
	COLUMN_ON_PAGE(PERCENT, "change %", DELTA_OF(percent)),
	COLUMN_ON_PAGE(INTEGER, "own change", DELTA_OF(delta_self_ns),
		.unit = &nanoseconds),
	COLUMN_ON_PAGE(COUNT, "base calls", DELTA_OF(count[DIFF_BASE])),
	COLUMN_ON_PAGE(COUNT, "new calls", DELTA_OF(count[DIFF_NEW])),
};
/* clang-format on */
static const struct columns table = COLUMNS("rows", NULL, items);

/* Writes the rows that fit, those with the largest change first. */
static void put_rows(struct sheet *sheet, const struct diff *diff, size_t max)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);
	struct delta_line line;
	uint64_t hidden = 0;

	sheet->max_bytes = sheet->json.used + max;
	columns_begin(sheet, &table);
	for (uint32_t i = 0; i < count; i++) {
		if (!diff_is_changed(&rows[i]))
			continue;
		if (columns_full(sheet)) {
			hidden++;
			continue;
		}
		delta_line_init(&line, &rows[i], rows[i].name, DIFF_TOTAL,
			&nanoseconds);
		delta_line_name_side(&line);
		columns_add(sheet, &table, TABLE_PLAIN, &line);
	}
	columns_end(sheet, &table);
	columns_hidden(sheet, hidden);
	sheet->max_bytes = 0;
}

static void put_counts(struct sheet *sheet, const struct diff *diff)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);
	uint64_t added = 0;
	uint64_t removed = 0;

	for (uint32_t i = 0; i < count; i++) {
		added += rows[i].side[DIFF_BASE].found == 0;
		removed += rows[i].side[DIFF_NEW].found == 0;
	}
	report_uint(&sheet->json, "common", count - added - removed);
	report_uint(&sheet->json, "added", added);
	report_uint(&sheet->json, "removed", removed);
}

/* The sums of both sides, of functions and of devices. */
static void put_sums(struct sheet *sheet, const struct diff *diff)
{
	static const char *const keys[] = {"host_ns", "device_ns"};

	for (int device = 0; device < 2; device++) {
		const struct diff_row *sum = diff_sum(diff, device);

		json_key(&sheet->json, keys[device]);
		json_begin(&sheet->json, '[');
		for (enum diff_side side = 0; side < DIFF_SIDES; side++)
			json_uint(
				&sheet->json, sum->side[side].median.total_ns);
		json_end(&sheet->json, ']');
	}
}

/* ---- the call paths ---- */

/* Both trees, and the functions in them: numbers of the page by those of the
 * profile, plus 1; 0: not in them. */
struct paths {
	const struct profile *profile;
	struct flame_tree *trees[2];
	uint32_t *numbers;
	uint32_t count;
};

static bool make_trees(
	struct paths *paths, const struct flame_diff *diff, uint32_t nodes)
{
	struct flame_options options = {.nodes = nodes,
		.depth = DEPTH_MAX,
		.base = flame_diff_base_nodes(diff)};

	paths->profile = flame_diff_profile(diff);
	paths->numbers =
		memory_new_zeroed((size_t)paths->profile->function_count + 1,
			sizeof(*paths->numbers));
	if (paths->numbers == NULL)
		return false;
	for (enum flame_side side = FLAME_HOST; side <= FLAME_DEVICE; side++) {
		options.side = side;
		if (flame_tree_new(paths->profile, &options,
			    &paths->trees[side], NULL) != CTP_OK)
			return false;
	}
	return true;
}

static void clear_trees(struct paths *paths)
{
	flame_tree_free(paths->trees[FLAME_HOST]);
	flame_tree_free(paths->trees[FLAME_DEVICE]);
	memory_free(paths->numbers);
}

/* A function as the page's flame graphs want it: kind, scopes of its name, name,
 * file, line. */
static void put_function(
	struct sheet *sheet, const struct profile_function *function)
{
	struct json *json = &sheet->json;

	json_begin(json, '[');
	json_uint(json, function->device.kind);
	json_begin(json, '[');
	flamegraph_put_scopes(json, function->name, strlen(function->name));
	json_end(json, ']');
	columns_page_name(sheet, label_name(function->name));
	columns_page_text(sheet, function->file);
	json_uint(json, function->line);
	json_end(json, ']');
}

static void put_functions(struct sheet *sheet, struct paths *paths)
{
	json_key(&sheet->json, "functions");
	json_begin(&sheet->json, '[');
	for (enum flame_side side = FLAME_HOST; side <= FLAME_DEVICE; side++) {
		const struct flame_tree *tree = paths->trees[side];

		for (uint32_t i = 0; i < tree->count; i++) {
			uint32_t function = tree->nodes[i].function;

			if (function >= paths->profile->function_count ||
				paths->numbers[function] != 0)
				continue;
			paths->numbers[function] = ++paths->count;
			put_function(
				sheet, &paths->profile->functions[function]);
		}
	}
	json_end(&sheet->json, ']');
}

/* Writes the nodes as page_functions.c does; and their total times in the base,
 * in the same order. */
static void put_tree(struct sheet *sheet, const struct paths *paths,
	const struct flame_tree *tree)
{
	struct json *json = &sheet->json;

	json_begin(json, '{');
	report_uint(json, "folded", tree->folded);
	report_uint(json, "gone", tree->gone);
	report_uint(json, "gone_ns", tree->gone_ns);
	json_key(json, "nodes");
	json_begin(json, '[');
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct flame_node *node = &tree->nodes[i];
		bool named = node->function < paths->profile->function_count;

		json_int(json,
			named ? (int64_t)paths->numbers[node->function] - 1
			      : PAGE_NOT_SHOWN);
		json_uint(json, node->depth);
		json_uint(json, node->cost.total_ns);
		json_uint(json, node->cost.self_ns);
		json_uint(json, named ? node->cost.calls : node->folded);
	}
	json_end(json, ']');
	json_key(json, "base");
	json_begin(json, '[');
	for (uint32_t i = 0; i < tree->count; i++)
		json_uint(json, tree->nodes[i].base.total_ns);
	json_end(json, ']');
	json_end(json, '}');
}

/* False if out of memory. */
static bool put_paths(
	struct sheet *sheet, const struct flame_diff *diff, size_t max)
{
	struct paths paths = {0};
	bool ok = make_trees(&paths, diff, (uint32_t)(max / NODE_BYTES));

	if (ok) {
		put_functions(sheet, &paths);
		json_key(&sheet->json, "trees");
		json_begin(&sheet->json, '[');
		put_tree(sheet, &paths, paths.trees[FLAME_HOST]);
		put_tree(sheet, &paths, paths.trees[FLAME_DEVICE]);
		json_end(&sheet->json, ']');
	}
	clear_trees(&paths);
	return ok;
}

/* ---- the sections ---- */

struct request {
	struct page_diff *page;
	const struct comparison *comparison;
	size_t max;
};

static void put_findings(struct sheet *sheet, const struct diff *diff)
{
	struct findings findings;

	findings_find(&findings, &(struct findings_facts){.diff = diff});
	json_key(&sheet->json, "findings");
	page_findings_put(sheet, &findings);
}

/* Writes the sections, whose paths have room for `max` bytes; 0: no paths.
 * False if out of memory. */
static bool write_sections(struct json *json, const struct request *request,
	const struct diff *diff, const struct flame_diff *paths, size_t max)
{
	struct sheet sheet = {.style = REPORT_PAGE, .brief = true};
	bool ok = json_init(&sheet.json, NULL);

	if (ok) {
		json_begin(&sheet.json, '{');
		json_key(&sheet.json, "base");
		columns_page_text(&sheet, request->page->base);
		put_counts(&sheet, diff);
		put_sums(&sheet, diff);
		put_findings(&sheet, diff);
		put_rows(&sheet, diff, request->max / ROWS_PART);
		ok = paths == NULL || max == 0 || put_paths(&sheet, paths, max);
		report_uint(&sheet.json, "clipped", sheet.clipped);
		json_end(&sheet.json, '}');
	}
	*json = sheet.json;
	return ok && !sheet.failed && !sheet.json.failed;
}

static size_t size_on_page(const struct json *json)
{
	return json->used + xml_json_extra(json->bytes, json->used);
}

/* Writes the sections with fewer paths until they fit. */
static bool fit_sections(const struct request *request, const struct diff *diff,
	const struct flame_diff *paths)
{
	struct page_diff *page = request->page;
	size_t max = request->max;

	for (;;) {
		if (!write_sections(&page->json, request, diff, paths, max))
			return false;
		page->bytes = size_on_page(&page->json);
		if (page->bytes <= request->max || max == 0)
			return true;
		json_clear(&page->json);
		max = max < 4096 ? 0 : max / 2;
	}
}

static int make(void *user, const struct diff *diff,
	const struct comparison_profiles *profiles, struct report *report)
{
	const struct request *request = user;
	struct flame_diff *paths = NULL;
	bool ok = true;

	(void)report;
	if (diff_find_pathless(profiles) == profiles->count) {
		paths = diff_join_paths(request->comparison, profiles);
		ok = paths != NULL;
	}
	ok = ok && fit_sections(request, diff, paths);
	flame_diff_free(paths);
	return ok ? EXIT_DONE : diag_no_memory(NULL);
}

int page_diff_make(struct page_diff *diff, const struct inputs *inputs,
	char *path, size_t max)
{
	char *paths[] = {strdup(diff->base), path};
	struct comparison comparison = {.inputs = *inputs,
		.base_count = 1,
		.match = diff->match,
		.across_devices = diff->across_devices,
		.tree = true};
	struct request request = {diff, &comparison, max};
	int status;

	if (paths[0] == NULL)
		return diag_no_memory(NULL);
	comparison.inputs.paths = paths;
	comparison.inputs.count = sizeof(paths) / sizeof(paths[0]);
	status = comparison_run(&comparison, DIFF_TOTAL, "", make, &request);
	source_map_clear(&comparison.source_map);
	memory_free(paths[0]);
	return status;
}

void page_diff_clear(struct page_diff *diff)
{
	json_clear(&diff->json);
	diff->bytes = 0;
}
