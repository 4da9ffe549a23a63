/* SPDX-License-Identifier: MIT */
/*
 * The text table of operations.
 * Source: shared spec 03, "Tree and averages"; PyTorch's key_averages().table()
 * has these columns.
 *
 * Narrow terminals first: memory is summed over devices unless requested per
 * device; means need a wide terminal. The sort key is always shown, unless the
 * columns were chosen.
 */
#include "stats/stats_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "io/amount.h"
#include "profiles/label.h"
#include "stats/stats_memory.h"

enum figure {
	FIGURE_COUNT,
	FIGURE_PCALLS,
	FIGURE_SELF,
	FIGURE_SHARE,
	FIGURE_TOTAL,
	FIGURE_MEAN,
	FIGURE_DEVICE_SELF,
	FIGURE_DEVICE_SHARE,
	FIGURE_DEVICE,
	FIGURE_DEVICE_MEAN,
	FIGURE_SELF_MEMORY,
	FIGURE_MEMORY,
	FIGURE_SELF_DEVICES_MEMORY, /* sum of several devices */
	FIGURE_DEVICES_MEMORY,
	FIGURE_SELF_DEVICE_MEMORY, /* two columns per device */
	FIGURE_DEVICE_MEMORY,
	FIGURE_OUT_OF_MEMORY, /* sum of several owners */
	FIGURE_OUT_OF_MEMORY_OF,
	FIGURE_FLOPS,
	FIGURES
};

#define VIEW_DEVICES 8 /* devices with memory columns */
#define VIEW_SHOWN (FIGURES + 3 * VIEW_DEVICES)
#define VIEW_TITLE (PROFILE_OWNER_TEXT + 16)

/* The columns of the printed table. */
struct view {
	const struct stats *stats;
	struct figure_column {
		enum figure figure;
		uint32_t owner; /* of memory */
		char title[VIEW_TITLE];
	} shown[VIEW_SHOWN];
	size_t count;
	uint32_t hidden_devices; /* for lack of room */
	bool together;           /* devices are summed */
	struct table_column columns[VIEW_SHOWN + 2];
	struct table table;
};

#define WIDE 120        /* lines with room for derived figures */
#define FULL 90         /* lines with room for shares */
#define FAILED_OWNERS 2 /* owners with separate columns by default */

static const struct {
	const char *title;
	bool has_unit; /* a unit of time */
	bool wide;     /* only in wide tables */
	enum stats_ops_column column;
} figures[] = {
	[FIGURE_COUNT] = {"count", false, false, STATS_OPS_COLUMN_COUNT},
	[FIGURE_PCALLS] = {"pcalls", false, false, STATS_OPS_COLUMN_COUNT},
	[FIGURE_SELF] = {"self ", true, false, STATS_OPS_CPU},
	[FIGURE_SHARE] = {"self %", false, false, STATS_OPS_CPU},
	[FIGURE_TOTAL] = {"total ", true, false, STATS_OPS_CPU},
	[FIGURE_MEAN] = {"mean ", true, true, STATS_OPS_CPU},
	[FIGURE_DEVICE_SELF] = {"dev self", false, false, STATS_OPS_DEVICE},
	[FIGURE_DEVICE_SHARE] = {"dev %", false, false, STATS_OPS_DEVICE},
	[FIGURE_DEVICE] = {"dev total", false, false, STATS_OPS_DEVICE},
	[FIGURE_DEVICE_MEAN] = {"dev mean", false, true, STATS_OPS_DEVICE},
	[FIGURE_SELF_MEMORY] = {"self mem", false, false, STATS_OPS_MEMORY},
	[FIGURE_MEMORY] = {"mem", false, false, STATS_OPS_MEMORY},
	[FIGURE_SELF_DEVICES_MEMORY] = {"self dev mem", false, false,
		STATS_OPS_MEMORY},
	[FIGURE_DEVICES_MEMORY] = {"dev mem", false, false, STATS_OPS_MEMORY},
	[FIGURE_SELF_DEVICE_MEMORY] = {"self mem ", false, false,
		STATS_OPS_MEMORY},
	[FIGURE_DEVICE_MEMORY] = {"mem ", false, false, STATS_OPS_MEMORY},
	[FIGURE_OUT_OF_MEMORY] = {"oom", false, false, STATS_OPS_MEMORY},
	[FIGURE_OUT_OF_MEMORY_OF] = {"oom ", false, false, STATS_OPS_MEMORY},
	[FIGURE_FLOPS] = {"GFLOP", false, false, STATS_OPS_FLOPS},
};

