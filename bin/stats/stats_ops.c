/* SPDX-License-Identifier: MIT */
/*
 * The table of operations, for people.
 * Source: shared spec 03, "Tree and averages"; PyTorch's key_averages().table()
 * has these columns.
 */
#include <inttypes.h>
#include <string.h>

#include "io/amount.h"
#include "base/buffer.h"
#include "cli/command.h"
#include "profiles/label.h"
#include "cli/quantity.h"
#include "cli/say.h"
#include "stats/stats_memory.h"
#include "stats/stats_private.h"
#include "stats/stats_view.h"

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
	const struct shown *shown, const struct profile_function *function)
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

/* A figure of the device, and of what was used beside time. */
static const char *use_text(const struct stats *stats, char *text,
	const struct shown *shown, const struct profile_function *function)
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
			text, stats_device_percall(function), unit_ns);
	case FIGURE_FLOPS:
		return quantity_in(text, function->use.flops, GIGA);
	default:
		return memory_text(stats, text, shown, function);
	}
}

/* "" where the host has none: of what a device did. */
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
		return quantity_in(text, stats_percall(cost), unit_ns);
	}
}

/* Of an edge, `edge`, only its cost is known. */
static void add_figures(struct view *view,
	const struct profile_function *function,
	const struct profile_cost *edge)
{
	char text[QUANTITY_TEXT];

	table_add_row(&view->table, edge == NULL ? TABLE_PLAIN : TABLE_FAINT);
	for (size_t i = 0; i < view->count; i++) {
		const struct shown *shown = &view->shown[i];
		const struct profile_cost *cost =
			edge != NULL ? edge : &function->cost;
		const char *cell = "";

		if (shown->figure <= FIGURE_MEAN)
			cell = cost_text(view->stats, text, shown->figure,
				function, cost);
		else if (edge == NULL)
			cell = use_text(view->stats, text, shown, function);
		table_add(&view->table, cell);
	}
}

/* The name, and the file of those that have one. */
static void add_name(struct view *view, const char *before,
	const struct profile_function *function)
{
	const struct stats *stats = view->stats;
	const struct stats_ops *ops = stats->options->ops;
	const char *details = stats_details(stats, function);
	struct buffer text = BUFFER_INIT;
	char device[QUANTITY_TEXT];

	if (ops->group == OPS_SITE && function->device.kind == PROFILE_HOST) {
		stats_add_name(&view->table, before, function);
		return;
	}
	buffer_add_text(&text, before);
	buffer_add_text(&text, label_name(function->name));
	if (function->device.kind != PROFILE_HOST) {
		/* What the device is called would leave no room for the name.
		 */
		(void)snprintf(device, sizeof(device), " <gpu:%" PRIu32 ">",
			function->device.number);
		buffer_add_text(&text, device);
	}
	buffer_add_byte(&text, '\0');
	if (text.failed)
		view->table.text.failed = true;
	else if (ops->group == OPS_SHAPE)
		table_add_short(&view->table, (const char *)text.bytes,
			ops->name_width);
	else
		table_add(&view->table, (const char *)text.bytes);
	buffer_clear(&text);
	if (ops->group == OPS_SHAPE)
		table_add_short(&view->table, details == NULL ? "" : details,
			ops->details_width);
}

/* Each function around it on a line of its own. */
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
	if (details != NULL && stats->options->ops->group == OPS_STACK)
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
			", of which the launch is not known: %" PRIu64 ")\n",
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
			"Still open at the end, and closed there: %" PRIu64
			"\n",
			profile->open_calls);
}

static bool is_module(const struct profile_function *function)
{
	return function->device.kind == PROFILE_HOST &&
	       strcmp(function->name, OPS_NO_MODULE) != 0 &&
	       strcmp(function->name, OPS_MEMORY) != 0 &&
	       strcmp(function->name, OPS_OUT_OF_MEMORY) != 0;
}

/* Is anything told apart by what was asked for? Else says what is missing. */
static const char *find_missing(const struct stats *stats)
{
	static const char *const missing[OPS_GROUPS] = {
		[OPS_SHAPE] = "No shapes of inputs were recorded.\n",
		[OPS_STACK] = "No functions around operations were recorded.\n",
		[OPS_MODULE] = "No modules were recorded.\n",
	};
	const struct profile *profile = stats->profile;
	enum ops_group group = stats->options->ops->group;

	if (profile->function_count == 0)
		return "No operations were recorded.\n";
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		const char *details = stats_details(stats, function);

		if (group == OPS_MODULE ? is_module(function)
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
	if (!printed) {
		say_no_memory(NULL);
		return EXIT_LIMIT;
	}
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
