/* SPDX-License-Identifier: MIT */
/*
 * The text tables.
 * Source: shared spec 01, "Report": ncalls, pcalls, tottime and cumtime in
 * milliseconds, name (file:line), then the numbers of timings and functions,
 * and the sums. Spec 03, "Tree and averages", has the tables of devices: their
 * work and its launchers.
 */
#include "stats/stats_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "input/devices.h"
#include "io/amount.h"
#include "profiles/label.h"

#define PCALLS "pcalls"
#define DEVICE_FULL 105 /* lines with all columns of a device */
#define HOT_PART 10     /* functions with a tenth of all time are highlighted */

/* In the order of enum stats_unit. */
static const struct stats_titles units[] = {
	[STATS_NS] = {"tottime ns", "cumtime ns", "self device ns", "device ns",
		"device mean ns", "captured ns", "total ns", "mean ns",
		"min ns", "max ns", "ns", 1},
	[STATS_US] = {"tottime us", "cumtime us", "self device us", "device us",
		"device mean us", "captured us", "total us", "mean us",
		"min us", "max us", "us", 1000},
	[STATS_MS] = {"tottime ms", "cumtime ms", "self device ms", "device ms",
		"device mean ms", "captured ms", "total ms", "mean ms",
		"min ms", "max ms", "ms", 1000000},
	[STATS_S] = {"tottime s", "cumtime s", "self device s", "device s",
		"device mean s", "captured s", "total s", "mean s", "min s",
		"max s", "s", 1000000000},
};

const struct stats_titles *stats_titles(const struct stats *stats)
{
	return &units[stats->options->unit];
}

static void add_share(struct table *table, uint64_t part_ns, uint64_t whole_ns)
{
	char text[AMOUNT_TEXT];

	table_add(table,
		amount_hundredths(text, amount_share(part_ns, whole_ns)));
}

/* Adds ncalls, pcalls, tottime, its share of all functions' and cumtime. */
static void add_cost(const struct stats *stats, struct table *table,
	const struct profile_cost *cost)
{
	uint64_t unit_ns = stats_titles(stats)->size_ns;
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, cost->ncalls);
	table_add(table, text);
	(void)snprintf(text, sizeof(text), "%" PRIu64, cost->pcalls);
	table_add(table, text);
	table_add(table, quantity_in(text, cost->tottime_ns, unit_ns));
	add_share(table, cost->tottime_ns, stats->profile->total_ns);
	table_add(table, quantity_in(text, cost->cumtime_ns, unit_ns));
}

/* Title of the additional column for the sort key; NULL if another column shows
 * it. */
static const char *key_title(const struct stats *stats)
{
	switch (stats->key) {
	case STATS_PERCALL:
		return stats_titles(stats)->mean;
	case STATS_DEVICE:
		return stats_titles(stats)->device;
	case STATS_SELF_DEVICE:
		return stats_titles(stats)->self_device;
	case STATS_DEVICE_PERCALL:
		return stats_titles(stats)->device_mean;
	default:
		return NULL;
	}
}

static const char *key_text(const struct stats *stats, char *text,
	const struct profile_function *function)
{
	uint64_t unit_ns = stats_titles(stats)->size_ns;

	switch (stats->key) {
	case STATS_PERCALL:
		return quantity_in(
			text, stats_percall(stats, &function->cost), unit_ns);
	case STATS_DEVICE:
		return quantity_in(text, function->device.total_ns, unit_ns);
	case STATS_SELF_DEVICE:
		return quantity_in(text, function->device.self_ns, unit_ns);
	default:
		return quantity_in(
			text, stats_device_percall(stats, function), unit_ns);
	}
}

/* Adds the name with its template arguments, which distinguish kernels, and the
 * device. */
static void add_kernel(struct table *table, const char *before,
	const char *name, const char *device)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s%s%s", before, name,
		    *device == '\0' ? "" : " ", device) < 0) {
		table->text.failed = true;
		return;
	}
	table_add(table, text);
	free(text);
}