static bool is_memory_key(enum stats_key key)
{
	return key >= STATS_MEMORY && key <= STATS_SELF_DEVICE_MEMORY;
}

static bool is_narrow(const struct stats *stats)
{
	size_t width = stats->options->width;

	return width != 0 && width < WIDE;
}

static uint32_t default_columns(const struct stats *stats)
{
	uint32_t columns = 1U << STATS_OPS_CPU | 1U << STATS_OPS_DEVICE;

	if (is_memory_key(stats->key) && is_narrow(stats))
		return 1U << STATS_OPS_MEMORY;
	if (is_memory_key(stats->key) && stats->options->width != 0)
		return 1U << STATS_OPS_CPU | 1U << STATS_OPS_MEMORY;
	if (is_memory_key(stats->key))
		columns |= 1U << STATS_OPS_MEMORY;
	if (stats->key == STATS_FLOPS)
		columns |= 1U << STATS_OPS_FLOPS;
	return columns;
}

static bool wants_each_device(const struct stats *stats)
{
	uint32_t columns = stats->options->ops->columns;

	return (columns & 1U << STATS_OPS_MEMORY_EACH) != 0;
}

static uint32_t device_count(const struct stats *stats)
{
	return stats->owner_count -
	       stats_memory_has(stats, PROFILE_MEMORY_HOST);
}

/* Number of owners with failed allocations. */
static uint32_t failed_count(const struct stats *stats)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < stats->owner_count; i++)
		count += stats_memory_owner_failed(stats, stats->owners[i]);
	return count;
}

/* Whether the figure has data. */
static bool has_memory(const struct stats *stats, enum figure figure)
{
	switch (figure) {
	case FIGURE_SELF_MEMORY:
	case FIGURE_MEMORY:
		return stats_memory_has(stats, PROFILE_MEMORY_HOST);
	case FIGURE_SELF_DEVICES_MEMORY:
	case FIGURE_DEVICES_MEMORY:
		return device_count(stats) > 1;
	case FIGURE_OUT_OF_MEMORY:
		return failed_count(stats) > FAILED_OWNERS;
	case FIGURE_OUT_OF_MEMORY_OF:
		return failed_count(stats) <= FAILED_OWNERS ||
		       wants_each_device(stats);
	default:
		return true;
	}
}

/* The optional column that shows the sort key. */
static enum figure key_figure(enum stats_key key)
{
	switch (key) {
	case STATS_PCALLS:
		return FIGURE_PCALLS;
	case STATS_PERCALL:
		return FIGURE_MEAN;
	case STATS_DEVICE_PERCALL:
		return FIGURE_DEVICE_MEAN;
	default:
		return FIGURES;
	}
}

static bool is_shown(const struct stats *stats, enum figure figure)
{
	uint32_t columns = stats->options->ops->columns;
	enum stats_ops_column column = figures[figure].column;
	bool sorted = figure == key_figure(stats->key);

	if (column == STATS_OPS_COLUMN_COUNT)
		return figure != FIGURE_PCALLS || sorted;
	if (column == STATS_OPS_DEVICE && !stats->has_device)
		return false;
	if (column == STATS_OPS_MEMORY && !has_memory(stats, figure))
		return false;
	if (column == STATS_OPS_FLOPS && stats->profile->flops == 0)
		return false;
	if (figures[figure].wide && !sorted && columns == 0 && is_narrow(stats))
		return false;
	if (columns != 0)
		return (columns & 1U << column) != 0;
	/* Rare but important. */
	return figure == FIGURE_OUT_OF_MEMORY ||
	       figure == FIGURE_OUT_OF_MEMORY_OF ||
	       (default_columns(stats) & 1U << column) != 0;
}

