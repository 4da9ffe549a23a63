/* SPDX-License-Identifier: MIT */
/*
 * The tables of devices, for people: what they did, and for whom.
 * Source: shared spec 03, "Tree and averages".
 */
#include <inttypes.h>

#include "io/amount.h"
#include "cli/command.h"
#include "profiles/label.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "cli/say.h"
#include "input/devices.h"
#include "stats/stats_private.h"

#define FULL 105 /* lines with room for all of the columns */

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

static void add_share(
	const struct stats *stats, struct table *table, uint64_t time_ns)
{
	char text[AMOUNT_TEXT];

	table_add(table, amount_hundredths(text,
				 amount_share(time_ns, stats->device_ns)));
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
		add_share(stats, table, cost->tottime_ns);
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
	add_share(stats, table, device->self_ns);
	add_device(table, function);
	table_add(table, label_name(function->name));
	if (stats->options->callers)
		add_launchers(stats, table, number);
}

/* Of an edge that leads to the host the device's time is not known, and one to
 * a device has no other. */
static void add_edge(const struct stats *stats, struct table *table,
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
			add_edge(stats, table, i, true);
	if (stats->options->callees)
		for (uint32_t i = stats->callees[number];
			i < stats->callees[number + 1]; i++)
			add_edge(stats, table, stats->callee_edges[i], false);
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
	table_need(&table, titles->min, FULL);
	table_need(&table, titles->max, FULL);
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

	/* The first one is for graphs. */
	if (stats->has_captures)
		table_init(&table, columns, count);
	else
		table_init(&table, columns + 1, count - 1);
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
		fputs("No GPU did anything.\n", out);
		return EXIT_DONE;
	}
	if (!print_work(stats, out) || putc('\n', out) == EOF ||
		!print_ranges(stats, out)) {
		say_no_memory(NULL);
		return EXIT_LIMIT;
	}
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