void stats_add_name(struct table *table, const char *before,
	const struct profile_function *function)
{
	bool host = function->device.kind == PROFILE_HOST;
	const char *base = host ? basename(function->file) : function->file;
	const char *name = label_name(function->name);
	char *place = NULL;

	if (!host) {
		add_kernel(table, before, name, base);
		return;
	}
	if (*base != '\0' && asprintf(&place, " (%s:%" PRIu32 ")", base,
				     function->line) < 0) {
		table->text.failed = true;
		return;
	}
	table_add_name(table, before, name, place == NULL ? "" : place);
	free(place);
}

static void add_edge(const struct stats *stats, struct table *table,
	uint32_t number, bool caller)
{
	const struct profile_edge *edge = &stats->profile->edges[number];
	uint32_t other = caller ? edge->caller : edge->callee;

	table_add_row(table, TABLE_FAINT);
	add_cost(stats, table, &edge->cost);
	if (key_title(stats) != NULL)
		table_add(table, "");
	stats_add_name(table, caller ? "  <- " : "  -> ",
		&stats->profile->functions[other]);
}

static void add_function(
	const struct stats *stats, struct table *table, uint32_t number)
{
	const struct profile_function *function =
		&stats->profile->functions[number];
	bool hot =
		function->cost.tottime_ns > stats->profile->total_ns / HOT_PART;
	char text[QUANTITY_TEXT];

	table_add_row(table, hot ? TABLE_HOT : TABLE_PLAIN);
	add_cost(stats, table, &function->cost);
	if (key_title(stats) != NULL)
		table_add(table, key_text(stats, text, function));
	stats_add_name(table, "", function);
	if (stats->options->callers)
		for (uint32_t i = stats->callers[number];
			i < stats->callers[number + 1]; i++)
			add_edge(stats, table, i, true);
	if (stats->options->callees)
		for (uint32_t i = stats->callees[number];
			i < stats->callees[number + 1]; i++)
			add_edge(stats, table, stats->callee_edges[i], false);
}

void stats_print_hidden(FILE *out, uint32_t hidden, const char *what)
{
	if (hidden != 0)
		fprintf(out,
			"(%" PRIu32 " more%s%s not shown; see --top and "
			"--min)\n",
			hidden, what,
			hidden == 1 || what[0] == '\0' ? "" : "s");
}

static void print_sums(const struct stats *stats, FILE *out)
{
	const struct profile *profile = stats->profile;
	uint64_t unit_ns = stats_titles(stats)->size_ns;
	const char *unit = stats_titles(stats)->unit;
	struct profile_cost sum = {0};
	char tottime[QUANTITY_TEXT];
	char cumtime[QUANTITY_TEXT];

	for (uint32_t i = 0; i < profile->function_count; i++)
		profile_cost_add(&sum, &profile->functions[i].cost);
	stats_print_hidden(out, stats->hidden, " function");
	fprintf(out,
		"\nTotal timings: %" PRIu64 ", unique functions: %" PRIu32
		"\nSum tottime: %s %s, sum cumtime: %s %s\n",
		sum.ncalls, profile->function_count,
		quantity_in(tottime, sum.tottime_ns, unit_ns), unit,
		quantity_in(cumtime, sum.cumtime_ns, unit_ns), unit);
	if (profile->open_calls != 0)
		fprintf(out,
			"Still open at the end, closed there: %" PRIu64 "\n",
			profile->open_calls);
}

