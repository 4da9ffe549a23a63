/* SPDX-License-Identifier: MIT */
/*
 * Two sides, of one run or several each, joined call path by call path, for a
 * flame graph of what has changed. A side's figures are the means of its runs.
 */
#ifndef FLAME_DIFF_H
#define FLAME_DIFF_H

#include "compare/diff.h"
#include "base/error.h"
#include "profile/flame_tree.h"
#include "profile/profile.h"

struct flame_diff;

/* Functions are joined as diff.h has it. NULL if out of memory. */
struct flame_diff *flame_diff_new(enum match_key match);
void flame_diff_free(struct flame_diff *diff);

/* Adds a run, whose profile has a tree. Errors: CTP_ERR_NOMEM. */
enum ctp_status flame_diff_add(struct flame_diff *diff, enum diff_side side,
	const struct profile *profile, struct ctp_error *err);

/* After the last run, once: sums become means. */
void flame_diff_finish(struct flame_diff *diff);

/*
 * After flame_diff_finish(), and borrowed until flame_diff_free(): all call
 * paths with what they have on the new side, and what nodes and functions have
 * on the other. Functions of devices are of the file "<gpu>".
 */
const struct profile *flame_diff_profile(const struct flame_diff *diff);
const struct flame_cost *flame_diff_base_nodes(const struct flame_diff *diff);
const struct flame_cost *flame_diff_base_functions(
	const struct flame_diff *diff);

#endif
