/* SPDX-License-Identifier: MIT */
/*
 * What fits a terminal comes first: of several devices their memory is summed,
 * and stands device by device only where that is asked for, and means are for
 * wide ones. But what rows are sorted by is always there to be seen, unless the
 * columns were chosen.
 */
#include "stats/stats_view.h"

#include <stdio.h>

#include "stats/stats_memory.h"
#include "stats/stats_private.h"

#define WIDE 120        /* lines with room for what can be worked out */
#define FULL 90         /* and with room for shares */
#define FAILED_OWNERS 2 /* so many have columns of their own unasked */

static const struct {
	const char *title;
	bool has_unit; /* that of times */
	bool wide;     /* only where lines are long */
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

static uint32_t usual_columns(const struct stats *stats)
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

static bool each_is_asked(const struct stats *stats)
{
	uint32_t columns = stats->options->ops->columns;

	return (columns & 1U << STATS_OPS_MEMORY_EACH) != 0;
}

static uint32_t device_count(const struct stats *stats)
{
	return stats->owner_count -
	       stats_memory_has(stats, PROFILE_MEMORY_HOST);
}

/* How many owners had no more memory to give. */
static uint32_t failed_count(const struct stats *stats)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < stats->owner_count; i++)
		count += stats_memory_owner_failed(stats, stats->owners[i]);
	return count;
}

/* Is the figure of memory that there is? */
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
		       each_is_asked(stats);
	default:
		return true;
	}
}

/* What shows the order of rows, where only some tables have it. */
static enum figure figure_of(enum stats_key key)
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
	bool sorted = figure == figure_of(stats->key);

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
	/* Rare, and what one would look for. */
	return figure == FIGURE_OUT_OF_MEMORY ||
	       figure == FIGURE_OUT_OF_MEMORY_OF ||
	       (usual_columns(stats) & 1U << column) != 0;
}

static void show(
	struct view *view, enum figure figure, uint32_t owner, const char *more)
{
	struct shown *shown = &view->shown[view->count];

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

/* The first devices, and whose memory the rows are sorted by: that alone if
 * there are several, and nobody asked for each. */
static void show_devices(struct view *view)
{
	const struct stats *stats = view->stats;
	bool each = device_count(stats) < 2 || each_is_asked(stats);
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
		show(view, FIGURE_SELF_DEVICE_MEMORY, owner, name);
		show(view, FIGURE_DEVICE_MEMORY, owner, name);
	}
}

/* The first of those that had no more memory. */
static void show_failed(struct view *view)
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
		show(view, FIGURE_OUT_OF_MEMORY_OF, owner, name);
	}
}

void view_init(struct view *view, const struct stats *stats)
{
	bool shapes = stats->options->ops->group == OPS_SHAPE;

	*view = (struct view){.stats = stats};
	for (enum figure i = 0; i < FIGURES; i++) {
		if (!is_shown(stats, i))
			continue;
		if (i == FIGURE_SELF_DEVICE_MEMORY)
			show_devices(view);
		else if (i == FIGURE_OUT_OF_MEMORY_OF)
			show_failed(view);
		else if (i != FIGURE_DEVICE_MEMORY)
			show(view, i, PROFILE_MEMORY_HOST,
				figures[i].has_unit ? stats_titles(stats)->unit
						    : "");
	}
	view->columns[view->count] = (struct table_column){"name", false};
	if (shapes)
		view->columns[view->count + 1] =
			(struct table_column){"shapes of inputs", false};
	table_init(&view->table, view->columns, view->count + 1 + shapes);
	if (stats->options->ops->columns != 0)
		return;
	table_need(&view->table, figures[FIGURE_DEVICE_SHARE].title, FULL);
	if (!shapes)
		return;
	table_need(&view->table, figures[FIGURE_SHARE].title, FULL);
	if (stats->key != STATS_DEVICE)
		table_need(&view->table, figures[FIGURE_DEVICE].title, FULL);
}
