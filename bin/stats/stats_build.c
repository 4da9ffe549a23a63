/* SPDX-License-Identifier: MIT */
#include "stats/stats_build.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "stats/stats_text.h"

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

static void add_time(
	const struct stats *stats, struct table *table, uint64_t time_ns)
{
	char text[QUANTITY_TEXT];

	table_add(table,
		quantity_in(text, time_ns, stats_titles(stats)->size_ns));
}

/* A header is identified by its path, everything else by name. */
static void add_name(struct table *table, const char *before,
	const struct profile_function *function)
{
	struct buffer text = BUFFER_INIT;

	buffer_add_text(&text, before);
	buffer_add_text(&text,
		function->file[0] != '\0' ? function->file : function->name);
	buffer_add_byte(&text, '\0');
	if (text.failed)
		table->text.failed = true;
	else
		table_add(table, (const char *)text.bytes);
	buffer_clear(&text);
}

static void add_row(const struct stats *stats, struct table *table,
	const char *before, const struct profile_function *function,
	const struct profile_cost *cost)
{
	char text[QUANTITY_TEXT];

	table_add_row(table, *before == '\0' ? TABLE_PLAIN : TABLE_FAINT);
	(void)snprintf(text, sizeof(text), "%" PRIu64, cost->ncalls);
	table_add(table, text);
	add_time(stats, table, cost->cumtime_ns);
	add_time(stats, table, cost->tottime_ns);
	add_time(stats, table, quantity_mean(cost->cumtime_ns, cost->ncalls));
	add_name(table, before, function);
}

static void add_function(
	const struct stats *stats, struct table *table, uint32_t number)
{
	const struct profile *profile = stats->profile;
	const struct profile_function *function = &profile->functions[number];

	add_row(stats, table, "", function, &function->cost);
	if (stats->options->callers)
		for (uint32_t i = stats->callers[number];
			i < stats->callers[number + 1]; i++)
			add_row(stats, table, "  <- ",
				&profile->functions[profile->edges[i].caller],
				&profile->edges[i].cost);
	if (stats->options->callees)
		for (uint32_t i = stats->callees[number];
			i < stats->callees[number + 1]; i++) {
			const struct profile_edge *edge =
				&profile->edges[stats->callee_edges[i]];

			add_row(stats, table, "  -> ",
				&profile->functions[edge->callee], &edge->cost);
		}
}

static int print_table(
	const struct stats *stats, struct table *table, FILE *out)
{
	bool printed = table_print(
		table, out, stats->options->color, stats->options->width);

	table_clear(table);
	if (!printed)
		return diag_no_memory(NULL);
	if (stats->hidden != 0)
		fprintf(out,
			"(%" PRIu32 " more not shown; see --top and "
			"--min)\n",
			stats->hidden);
	return EXIT_DONE;
}

static int print_units(const struct stats *stats, FILE *out)
{
	const struct table_column columns[] = {
		{stats_titles(stats)->total, true},
		{BUILD_FRONTEND, true},
		{BUILD_BACKEND, true},
		{"unit", false},
	};
	const struct profile *profile = stats->profile;
	const uint64_t *phases_ns = stats->phases_ns;
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < stats->count; i++) {
		uint32_t number = stats->order[i];
		const struct profile_function *unit =
			&profile->functions[number];

		table_add_row(&table, TABLE_PLAIN);
		add_time(stats, &table, unit->cost.cumtime_ns);
		add_time(stats, &table, phases_ns[number]);
		add_time(stats, &table,
			phases_ns[profile->function_count + number]);
		add_name(&table, "", unit);
	}
	return print_table(stats, &table, out);
}

static int print_group(const struct stats *stats, FILE *out)
{
	char self[16];
	const struct table_column columns[] = {
		{"count", true},
		{stats_titles(stats)->total, true},
		{self, true},
		{stats_titles(stats)->mean, true},
		{stats->group, false},
	};
	struct table table;

	(void)snprintf(
		self, sizeof(self), "self %s", stats_titles(stats)->unit);
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < stats->count; i++)
		add_function(stats, &table, stats->order[i]);
	return print_table(stats, &table, out);
}

int stats_build_text(const struct aggregate *rollup,
	const struct stats_options *options, FILE *out)
{
	struct build build;
	int status = build_init(&build, rollup, options);
	bool edges = options->callers || options->callees;
	bool first = true;

	if (status != EXIT_DONE)
		return status;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT && status == EXIT_DONE;
		i++) {
		const struct stats *stats = &build.groups[i];
		char total[QUANTITY_TEXT];

		if (stats->profile == NULL)
			continue;
		fprintf(out, "%s%s: %" PRIu32 ", %s %s\n", first ? "" : "\n",
			titles[i], stats->count + stats->hidden,
			quantity_in(total, stats->profile->total_ns,
				stats_titles(stats)->size_ns),
			stats_titles(stats)->unit);
		status = i == BUILD_UNIT && !edges ? print_units(stats, out)
						   : print_group(stats, out);
		first = false;
	}
	build_clear(&build);
	return status;
}

int stats_build_csv(const struct aggregate *rollup,
	const struct stats_options *options, FILE *out)
{
	struct build build;
	int status = build_init(&build, rollup, options);
	bool first = true;

	if (status != EXIT_DONE)
		return status;
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++) {
		const struct stats *stats = &build.groups[i];

		if (stats->profile == NULL)
			continue;
		if (first)
			stats_put_csv_titles(stats, out);
		stats_put_csv(stats, out);
		first = false;
	}
	build_clear(&build);
	return EXIT_DONE;
}

/* Writes the sums of each group and of the time outside of groups. */
static void put_sums(const struct build *build, struct json *json)
{
	const struct aggregate *rollup = build->rollup;

	report_uint(json, "units", rollup->build_count);
	json_key(json, "groups");
	json_begin(json, '{');
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++) {
		const struct stats *stats = &build->groups[i];

		if (stats->profile == NULL)
			continue;
		json_key(json, words[i]);
		json_begin(json, '{');
		report_uint(json, "total_ns", stats->profile->total_ns);
		report_uint(json, "rows", stats->count);
		report_uint(json, "hidden", stats->hidden);
		json_end(json, '}');
	}
	json_end(json, '}');
	json_key(json, "skipped");
	json_begin(json, '{');
	for (enum input_tree_skip skip = 0; skip < INPUT_TREE_SKIP_COUNT;
		skip++)
		if (rollup->skipped[skip] != 0)
			report_uint(json, input_tree_skip_name(skip),
				rollup->skipped[skip]);
	json_end(json, '}');
}

int stats_build_json(const struct aggregate *rollup,
	const struct stats_options *options, struct report *report, FILE *out)
{
	struct build build;
	struct json json;
	int status = build_init(&build, rollup, options);

	if (status != EXIT_DONE)
		return status;
	report->schema = "ctprof/build/1";
	for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
		report->truncated =
			report->truncated || build.groups[i].hidden != 0;
	status = report_begin(report, &json, out);
	if (status == EXIT_DONE) {
		put_sums(&build, &json);
		json_key(&json, "rows");
		json_begin(&json, '[');
		for (unsigned i = 0; i < BUILD_GROUP_COUNT; i++)
			if (build.groups[i].profile != NULL)
				stats_put_rows(&build.groups[i], &json);
		json_end(&json, ']');
		status = report_end(&json);
	}
	build_clear(&build);
	return status;
}
