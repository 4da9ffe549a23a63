/* SPDX-License-Identifier: MIT */
/* Where a function is in a profile's tree, by the context that called it. */
#ifndef REPLAY_NODES_H
#define REPLAY_NODES_H

#include "base/index.h"
#include "profile/profile.h"

struct replay_nodes {
	uint32_t *first; /* child, by parent; 0: none yet */
	uint32_t first_room;
	struct index index; /* over the others */
	uint32_t count;     /* of these */
};

void replay_nodes_clear(struct replay_nodes *nodes);

/* The context `function` called from context `parent`, made if it is new;
 * PROFILE_NONE if out of memory. */
uint32_t replay_nodes_find(struct replay_nodes *nodes, struct profile *profile,
	uint32_t parent, uint32_t function);

#endif
