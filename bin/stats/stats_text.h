/* SPDX-License-Identifier: MIT */
/* Common parts of the text tables of functions. */
#ifndef STATS_TEXT_H
#define STATS_TEXT_H

#include "stats/stats.h"
#include "cli/table.h"

/* Column titles with the unit of times. */
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

/* Adds "name (basename:line)", or for a device "name <gpu:0 NAME>", after
 * `before`. */
void stats_add_name(struct table *table, const char *before,
	const struct profile_function *function);

/* Prints the number of hidden items, if any; `what` is " function", or "" if
 * there is no word for them. */
void stats_print_hidden(FILE *out, uint32_t hidden, const char *what);

#endif
