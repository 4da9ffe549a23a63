/* SPDX-License-Identifier: MIT */
/*
 * The tree of a flame graph: calling contexts whose width is their time.
 * Contexts too small to show are folded into "(other)", so that the widths
 * still add up.
 */
#ifndef FLAME_TREE_H
#define FLAME_TREE_H

#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"

/* A profile has two graphs: host time by caller, and device time by launching
 * context. */
enum flame_side { FLAME_HOST, FLAME_DEVICE };

/* Nodes that are not functions of the profile: the root, and folded nodes. */
#define FLAME_ALL PROFILE_NONE
#define FLAME_OTHER (PROFILE_NONE - 1)

struct flame_cost {
	uint64_t calls; /* activities for device functions */
	uint64_t self_ns;
	uint64_t total_ns; /* with descendants */
};

struct flame_node {
	uint32_t function; /* of the profile; or FLAME_ALL, FLAME_OTHER */
	uint32_t parent;   /* index into nodes */
	uint32_t depth;    /* 0: the root */
	uint32_t folded;   /* FLAME_OTHER: number of nodes it contains */
	uint64_t start_ns; /* from the root's left edge */
	struct flame_cost cost;
	struct flame_cost base; /* the same in the base; see
				 * flame_options.base */
};

struct flame_options {
	enum flame_side side;
	uint32_t nodes; /* number of longest nodes kept */
	uint32_t depth; /* largest depth kept */
	/* By node of the profile: its calls and self time in the base of the
	 * comparison (total_ns is ignored); NULL: none. */
	const struct flame_cost *base;
};

/* Nodes without time are omitted. */
struct flame_tree {
	/* In preorder; [0] is the root. Siblings by time, "(other)" last. */
	struct flame_node *nodes;
	uint32_t count;
	uint32_t depth;   /* largest depth */
	uint32_t folded;  /* nodes of the profile in an "(other)" */
	uint32_t gone;    /* nodes with time only in the base; */
	uint64_t gone_ns; /* their total time */
};

/*
 * Makes the tree from profile->nodes; without time on this side it is only the
 * root. Free with flame_tree_free().
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status flame_tree_new(const struct profile *profile,
	const struct flame_options *options, struct flame_tree **out,
	struct ctp_error *err);
void flame_tree_free(struct flame_tree *tree);

#endif
