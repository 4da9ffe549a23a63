/* SPDX-License-Identifier: MIT */
#include "stats/stats_build.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "stats/stats_table.h"

/* The existing groups, selected and sorted. */
struct build {
	const struct aggregate *rollup;
	struct stats_options options;
	struct stats groups[BUILD_GROUP_COUNT];
	uint64_t *phases_ns; /* see stats.h */
};

static const char *const words[] = {
#define GROUP_WORD(group, word, title) word,
	BUILD_GROUPS(GROUP_WORD)
#undef GROUP_WORD
};

static struct value total_value(const struct column *column, const void *row)
{
	const struct stats *stats = row;

	(void)column;
	return value_number(stats->profile->total_ns);
}

static struct value group_value(const struct column *column, const void *row)
{
	const struct build *build = row;
	const struct stats *stats = &build->groups[column->index];

	if (stats->profile == NULL)
		return (struct value){.state = VALUE_ABSENT};
	return value_text((const char *)(const void *)stats);
}

static struct value skip_value(const struct column *column, const void *row)
{
	const struct build *build = row;
	uint64_t count = build->rollup->skipped[column->index];

	return count == 0 ? (struct value){.state = VALUE_ABSENT}
			  : value_number(count);
}

static struct value unit_count(const struct column *column, const void *row)
{
	const struct build *build = row;

	(void)column;
	return value_number(build->rollup->build_count);
}

static const char *const titles[] = {
#define GROUP_TITLE(group, word, title) title,
	BUILD_GROUPS(GROUP_TITLE)
#undef GROUP_TITLE
};

uint32_t stats_build_groups(unsigned word)
{
	if (word < BUILD_GROUP_COUNT)
		return 1U << word;
	return ((1U << BUILD_GROUP_COUNT) - 1) & ~(1U << BUILD_NAME);
}

static void build_clear(struct build *build)
{
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		stats_clear(&build->groups[i]);
	memory_free(build->phases_ns);
}

/* Sums the time of each function below phases of this name, by number. */
static void find_share(
	const struct profile *profile, const char *phase, uint64_t *share)
{
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		if (strcmp(profile->functions[edge->callee].name, phase) == 0)
			share[edge->caller] = edge->cost.cumtime_ns;
	}
}

/* Splits the time of units, if there are any. */
static int split_units(struct build *build)
{
	struct stats *stats = &build->groups[BUILD_UNIT];
	const struct profile *profile = stats->profile;

	if (profile == NULL)
		return EXIT_DONE;
	build->phases_ns =
		memory_new_zeroed(2 * (size_t)profile->function_count + 1,
			sizeof(*build->phases_ns));
	if (build->phases_ns == NULL) {
		build_clear(build);
		return diag_no_memory(NULL);
	}
	find_share(profile, BUILD_FRONTEND, build->phases_ns);
	find_share(profile, BUILD_BACKEND,
		build->phases_ns + profile->function_count);
	stats->phases_ns = build->phases_ns;
	return EXIT_DONE;
}

static int build_init(struct build *build, const struct aggregate *rollup,
	const struct stats_options *options)
{
	*build = (struct build){.rollup = rollup, .options = *options};
	/* Phases are nodes below units, not units themselves. */
	build->options.called = true;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++) {
		struct profile *profile = rollup->groups[i];
		struct ctp_error err = {0};

		if (profile == NULL)
			continue;
		if (profile_sort(profile, &err) != CTP_OK ||
			stats_init(&build->groups[i], profile, &build->options,
				&err) != CTP_OK) {
			diag_error(NULL, &err);
			build_clear(build);
			return EXIT_LIMIT;
		}
		build->groups[i].group = words[i];
	}
	return split_units(build);
}

/* clang-format off */
static const struct column sum_items[] = {
	COLUMN_IN_JSON(TIME, "total_ns", "the self times of all",
		.get = total_value),
	COLUMN_IN_JSON(COUNT, "rows", "number of rows",
		COLUMN_OF(struct stats, count)),
	COLUMN_IN_JSON(COUNT, "hidden", "rows left out by --top or --min",
		COLUMN_OF(struct stats, hidden)),
};
static const struct columns sum_table =
	COLUMNS("sum", "the sums of a group", sum_items);

#define SUM_COLUMN(group, word, title) \
	COLUMN_IN_JSON(OBJECT, word, title, .get = group_value, \
		.index = BUILD_##group, .table = &sum_table, .absent = true),
static const struct column group_items[] = {BUILD_GROUPS(SUM_COLUMN)};
static const struct columns group_table =
	COLUMNS("groups", "the sums of each group shown", group_items);

#define SKIP_COLUMN(skip, name, words) \
	COLUMN_IN_JSON(COUNT, name, "number of files that are " words, \
		.get = skip_value, .index = INPUT_TREE_##skip, .absent = true),
static const struct column skip_items[] = {INPUT_TREE_SKIPS(SKIP_COLUMN)};
static const struct columns skip_table = COLUMNS(
	"skipped", "number of files left out, by reason", skip_items);

static const struct column head_items[] = {
	COLUMN_IN_JSON(COUNT, "units", "number of translation units",
		.get = unit_count),
	COLUMN_IN_JSON(OBJECT, "groups", "the sums of each group shown",
		.table = &group_table),
	COLUMN_IN_JSON(OBJECT, "skipped", "number of files left out, by reason",
		.table = &skip_table),
};
static const struct columns head_table = COLUMNS(NULL, NULL, head_items);
/* clang-format on */

/* Compilers have no devices, and no operations but by name. */
const struct report_form build_form = {.schema = "ctprof/build/1",
	.title = "ctprof stats of a build",
	.always = HAS_GROUPS | HAS_RECURSION,
	.never = STATS_NEEDS | HAS_CAPTURES | HAS_SHAPES | HAS_STACKS |
		 HAS_FAILURES | HAS_HOST_FAILURES,
	.heads = {&head_table},
	.arrays = {&stats_table},
	.csv = &stats_table};

static void print_group(struct sheet *sheet, const struct build *build,
	enum build_group group, bool *first)
{
	const struct stats *stats = &build->groups[group];
	char total[QUANTITY_TEXT];

	columns_note(sheet, "%s%s: %" PRIu32 ", %s %s\n", *first ? "" : "\n",
		titles[group], stats->count + stats->hidden,
		quantity_in(total, stats->profile->total_ns, sheet->unit.size),
		sheet->unit.name);
	stats_write_group(sheet, stats);
	*first = false;
}

static void write_build(struct sheet *sheet, const void *user)
{
	const struct build *build = user;
	bool is_json = sheet->style == REPORT_JSON;
	bool first = true;

	stats_set_unit(sheet, &build->options);
	columns_members(sheet, &head_table, build);
	if (is_json)
		columns_begin(sheet, &stats_table);
	for (enum build_group i = 0; i < BUILD_GROUP_COUNT; i++) {
		if (build->groups[i].profile == NULL)
			continue;
		if (sheet->style == REPORT_TEXT)
			print_group(sheet, build, i, &first);
		else
			stats_add(sheet, &build->groups[i]);
	}
	if (is_json)
		columns_end(sheet, &stats_table);
}

int stats_build_print(const struct aggregate *rollup,
	const struct stats_options *options, struct report *report,
	struct report_options *report_options, FILE *out)
{
	struct build build;
	int status = build_init(&build, rollup, options);

	if (status != EXIT_DONE)
		return status;
	report->schema = build_form.schema;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		report->truncated |= build.groups[i].hidden != 0;
	status = report_write(report_options, report, out, write_build, &build);
	build_clear(&build);
	return status;
}