int stats_print_text(const struct stats *stats, FILE *out)
{
	const char *key = key_title(stats);
	const struct table_column columns[] = {
		{"ncalls", true},
		{PCALLS, true},
		{stats_titles(stats)->tottime, true},
		{"self %", true},
		{stats_titles(stats)->cumtime, true},
		{key == NULL ? "function" : key, key != NULL},
		{"function", false},
	};
	size_t count = sizeof(columns) / sizeof(columns[0]);
	struct table table;
	bool printed;

	if (stats->profile->function_count == 0) {
		fputs("No functions were recorded.\n", out);
		return EXIT_DONE;
	}
	table_init(&table, columns, key == NULL ? count - 1 : count);
	table_hide_narrow(&table, PCALLS);
	table_hide_narrow(&table, stats_titles(stats)->cumtime);
	for (uint32_t i = 0; i < stats->count; i++)
		add_function(stats, &table, stats->order[i]);
	printed = table_print(
		&table, out, stats->options->color, stats->options->width);
	table_clear(&table);
	if (!printed)
		return diag_no_memory(NULL);
	print_sums(stats, out);
	return EXIT_DONE;
}

static void add_count(struct table *table, uint64_t count)
{
	char text[QUANTITY_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, count);
	table_add(table, text);
}

static void add_time(
	const struct stats *stats, struct table *table, uint64_t time_ns)
{
	char text[QUANTITY_TEXT];

	table_add(table,
		quantity_in(text, time_ns, stats_titles(stats)->size_ns));
}

/* "0 NAME", or "0". */
static void add_device(
	struct table *table, const struct profile_function *function)
{
	size_t size = 0;
	const char *name = devices_function_name(function, &size);
	char *text = NULL;

	if (asprintf(&text, "%" PRIu32 "%s%.*s", function->device.number,
		    name == NULL ? "" : " ", (int)size,
		    name == NULL ? "" : name) < 0) {
		table->text.failed = true;
		return;
	}
	table_add(table, text);
	memory_free(text);
}

static void add_launchers(
	const struct stats *stats, struct table *table, uint32_t number)
{
	const struct profile *profile = stats->profile;

	for (uint32_t i = stats->callers[number];
		i < stats->callers[number + 1]; i++) {
		const struct profile_edge *edge = &profile->edges[i];
		const struct profile_cost *cost = &edge->cost;

		table_add_row(table, TABLE_FAINT);
		add_count(table, cost->ncalls);
		add_time(stats, table, cost->tottime_ns);
		add_time(stats, table,
			quantity_mean(cost->tottime_ns, cost->ncalls));
		table_add(table, "");
		table_add(table, "");
		add_share(table, cost->tottime_ns, stats->device_ns);
		table_add(table, "");
		stats_add_name(
			table, "  <- ", &profile->functions[edge->caller]);
	}
}

static void add_work(
	const struct stats *stats, struct table *table, uint32_t number)
{
	const struct profile_function *function =
		&stats->profile->functions[number];
	const struct profile_device *device = &function->device;
	uint64_t count = function->cost.ncalls;

	table_add_row(table, TABLE_PLAIN);
	add_count(table, count);
	add_time(stats, table, device->self_ns);
	add_time(stats, table, quantity_mean(device->self_ns, count));
	add_time(stats, table, device->min_ns);
	add_time(stats, table, device->max_ns);
	add_share(table, device->self_ns, stats->device_ns);
	add_device(table, function);
	table_add(table, label_name(function->name));
	if (stats->options->callers)
		add_launchers(stats, table, number);
}

/* The device time of edges to host functions is unknown; edges to device
 * functions have only that. */
static void add_device_edge(const struct stats *stats, struct table *table,
	uint32_t number, bool caller)
{
	const struct profile_edge *edge = &stats->profile->edges[number];
	const struct profile_function *other =
		&stats->profile
			 ->functions[caller ? edge->caller : edge->callee];

	table_add_row(table, TABLE_FAINT);
	if (stats->has_captures)
		table_add(table, "");
	add_count(table, edge->cost.ncalls);
	if (!caller && other->device.kind != PROFILE_HOST) {
		add_time(stats, table, edge->cost.tottime_ns);
		add_time(stats, table, edge->cost.cumtime_ns);
		table_add(table, "");
		table_add(table, "");
	} else {
		table_add(table, "");
		table_add(table, "");
		add_time(stats, table, edge->cost.tottime_ns);
		add_time(stats, table, edge->cost.cumtime_ns);
	}
	stats_add_name(table, caller ? "  <- " : "  -> ", other);
}

