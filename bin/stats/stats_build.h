/* SPDX-License-Identifier: MIT */
/* Tables of compilers' traces, one per group. */
#ifndef STATS_BUILD_H
#define STATS_BUILD_H

#include "input/aggregate.h"
#include "stats/stats.h"

/* The values of --group: those of BUILD_GROUPS, and "all". */
#define STATS_BUILD_GROUPS \
	"phase|unit|header|template|template-set|function|name|all"

/* Bits of enum build_group; `word` is an index of the above. "all" excludes the
 * names of ranges, because phases are more useful. */
uint32_t stats_build_groups(unsigned word);

/* Sort the groups' profiles and print to `out`. Errors: reported; they return
 * an exit status. Write errors remain in the stream. */
int stats_build_text(const struct aggregate *aggregate,
	const struct stats_options *options, FILE *out);
int stats_build_csv(const struct aggregate *aggregate,
	const struct stats_options *options, FILE *out);
int stats_build_json(const struct aggregate *aggregate,
	const struct stats_options *options, struct report *report, FILE *out);

#endif