static void add_figure_column(
	struct view *view, enum figure figure, uint32_t owner, const char *more)
{
	struct figure_column *shown = &view->shown[view->count];

	shown->figure = figure;
	shown->owner = owner;
	(void)snprintf(
		shown->title, VIEW_TITLE, "%s%s", figures[figure].title, more);
	view->columns[view->count++] =
		(struct table_column){shown->title, true};
}

static bool is_sorted_by(const struct stats *stats, uint32_t owner)
{
	return is_memory_key(stats->key) && owner == stats->key_owner;
}

/* Shows the first devices and the owner of the sort key; with several devices
 * only the latter, unless requested per device. */
static void add_device_columns(struct view *view)
{
	const struct stats *stats = view->stats;
	bool each = device_count(stats) < 2 || wants_each_device(stats);
	uint32_t room = VIEW_DEVICES;

	view->together = !each;
	if (is_sorted_by(stats, stats->key_owner) &&
		stats->key_owner != PROFILE_MEMORY_HOST)
		room--;
	for (uint32_t i = 0; i < stats->owner_count; i++) {
		uint32_t owner = stats->owners[i];
		bool sorted = is_sorted_by(stats, owner);
		char name[PROFILE_OWNER_TEXT];

		if (owner == PROFILE_MEMORY_HOST || (!each && !sorted))
			continue;
		if (!sorted && room == 0) {
			view->hidden_devices++;
			continue;
		}
		room -= !sorted;
		stats_memory_owner(stats, owner, name);
		add_figure_column(view, FIGURE_SELF_DEVICE_MEMORY, owner, name);
		add_figure_column(view, FIGURE_DEVICE_MEMORY, owner, name);
	}
}

/* Shows the first owners with failed allocations. */
static void add_failed_columns(struct view *view)
{
	const struct stats *stats = view->stats;
	uint32_t room = VIEW_DEVICES;

	for (uint32_t i = 0; i < stats->owner_count && room > 0; i++) {
		uint32_t owner = stats->owners[i];
		char name[PROFILE_OWNER_TEXT];

		if (!stats_memory_owner_failed(stats, owner))
			continue;
		room--;
		stats_memory_owner(stats, owner, name);
		add_figure_column(view, FIGURE_OUT_OF_MEMORY_OF, owner, name);
	}
}

/* Whether a narrow table can do without: own time and memory stay. */
static bool is_dispensable(enum figure figure)
{
	return figure != FIGURE_COUNT && figure != FIGURE_SELF &&
	       figure != FIGURE_DEVICE_SELF && figure != FIGURE_SELF_MEMORY &&
	       figure != FIGURE_SELF_DEVICES_MEMORY &&
	       figure != FIGURE_SELF_DEVICE_MEMORY && figure != FIGURE_FLOPS;
}

/* Selects the columns and begins the table, which the caller clears. */
static void view_init(struct view *view, const struct stats *stats)
{
	bool shapes = stats->options->ops->group == AVERAGES_SHAPE;

	*view = (struct view){.stats = stats};
	for (enum figure i = 0; i < FIGURES; i++) {
		if (!is_shown(stats, i))
			continue;
		if (i == FIGURE_SELF_DEVICE_MEMORY)
			add_device_columns(view);
		else if (i == FIGURE_OUT_OF_MEMORY_OF)
			add_failed_columns(view);
		else if (i != FIGURE_DEVICE_MEMORY)
			add_figure_column(view, i, PROFILE_MEMORY_HOST,
				figures[i].has_unit ? stats_titles(stats)->unit
						    : "");
	}
	view->columns[view->count] = (struct table_column){"name", false};
	if (shapes)
		view->columns[view->count + 1] =
			(struct table_column){"shapes of inputs", false};
	table_init(&view->table, view->columns, view->count + 1 + shapes);
	for (size_t i = 0; i < view->count; i++)
		if (is_dispensable(view->shown[i].figure))
			table_hide_narrow(&view->table, view->shown[i].title);
	if (stats->options->ops->columns != 0)
		return;
	table_hide_below(
		&view->table, figures[FIGURE_DEVICE_SHARE].title, FULL);
	if (!shapes)
		return;
	table_hide_below(&view->table, figures[FIGURE_SHARE].title, FULL);
	if (stats->key != STATS_DEVICE)
		table_hide_below(
			&view->table, figures[FIGURE_DEVICE].title, FULL);
}

