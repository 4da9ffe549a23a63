/* SPDX-License-Identifier: MIT */
/* What the tables of functions for people have in common. */
#ifndef STATS_TEXT_H
#define STATS_TEXT_H

#include "stats/stats.h"
#include "cli/table.h"

/* Titles of columns, with the unit of the times below them. */
struct stats_titles {
	const char *tottime;
	const char *cumtime;
	const char *self_device;
	const char *device;
	const char *device_mean;
	const char *captured;
	const char *total;
	const char *mean;
	const char *min;
	const char *max;
	const char *unit;
	uint64_t size_ns;
};

const struct stats_titles *stats_titles(const struct stats *stats);

/* Adds "name (basename:line)", or of a device "name <gpu:0 NAME>", with
 * something before it. */
void stats_add_name(struct table *table, const char *before,
	const struct profile_function *function);

/* How many are not shown, if there are any: " function", or "" for what has no
 * word of its own. */
void stats_print_hidden(FILE *out, uint32_t hidden, const char *what);

#endif
