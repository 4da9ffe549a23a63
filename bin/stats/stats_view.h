/* SPDX-License-Identifier: MIT */
/* Which columns the table of operations for people has. */
#ifndef STATS_VIEW_H
#define STATS_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"
#include "cli/table.h"

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
	FIGURE_SELF_DEVICES_MEMORY, /* of several together */
	FIGURE_DEVICES_MEMORY,
	FIGURE_SELF_DEVICE_MEMORY, /* two columns for each */
	FIGURE_DEVICE_MEMORY,
	FIGURE_OUT_OF_MEMORY, /* of several owners together */
	FIGURE_OUT_OF_MEMORY_OF,
	FIGURE_FLOPS,
	FIGURES
};

#define VIEW_DEVICES 8 /* whose memory is in a table */
#define VIEW_SHOWN (FIGURES + 3 * VIEW_DEVICES)
#define VIEW_TITLE (PROFILE_OWNER_TEXT + 16)

/* The table that is printed: which figures are in it. */
struct view {
	const struct stats *stats;
	struct shown {
		enum figure figure;
		uint32_t owner; /* of memory */
		char title[VIEW_TITLE];
	} shown[VIEW_SHOWN];
	size_t count;
	uint32_t hidden_devices; /* for want of room */
	bool together;           /* devices are, as nobody asked for each */
	struct table_column columns[VIEW_SHOWN + 2];
	struct table table;
};

/* Chooses the columns, and begins the table; its owner clears that. */
void view_init(struct view *view, const struct stats *stats);

#endif