#define GIGA 1000000000

static const char *share_text(char *text, uint64_t part, uint64_t whole)
{
	return whole == 0 ? "-"
			  : amount_hundredths(text, amount_share(part, whole));
}

static const char *bytes_text(char *text, int64_t bytes)
{
	char size[QUANTITY_TEXT];

	if (bytes >= 0)
		return quantity_bytes(text, (uint64_t)bytes);
	(void)snprintf(text, QUANTITY_TEXT, "-%.*s", QUANTITY_TEXT - 2,
		quantity_bytes(size, -(uint64_t)bytes));
	return text;
}

static const char *memory_text(const struct stats *stats, char *text,
	const struct figure_column *shown,
	const struct profile_function *function)
{
	bool devices = shown->figure == FIGURE_SELF_DEVICES_MEMORY ||
		       shown->figure == FIGURE_DEVICES_MEMORY;
	bool self = shown->figure == FIGURE_SELF_MEMORY ||
		    shown->figure == FIGURE_SELF_DEVICES_MEMORY ||
		    shown->figure == FIGURE_SELF_DEVICE_MEMORY;
	struct profile_amount amount = stats_memory_of(stats, function,
		devices ? PROFILE_MEMORY_DEVICES : shown->owner);

	if (shown->figure != FIGURE_OUT_OF_MEMORY &&
		shown->figure != FIGURE_OUT_OF_MEMORY_OF)
		return bytes_text(
			text, self ? amount.self_bytes : amount.total_bytes);
	(void)snprintf(text, QUANTITY_TEXT, "%" PRIu64,
		shown->figure == FIGURE_OUT_OF_MEMORY_OF
			? amount.failed
			: stats_memory_failed(stats, function));
	return text;
}

/* Text of a figure of the device or of other resources than time. */
static const char *resource_text(const struct stats *stats, char *text,
	const struct figure_column *shown,
	const struct profile_function *function)
{
	const struct profile_device *device = &function->device;
	uint64_t unit_ns = stats_titles(stats)->size_ns;

	switch (shown->figure) {
	case FIGURE_DEVICE_SELF:
		return quantity_in(text, device->self_ns, unit_ns);
	case FIGURE_DEVICE_SHARE:
		return share_text(text, device->self_ns, stats->device_ns);
	case FIGURE_DEVICE:
		return quantity_in(text, device->total_ns, unit_ns);
	case FIGURE_DEVICE_MEAN:
		return quantity_in(
			text, stats_device_percall(stats, function), unit_ns);
	case FIGURE_FLOPS:
		return quantity_in(text, function->use.flops, GIGA);
	default:
		return memory_text(stats, text, shown, function);
	}
}

/* Text of a host figure; "" for device functions. */
static const char *cost_text(const struct stats *stats, char *text,
	enum figure figure, const struct profile_function *function,
	const struct profile_cost *cost)
{
	uint64_t unit_ns = stats_titles(stats)->size_ns;

	if (figure == FIGURE_COUNT || figure == FIGURE_PCALLS) {
		(void)snprintf(text, QUANTITY_TEXT, "%" PRIu64,
			figure == FIGURE_COUNT ? cost->ncalls : cost->pcalls);
		return text;
	}
	if (function->device.kind != PROFILE_HOST)
		return "";
	switch (figure) {
	case FIGURE_SELF:
		return quantity_in(text, cost->tottime_ns, unit_ns);
	case FIGURE_SHARE:
		return share_text(text, cost->tottime_ns, stats->host_ns);
	case FIGURE_TOTAL:
		return quantity_in(text, cost->cumtime_ns, unit_ns);
	default:
		return quantity_in(text, stats_percall(stats, cost), unit_ns);
	}
}

