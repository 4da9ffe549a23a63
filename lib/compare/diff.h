/* SPDX-License-Identifier: MIT */
/*
 * Compares two sides of one or more runs each by function, with names
 * normalized by symbol_normalize.h. Device functions are matched by name only,
 * regardless of the device.
 */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "compare/significance.h"
#include "profile/function_match.h"
#include "profile/profile.h"

enum diff_side { DIFF_BASE, DIFF_NEW, DIFF_SIDES };

enum diff_key {
	DIFF_TOTAL,
	DIFF_SELF,
	DIFF_COUNT,
#define DIFF_FIGURES 3 /* the keys above; the others only sort */
	DIFF_RATIO,
	DIFF_NAME,
};

/* Calls, cumtime and tottime for host functions. */
struct diff_cost {
	uint64_t count;
	uint64_t total_ns;
	uint64_t self_ns;
};

/* One side of a row. A run without the function counts as 0. */
struct diff_figures {
	uint32_t found;          /* number of runs with it; 0: missing */
	struct diff_cost median; /* over the runs; for an even number, the mean
				  * of the middle two, rounded down */
	struct diff_cost spread; /* median absolute deviation */
	double deviation[DIFF_FIGURES]; /* mean absolute deviation */
};

struct diff_row {
	const char *name; /* never NULL; borrowed, as is */
	const char *file; /* "" if unknown */
	uint32_t line;    /* lowest line in the new side, else in the base */
	enum profile_kind kind;
	struct diff_figures side[DIFF_SIDES];
	double rank[DIFF_FIGURES]; /* see struct significance_change */
	uint32_t cells;            /* private */
};

struct diff;

/* `runs` is the number of runs of each side, at least 1. NULL if out of
 * memory. */
struct diff *diff_new(enum match_key match, const uint32_t runs[DIFF_SIDES]);
void diff_free(struct diff *diff);

/* Adds a run. Memory: names, times runs. Errors: CTP_ERR_NOMEM. */
enum ctp_status diff_add(struct diff *diff, enum diff_side side,
	const struct profile *profile, struct ctp_error *err);

/*
 * Call it once, after the last run. Sorts rows by absolute change, largest
 * first, then by name, file, line and kind.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status diff_finish(
	struct diff *diff, enum diff_key key, struct ctp_error *err);

/* After diff_finish(); borrowed until diff_free(). */
const struct diff_row *diff_rows(const struct diff *diff, uint32_t *count);

/* Sum of all host functions or, with `device`, of all device functions: total
 * and self time are the sum of self times. It has no name. */
const struct diff_row *diff_sum(const struct diff *diff, bool device);

/* significance_sign() of one of the figures. */
int diff_sign(const struct diff *diff, const struct diff_row *row,
	enum diff_key figure);

/* New minus base, saturated. */
int64_t diff_change(uint64_t base, uint64_t changed);

#endif
