/* SPDX-License-Identifier: MIT */
/* What compilers did, as tables: one for each group. */
#ifndef STATS_BUILD_H
#define STATS_BUILD_H

#include "input/aggregate.h"
#include "stats/stats.h"

/* The values of --group: those of BUILD_GROUPS, and "all". */
#define STATS_BUILD_GROUPS \
	"phase|unit|header|template|template-set|function|name|all"

/* Bits of enum build_group; `word` is one of the above by its number. What
 * ranges are called is no part of "all": the phases say it better. */
uint32_t stats_build_groups(unsigned word);

/* The groups' profiles are sorted here. Each prints to `out`. Errors: said;
 * they return an exit status; those of writing show on the stream. */
int stats_build_text(const struct aggregate *aggregate,
	const struct stats_options *options, FILE *out);
int stats_build_csv(const struct aggregate *aggregate,
	const struct stats_options *options, FILE *out);
int stats_build_json(const struct aggregate *aggregate,
	const struct stats_options *options, struct report *report, FILE *out);

#endif
