/* SPDX-License-Identifier: MIT */
/* The memory of operations, device by device: what tables of them have in
 * common. */
#ifndef STATS_MEMORY_H
#define STATS_MEMORY_H

#include "stats/stats.h"

/* Finds the owners that there are. False if out of memory. */
bool stats_memory_init(struct stats *stats);

/* How much it took of an owner's memory (or of PROFILE_MEMORY_DEVICES). */
struct profile_amount stats_memory_of(const struct stats *stats,
	const struct profile_function *function, uint32_t owner);

/* How often there was none, whoever's; and an owner's: was there ever none? */
uint64_t stats_memory_failed(
	const struct stats *stats, const struct profile_function *function);
bool stats_memory_owner_failed(const struct stats *stats, uint32_t owner);

/* Is any of this owner's known? */
bool stats_memory_has(const struct stats *stats, uint32_t owner);

const char *stats_memory_owner(const struct stats *stats, uint32_t owner,
	char text[PROFILE_OWNER_TEXT]);

/* Is any known of those that --sort is about? */
bool stats_memory_has_key(const struct stats *stats);

/* The order of rows by STATS_MEMORY and its like, as numbers without a sign. */
uint64_t stats_memory_figure(
	const struct stats *stats, const struct profile_function *function);

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
