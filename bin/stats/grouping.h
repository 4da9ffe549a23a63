/* SPDX-License-Identifier: MIT */
/* Options of a table of functions or operations: grouping, order and columns. A
 * child of stats' argp. */
#ifndef GROUPING_H
#define GROUPING_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "operators/averages.h"
#include "stats/stats.h"
#include "stats/stats_build.h"

/* The values of --group: those of compilers, then those of operations. "name"
 * is in both. */
#define GROUPING_WORDS STATS_BUILD_GROUPS "|site|shape|stack|cat|module"

struct grouping {
	bool has_group; /* --group was given, with: */
	uint32_t build; /* bits of enum build_group; or 0 */
	bool has_ops;   /* or operations: */
	struct averages_options ops;
	struct stats_ops ops_view;
	bool has_key; /* --sort was given, with: */
	enum stats_key key;
	const char *key_owner; /* owner of the memory; NULL: not given */
	bool has_ops_option;   /* an option only for operations was given */
};

/* Its argp input is a struct grouping. */
extern const struct argp grouping_argp;

#endif
