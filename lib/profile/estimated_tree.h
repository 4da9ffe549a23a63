/* SPDX-License-Identifier: MIT */
/*
 * A tree of call paths for a profile that has callers but no paths, such as
 * pstats. A path's time is shared among the callees of its last function in
 * proportion to the times of their edges, or to their calls where edges have no
 * times. This assumes that a function behaves alike on every path, as gprof
 * does.
 */
#ifndef ESTIMATED_TREE_H
#define ESTIMATED_TREE_H

#include "base/error.h"
#include "profile/profile.h"

/*
 * Makes profile->nodes, which must be empty, and sets profile->tree_estimated.
 * Own times sum up to the time of the root calls. Recursive calls stay in the
 * own time of the function that made them. A function that no root reaches
 * becomes a root itself.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status profile_estimate_tree(
	struct profile *profile, struct ctp_error *err);

#endif
