/* SPDX-License-Identifier: MIT */
/* What a table of functions, or of operations, is made of: by what they are
 * added up, in which order, and with which columns. A child of stats' argp. */
#ifndef GROUPING_H
#define GROUPING_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "operators/averages.h"
#include "stats/stats.h"
#include "stats/stats_build.h"

/* The values of --group: those of compilers, then those of operations. A name
 * is either's. */
#define GROUPING_WORDS STATS_BUILD_GROUPS "|site|shape|stack|cat|module"

struct grouping {
	bool has_group; /* --group was, and of these: */
	uint32_t build; /* bits, of what compilers did; or 0 */
	bool has_ops;   /* or of operations: */
	struct averages_options ops;
	struct stats_ops ops_view;
	bool has_key; /* --sort was given: */
	enum stats_key key;
	const char *key_owner; /* whose memory; NULL: it does not say */
	bool has_ops_option; /* an option that is for operations only was given */
};

/* Its input is a struct grouping. */
extern const struct argp grouping_argp;

#endif
