/* SPDX-License-Identifier: MIT */
/*
 * The tree that a flame graph shows: calling contexts side by side, each as
 * wide as its time, with what is too small for the picture folded into
 * "(other)", so that the widths still add up.
 */
#ifndef FLAME_TREE_H
#define FLAME_TREE_H

#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"

/* A profile has two pictures: the host's time by what called what, and its
 * devices' time by what launched it. */
enum flame_side { FLAME_HOST, FLAME_DEVICE };

/* What nodes are that are no function of the profile: the root, and what was
 * folded. */
#define FLAME_ALL PROFILE_NONE
#define FLAME_OTHER (PROFILE_NONE - 1)

struct flame_cost {
	uint64_t calls; /* of a device's function: activities */
	uint64_t self_ns;
	uint64_t total_ns; /* with all below */
};

struct flame_node {
	uint32_t function; /* of the profile; or FLAME_ALL, FLAME_OTHER */
	uint32_t parent;   /* index into nodes */
	uint32_t depth;    /* 0: the root */
	uint32_t folded;   /* FLAME_OTHER: so many nodes it stands for */
	uint64_t start_ns; /* from the root's left edge */
	struct flame_cost cost;
	struct flame_cost base; /* the same before; see flame_options.base */
};

struct flame_options {
	enum flame_side side;
	uint32_t nodes; /* the longest so many are kept */
	uint32_t depth; /* those deeper than this are not */
	/* By node of the profile: its calls and own time in another one, with
	 * which this is compared (total_ns is not looked at); NULL: none. */
	const struct flame_cost *base;
};

/* Nodes without time are left out. */
struct flame_tree {
	/* In preorder; [0] is the root. Siblings by time, "(other)" last. */
	struct flame_node *nodes;
	uint32_t count;
	uint32_t depth;   /* of the deepest */
	uint32_t folded;  /* the profile's nodes that are in an "(other)" */
	uint32_t gone;    /* nodes that have time in the base only; */
	uint64_t gone_ns; /* so much in all */
};

/*
 * Makes the tree from profile->nodes; without time on this side the root is
 * all there is. Free with flame_tree_free().
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status flame_tree_new(const struct profile *profile,
	const struct flame_options *options, struct flame_tree **out,
	struct ctp_error *err);
void flame_tree_free(struct flame_tree *tree);

#endif
