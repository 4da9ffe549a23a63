/* SPDX-License-Identifier: MIT */
/* A queue of events with a duration: a heap, ordered by the times of their
 * ends. */
#ifndef END_QUEUE_H
#define END_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* All zero is an empty one. */
struct end_queue {
	struct event *items; /* a heap; their arguments are owned */
	size_t count;
	size_t room;
};

void end_queue_clear(struct end_queue *queue);

/* Keeps a copy; false if out of memory. */
bool end_queue_add(struct end_queue *queue, const struct event *event);

/* The one that ends first; NULL if there is none. */
const struct event *end_queue_first(const struct end_queue *queue);

/* Takes that one out: its arguments are the caller's to free. */
struct event end_queue_pop(struct end_queue *queue);

/* Takes out the EVENT_UNCLIPPED_CALL whose clipped BEGIN this is; false if the
 * queue lacks it. Its arguments are the caller's to free. */
bool end_queue_pop_call(
	struct end_queue *queue, const struct event *begin, struct event *call);

/* Moves every EVENT_UNCLIPPED_CALL; false if out of memory. */
bool end_queue_move_calls(struct end_queue *from, struct end_queue *to);

/* In order of their beginning, from now on until one is added or taken. */
void end_queue_sort(struct end_queue *queue);

/* Makes the order by their ends again. */
void end_queue_restore(struct end_queue *queue);

#endif
