/* SPDX-License-Identifier: MIT */
/* The way through a damaged value: which brackets are open, what may come next,
 * and what was written. For repair_*.c only. */
#ifndef REPAIR_WALK_H
#define REPAIR_WALK_H

#include "json_repair/repair_times.h"
#include "json_repair/repair_value.h"

#define REPAIR_WALK_NO_COMMA SIZE_MAX

enum repair_walk_state {
	REPAIR_WALK_VALUE,
	REPAIR_WALK_FIRST, /* of what has been opened: an item, a key or its end */
	REPAIR_WALK_KEY,
	REPAIR_WALK_AFTER,
	REPAIR_WALK_DONE,
	REPAIR_WALK_HALF
};

struct repair_walk {
	struct repair_view *view;
	struct repair_value *value;
	struct buffer *out;
	enum repair_walk_state state;
	bool is_loose;   /* the value before has no end of its own: a number */
	size_t comma;    /* in `out`: the one that waits for what it is for */
	size_t comma_at; /* the same in the view */
	uint32_t depth;
	uint64_t arrays[REPAIR_DEPTH_MAX / 64];
	enum repair_key_kind member;
	uint32_t seen; /* see repair_look_event_keys() */
	struct repair_times times;
};

void repair_walk_count(struct repair_walk *walk, enum repair_fix fix);

/* Is what is open innermost an array? */
bool repair_walk_in_array(const struct repair_walk *walk);

enum repair_place repair_walk_place(const struct repair_walk *walk);

/* Up to the next byte that means anything, which is returned; 0 at the end. */
uint8_t repair_walk_skip_blanks(struct repair_walk *walk);

/* Leaves a byte out. */
void repair_walk_drop(struct repair_walk *walk, enum repair_fix fix);

/* A value has been written. */
void repair_walk_after_value(struct repair_walk *walk);

/* A bracket begins something, or closes it, or what is around it. */
void repair_walk_open(struct repair_walk *walk, bool array);
void repair_walk_close(struct repair_walk *walk, bool array);

/* A member begins here, within an array, which no bracket closed. */
void repair_walk_end_array(struct repair_walk *walk);

/* Something outside begins here, which no bracket closed this for: it is
 * complete, or half. */
void repair_walk_end_early(struct repair_walk *walk);

#endif