static void add_range(
	const struct stats *stats, struct table *table, uint32_t number)
{
	const struct profile_function *function =
		&stats->profile->functions[number];

	table_add_row(table, TABLE_PLAIN);
	if (stats->has_captures)
		add_time(stats, table, function->device.captured_ns);
	add_count(table, function->cost.ncalls);
	add_time(stats, table, function->device.self_ns);
	add_time(stats, table, function->device.total_ns);
	add_time(stats, table, function->cost.tottime_ns);
	add_time(stats, table, function->cost.cumtime_ns);
	stats_add_name(table, "", function);
	if (stats->options->callers)
		for (uint32_t i = stats->callers[number];
			i < stats->callers[number + 1]; i++)
			add_device_edge(stats, table, i, true);
	if (stats->options->callees)
		for (uint32_t i = stats->callees[number];
			i < stats->callees[number + 1]; i++)
			add_device_edge(
				stats, table, stats->callee_edges[i], false);
}

static bool print_work(const struct stats *stats, FILE *out)
{
	const struct stats_titles *titles = stats_titles(stats);
	const struct table_column columns[] = {
		{"count", true},
		{titles->total, true},
		{titles->mean, true},
		{titles->min, true},
		{titles->max, true},
		{"share %", true},
		{"device", false},
		{"what it did", false},
	};
	struct table table;
	bool printed;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	table_hide_below(&table, titles->min, DEVICE_FULL);
	table_hide_below(&table, titles->max, DEVICE_FULL);
	table_hide_narrow(&table, titles->mean);
	for (uint32_t i = 0; i < stats->work_count; i++)
		add_work(stats, &table, stats->work[i]);
	printed = table_print(
		&table, out, stats->options->color, stats->options->width);
	table_clear(&table);
	stats_print_hidden(out, stats->work_hidden, "");
	return printed;
}

static bool print_ranges(const struct stats *stats, FILE *out)
{
	const struct stats_titles *titles = stats_titles(stats);
	const struct table_column columns[] = {
		{titles->captured, true},
		{"ncalls", true},
		{titles->self_device, true},
		{titles->device, true},
		{titles->tottime, true},
		{titles->cumtime, true},
		{"launched by", false},
	};
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	struct table table;
	bool printed;

	/* The first column is for graphs. */
	if (stats->has_captures)
		table_init(&table, columns, count);
	else
		table_init(&table, columns + 1, count - 1);
	table_hide_narrow(&table, titles->tottime);
	table_hide_narrow(&table, titles->cumtime);
	for (uint32_t i = 0; i < stats->count; i++)
		add_range(stats, &table, stats->order[i]);
	printed = table_print(
		&table, out, stats->options->color, stats->options->width);
	table_clear(&table);
	stats_print_hidden(out, stats->hidden, " function");
	return printed;
}

int stats_print_gpu(const struct stats *stats, FILE *out)
{
	char time[QUANTITY_TEXT];

	if (stats->activities == 0 && !stats->has_captures) {
		fputs("No GPU activity.\n", out);
		return EXIT_DONE;
	}
	if (!print_work(stats, out) || putc('\n', out) == EOF ||
		!print_ranges(stats, out))
		return diag_no_memory(NULL);
	fprintf(out,
		"\nDevice time: %s %s in %" PRIu64
		" activities\nActivities whose launch is not in the log: "
		"%" PRIu64 "\n",
		quantity_in(
			time, stats->device_ns, stats_titles(stats)->size_ns),
		stats_titles(stats)->unit, stats->activities,
		stats->profile->unmatched);
	return EXIT_DONE;
}
