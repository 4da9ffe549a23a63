/* SPDX-License-Identifier: MIT */
/*
 * Two sides, of one run or several each, joined function by function, by names
 * as normalize.h has them. What devices did is joined by name alone: of which
 * device is no part of it.
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
#define DIFF_FIGURES 3 /* these; the others are orders */
	DIFF_RATIO,
	DIFF_NAME,
};

/* Functions of the host have their calls, cumtime and tottime. */
struct diff_cost {
	uint64_t count;
	uint64_t total_ns;
	uint64_t self_ns;
};

/* One side of a row. A run in which the function is not counts as 0. */
struct diff_figures {
	uint32_t found;          /* in so many runs; 0: it is not there */
	struct diff_cost median; /* of its runs; of an even number the mean of
				  * the two in the middle, rounded down */
	struct diff_cost spread; /* median absolute deviation from that */
	double deviation[DIFF_FIGURES]; /* the mean of these */
};

struct diff_row {
	const char *name; /* never NULL; borrowed, as is */
	const char *file; /* "" where unknown */
	uint32_t line;    /* the lowest in the newest side that has it */
	enum profile_kind kind;
	struct diff_figures side[DIFF_SIDES];
	double rank[DIFF_FIGURES]; /* see struct significance_change */
	uint32_t cells;            /* private */
};

struct diff;

/* `runs` of each side will be added, at least one. NULL if out of memory. */
struct diff *diff_new(enum match_key match, const uint32_t runs[DIFF_SIDES]);
void diff_free(struct diff *diff);

/* Adds a run. Memory: names, times runs. Errors: CTP_ERR_NOMEM. */
enum ctp_status diff_add(struct diff *diff, enum diff_side side,
	const struct profile *profile, struct ctp_error *err);

/*
 * After the last run, once: rows with the largest changes come first, whether
 * more or less; equal ones by name, file, line and kind.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status diff_finish(
	struct diff *diff, enum diff_key key, struct ctp_error *err);

/* After diff_finish(); borrowed until diff_free(). */
const struct diff_row *diff_rows(const struct diff *diff, uint32_t *count);

/* All functions of the host or, with `device`, all that devices did: total and
 * self time are the sum of self times. It has no name. */
const struct diff_row *diff_sum(const struct diff *diff, bool device);

/* What significance_sign() tells of one of the figures. */
int diff_sign(const struct diff *diff, const struct diff_row *row,
	enum diff_key figure);

/* New minus base; beyond what can be counted, the largest number. */
int64_t diff_change(uint64_t base, uint64_t changed);

#endif
