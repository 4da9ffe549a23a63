/* SPDX-License-Identifier: MIT */
/* Tables of compilers' traces, one per group. */
#ifndef STATS_BUILD_H
#define STATS_BUILD_H

#include "input/aggregate.h"
#include "stats/stats.h"

/* The values of --group: those of BUILD_GROUPS, and "all". */
#define STATS_BUILD_GROUPS STATS_BUILD_WORDS "|all"

/* Bits of enum build_group; `word` is an index of the above. "all" excludes the
 * names of ranges, because phases are more useful. */
uint32_t stats_build_groups(unsigned word);

extern const struct report_form build_form;

/* Sorts the groups' profiles and prints them. Errors: reported; returns an exit
 * status. Write errors remain in the stream. */
int stats_build_print(const struct aggregate *aggregate,
	const struct stats_options *options, struct report *report,
	struct report_options *report_options, FILE *out);

#endif
