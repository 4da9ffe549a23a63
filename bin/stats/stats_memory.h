/* SPDX-License-Identifier: MIT */
/* The memory of operations, device by device: what tables of them have in
 * common. */
#ifndef STATS_MEMORY_H
#define STATS_MEMORY_H

#include "stats/stats.h"

/* Of the report, and of a row. */
void stats_memory_put(const struct stats *stats, struct json *json);
void stats_memory_put_row(const struct stats *stats, struct json *json,
	const struct profile_function *function);

/* Columns of CSV; NULL: of an edge, which has none. */
void stats_memory_put_titles(const struct stats *stats, FILE *out);
void stats_memory_put_line(const struct stats *stats, FILE *out,
	const struct profile_function *function);

/* Lines below a table for people. */
void stats_memory_print(const struct stats *stats, FILE *out);

#endif