/* For an edge, `edge`, only the cost is known. */
static void add_figures(struct view *view,
	const struct profile_function *function,
	const struct profile_cost *edge)
{
	char text[QUANTITY_TEXT];

	table_add_row(&view->table, edge == NULL ? TABLE_PLAIN : TABLE_FAINT);
	for (size_t i = 0; i < view->count; i++) {
		const struct figure_column *shown = &view->shown[i];
		const struct profile_cost *cost =
			edge != NULL ? edge : &function->cost;
		const char *cell = "";

		if (shown->figure <= FIGURE_MEAN)
			cell = cost_text(view->stats, text, shown->figure,
				function, cost);
		else if (edge == NULL)
			cell = resource_text(
				view->stats, text, shown, function);
		table_add(&view->table, cell);
	}
}

/* Adds the name and, if known, the file. */
static void add_name(struct view *view, const char *before,
	const struct profile_function *function)
{
	const struct stats *stats = view->stats;
	const struct stats_ops *ops = stats->options->ops;
	const char *details = stats_details(stats, function);
	struct buffer text = BUFFER_INIT;
	char device[QUANTITY_TEXT];

	if (ops->group == AVERAGES_SITE &&
		function->device.kind == PROFILE_HOST) {
		stats_add_name(&view->table, before, function);
		return;
	}
	buffer_add_text(&text, before);
	buffer_add_text(&text, label_name(function->name));
	if (function->device.kind != PROFILE_HOST) {
		/* The device's name would leave no room for the function's. */
		(void)snprintf(device, sizeof(device), " <gpu:%" PRIu32 ">",
			function->device.number);
		buffer_add_text(&text, device);
	}
	buffer_add_byte(&text, '\0');
	if (text.failed)
		view->table.text.failed = true;
	else if (ops->group == AVERAGES_SHAPE)
		table_add_short(&view->table, (const char *)text.bytes,
			ops->name_width);
	else
		table_add(&view->table, (const char *)text.bytes);
	buffer_clear(&text);
	if (ops->group == AVERAGES_SHAPE)
		table_add_short(&view->table, details == NULL ? "" : details,
			ops->details_width);
}

/* Adds each function of the stack on a separate line. */
static void add_stack(struct view *view, const char *stack)
{
	struct buffer text = BUFFER_INIT;

	while (*stack != '\0') {
		size_t size = strcspn(stack, "\n");

		table_add_row(&view->table, TABLE_FAINT);
		for (size_t i = 0; i < view->count; i++)
			table_add(&view->table, "");
		text.used = 0;
		buffer_add_text(&text, "  in ");
		buffer_add(&text, stack, size);
		buffer_add_byte(&text, '\0');
		if (text.failed)
			view->table.text.failed = true;
		else
			table_add_short(&view->table, (const char *)text.bytes,
				view->stats->options->ops->details_width);
		stack += size;
		stack += *stack == '\n';
	}
	buffer_clear(&text);
}

static void add_edge(struct view *view, uint32_t number, bool caller)
{
	const struct profile *profile = view->stats->profile;
	const struct profile_edge *edge = &profile->edges[number];
	const struct profile_function *other =
		&profile->functions[caller ? edge->caller : edge->callee];

	add_figures(view, other, &edge->cost);
	add_name(view, caller ? "  <- " : "  -> ", other);
}

