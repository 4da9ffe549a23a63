/* SPDX-License-Identifier: MIT */
/* Options of a table of functions or operations: grouping, order and columns. */
#ifndef GROUPING_H
#define GROUPING_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/arguments.h"
#include "operators/averages.h"
#include "stats/stats.h"
#include "stats/stats_build.h"

/* The values of --group: those of compilers, then those of operations. "name"
 * is in both. */
#define GROUPING_WORDS STATS_BUILD_GROUPS "|site|shape|stack|cat|module|thread"

struct grouping {
	bool has_group; /* --group was given, with: */
	uint32_t build; /* bits of enum build_group; or 0 */
	bool threads;   /* or threads; */
	bool has_ops;   /* or operations: */
	struct averages_options ops;
	struct stats_ops ops_view;
	const struct column *key; /* --sort; NULL: not given */
	const char *key_owner;    /* owner of the memory; NULL: not given */
	bool has_ops_option;      /* an option only for operations was given */
};

/* The structure is a struct grouping. */
extern const struct arguments grouping_arguments;

/* Default widths, of `ops_view`. */
#define GROUPING_WIDTHS \
	{ \
		.name_width = 55, .details_width = 80 \
	}

#endif
