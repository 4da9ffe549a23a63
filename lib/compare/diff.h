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
#include <stddef.h>

#include "base/error.h"
#include "profile/function_match.h"
#include "profile/profile.h"

/* Significance: medians, and whether two differ by more than chance. */

/* Sorts `count` (at least one) values and returns their median. For an even
 * number it is the mean of the middle two, rounded down. */
uint64_t significance_median(uint64_t *values, size_t count);

/* Fewest runs per side that distinguish noise from change. Fewer on the new side
 * are compared with the spread of the base. */
#define SIGNIFICANCE_RUNS_MIN 3

/* Statistics of the runs of one side. */
struct significance_sample {
	uint64_t median;
	uint64_t spread;
	double deviation; /* mean distance from the median */
	size_t count;
};

/* Comparison of two sides. */
struct significance_change {
	struct significance_sample base;
	struct significance_sample changed;
	/* Difference of the ranks of `changed` and `base` among all runs, in
	 * standard deviations; 0 with few runs. */
	double rank;
};

/* Compares the values of both sides, at least one each, and overwrites them. */
struct significance_change significance_compare(uint64_t *base,
	size_t base_count, uint64_t *changed, size_t changed_count);

/*
 * 1 if `changed` is significantly larger than `base`, -1 if smaller, else 0.
 * With fewer than SIGNIFICANCE_RUNS_MIN runs of the base the noise is unknown,
 * and any change counts.
 */
int significance_sign(const struct significance_change *change);

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
 * Gives functions of the base the files of the new side, after the last run;
 * only if files are compared, and normalized.
 *
 * Errors: CTP_ERR_NOMEM.
 */
struct source_map;
enum ctp_status diff_map_files(
	struct diff *diff, const struct source_map *map, struct ctp_error *err);

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

/* The check for regressions: whether a function is slower than its limit
 * allows. */

/* The increase in time that a function may have. */
struct regression_limit {
	bool off;         /* no limit */
	uint32_t ppm;     /* of the base; or, if that is 0, */
	uint64_t time_ns; /* this much time */
};

enum regression {
	REGRESSION_PASSED,  /* within the limit */
	REGRESSION_SLOWER,  /* over the limit */
	REGRESSION_NOISE,   /* over the limit, but not significant */
	REGRESSION_SHORT,   /* too short to judge */
	REGRESSION_OFF,     /* no limit */
	REGRESSION_ADDED,   /* missing in the base */
	REGRESSION_REMOVED, /* missing in the new side */
	REGRESSION_COUNT
};

/* "passed". */
const char *regression_name(enum regression regression);

/* Whether it was compared with a limit. */
bool regression_is_judged(enum regression regression);

/* Whether a time is over the limit, regardless of noise. */
bool regression_is_over(const struct regression_limit *limit, uint64_t base_ns,
	uint64_t new_ns);

/* Judges DIFF_TOTAL or DIFF_SELF. Less than `min_ns` on both sides is too
 * short. */
enum regression regression_of(const struct diff *diff,
	const struct diff_row *row, enum diff_key figure,
	const struct regression_limit *limit, uint64_t min_ns);

#endif
