/* SPDX-License-Identifier: MIT */
/* Events that last, by the moment at which they end. */
#ifndef HELD_H
#define HELD_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* All zero is an empty one. */
struct held {
	struct event *items; /* a heap; their arguments are owned */
	size_t count;
	size_t room;
};

void held_clear(struct held *held);

/* Keeps a copy; false if out of memory. */
bool held_add(struct held *held, const struct event *event);

/* The one that ends first; NULL if there is none. */
const struct event *held_first(const struct held *held);

/* Takes that one out: its arguments are the caller's to free. */
struct event held_take(struct held *held);

/* Takes out the call, see EVENT_WHOLE, that this is the begin of; false if it
 * is not held. Its arguments are the caller's to free. */
bool held_take_whole(
	struct held *held, const struct event *begin, struct event *whole);

/* Moves all EVENT_WHOLEs; false if out of memory. */
bool held_move_wholes(struct held *from, struct held *to);

/* In order of their beginning, from now on until one is added or taken. */
void held_sort(struct held *held);

/* Makes the order by their ends again. */
void held_restore(struct held *held);

#endif
