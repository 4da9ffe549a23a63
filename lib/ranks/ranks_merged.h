/* SPDX-License-Identifier: MIT */
/*
 * The ranks of a timeline that `ctprof merge` made of several: the names of its
 * processes begin with them, "rank 3: python". Each rank has a profile and phases
 * of its own.
 */
#ifndef RANKS_MERGED_H
#define RANKS_MERGED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "phases/phases.h"
#include "profile/profile.h"
#include "ranks/ranks_input.h"
#include "trace/event.h"

/* With more of them, the ranks share the profile: tables by thread would take
 * too much memory. */
#define RANKS_MERGED_MAX 256

struct ranks_merged;

struct ranks_member {
	struct ranks_place place;
	struct phases *phases; /* NULL: not asked for */
	/* After ranks_merged_finish(); NULL: not known of each rank. */
	struct profile *profile;
	/* private */
	struct replay *replay;
};

/* Both are borrowed until ranks_merged_free(). NULL if out of memory. */
struct ranks_merged *ranks_merged_new(
	struct trace *trace, const struct phase_sets *phases);
void ranks_merged_free(struct ranks_merged *merged); /* NULL is allowed */

/* Errors: CTP_ERR_NOMEM. */
enum ctp_status ranks_merged_add(struct ranks_merged *merged,
	const struct event *event, struct ctp_error *err);

/*
 * Completes the ranks after the last event; `whole` is the place of the
 * timeline. Their number is 0 if it is not a merged one.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status ranks_merged_finish(struct ranks_merged *merged,
	const struct ranks_place *whole, uint32_t *count,
	struct ctp_error *err);

/* A rank, after ranks_merged_finish(). */
const struct ranks_member *ranks_merged_member(
	const struct ranks_merged *merged, uint32_t number);

/* The number of the rank of this track; UINT32_MAX: unknown. */
uint32_t ranks_merged_of(const struct ranks_merged *merged, uint32_t track);

#endif