static void add_function(struct view *view, uint32_t number)
{
	const struct stats *stats = view->stats;
	const struct profile_function *function =
		&stats->profile->functions[number];
	const char *details = stats_details(stats, function);

	add_figures(view, function, NULL);
	add_name(view, "", function);
	if (details != NULL && stats->options->ops->group == AVERAGES_STACK)
		add_stack(view, details);
	if (stats->options->callers)
		for (uint32_t i = stats->callers[number];
			i < stats->callers[number + 1]; i++)
			add_edge(view, i, true);
	if (stats->options->callees)
		for (uint32_t i = stats->callees[number];
			i < stats->callees[number + 1]; i++)
			add_edge(view, stats->callee_edges[i], false);
}

static void print_sums(const struct stats *stats, FILE *out)
{
	const struct profile *profile = stats->profile;
	uint64_t unit_ns = stats_titles(stats)->size_ns;
	const char *unit = stats_titles(stats)->unit;
	char time[QUANTITY_TEXT];

	stats_print_hidden(out, stats->hidden, "");
	fprintf(out, "\nSelf CPU time total: %s %s\n",
		quantity_in(time, stats->host_ns, unit_ns), unit);
	if (stats->has_device)
		fprintf(out,
			"Device time total: %s %s (activities: %" PRIu64
			", with unknown launch: %" PRIu64 ")\n",
			quantity_in(time, stats->device_ns, unit_ns), unit,
			stats->activities, profile->unmatched);
	stats_memory_print(stats, out);
	if (profile->flops != 0)
		fprintf(out,
			"Floating-point operations: %s GFLOP (--columns "
			"flops)\n",
			quantity_in(time, profile->flops, GIGA));
	if (profile->open_calls != 0)
		fprintf(out,
			"Still open at the end, closed there: %" PRIu64 "\n",
			profile->open_calls);
}

static bool is_module(const struct profile_function *function)
{
	return function->device.kind == PROFILE_HOST &&
	       strcmp(function->name, AVERAGES_NO_MODULE) != 0 &&
	       strcmp(function->name, AVERAGES_MEMORY) != 0 &&
	       strcmp(function->name, AVERAGES_OUT_OF_MEMORY) != 0;
}

/* Reports what is missing if the grouping key has no data; else NULL. */
static const char *find_missing(const struct stats *stats)
{
	static const char *const missing[AVERAGES_GROUPS] = {
		[AVERAGES_SHAPE] = "No shapes of inputs were recorded.\n",
		[AVERAGES_STACK] =
			"No functions around operations were recorded.\n",
		[AVERAGES_MODULE] = "No modules were recorded.\n",
	};
	const struct profile *profile = stats->profile;
	enum averages_group group = stats->options->ops->group;

	if (profile->function_count == 0)
		return "No operations were recorded.\n";
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		const char *details = stats_details(stats, function);

		if (group == AVERAGES_MODULE
				? is_module(function)
				: details != NULL && *details != '\0')
			return NULL;
	}
	return missing[group];
}

int stats_print_ops(const struct stats *stats, FILE *out)
{
	const char *missing = find_missing(stats);
	struct profile_function sum = {.name = "Total", .file = ""};
	struct view view;
	bool printed;

	if (stats->count + stats->hidden == 0 && missing != NULL) {
		fputs(missing, out);
		return EXIT_DONE;
	}
	view_init(&view, stats);
	for (uint32_t i = 0; i < stats->count; i++)
		add_function(&view, stats->order[i]);
	stats_total(stats, &sum);
	add_figures(&view, &sum, NULL);
	add_name(&view, "", &sum);
	printed = table_print(
		&view.table, out, stats->options->color, stats->options->width);
	table_clear(&view.table);
	if (!printed)
		return diag_no_memory(NULL);
	if (view.hidden_devices != 0)
		fprintf(out,
			"(memory of %" PRIu32
			" more devices not shown; see --json and --csv)\n",
			view.hidden_devices);
	if (view.together)
		fputs("(of each device: --columns memory-each)\n", out);
	print_sums(stats, out);
	if (missing != NULL)
		fputs(missing, out);
	return EXIT_DONE;
}
