/* SPDX-License-Identifier: MIT */
/*
 * Compares two sides of one or more runs each by call path, for a differential
 * flame graph. A side's figures are the means of its runs.
 */
#ifndef FLAME_DIFF_H
#define FLAME_DIFF_H

#include "compare/diff.h"
#include "base/error.h"
#include "profile/flame_tree.h"
#include "profile/profile.h"

struct flame_diff;

/* Functions are matched as in diff.h. NULL if out of memory. */
struct flame_diff *flame_diff_new(enum match_key match);
void flame_diff_free(struct flame_diff *diff);

/* Adds a run, whose profile has a tree. Errors: CTP_ERR_NOMEM. */
enum ctp_status flame_diff_add(struct flame_diff *diff, enum diff_side side,
	const struct profile *profile, struct ctp_error *err);

/* Call it once, after the last run: turns sums into means. */
void flame_diff_finish(struct flame_diff *diff);

/*
 * After flame_diff_finish(), borrowed until flame_diff_free(): all call paths
 * with their costs on the new side, and the costs of nodes and functions on the
 * base side. The file of device functions is "<gpu>".
 */
const struct profile *flame_diff_profile(const struct flame_diff *diff);
const struct flame_cost *flame_diff_base_nodes(const struct flame_diff *diff);
const struct flame_cost *flame_diff_base_functions(
	const struct flame_diff *diff);

#endif
