/* SPDX-License-Identifier: MIT */
/* The memory of operations by device: common parts of their tables. */
#ifndef STATS_MEMORY_H
#define STATS_MEMORY_H

#include "stats/stats.h"

/* Write the members of the report, and of a row. */
void stats_memory_put(const struct stats *stats, struct json *json);
void stats_memory_put_row(const struct stats *stats, struct json *json,
	const struct profile_function *function);

/* Write CSV columns; NULL: for an edge, which has no memory. */
void stats_memory_put_titles(const struct stats *stats, FILE *out);
void stats_memory_put_line(const struct stats *stats, FILE *out,
	const struct profile_function *function);

/* Prints lines below a text table. */
void stats_memory_print(const struct stats *stats, FILE *out);

#endif
