/* SPDX-License-Identifier: MIT */
/* A queue of events with a duration: a heap ordered by end time. */
#ifndef END_QUEUE_H
#define END_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* All zero is an empty queue. */
struct end_queue {
	struct event *items; /* a heap; their arguments are owned */
	size_t count;
	size_t room;
};

void end_queue_clear(struct end_queue *queue);

/* Adds a copy; false if out of memory. */
bool end_queue_add(struct end_queue *queue, const struct event *event);

/* Returns the event that ends first; NULL if the queue is empty. */
const struct event *end_queue_first(const struct end_queue *queue);

/* Removes the event that ends first. The caller frees its arguments. */
struct event end_queue_pop(struct end_queue *queue);

/* Removes the EVENT_UNCLIPPED_CALL of this clipped BEGIN; false if it is not in
 * the queue. The caller frees its arguments. */
bool end_queue_pop_call(
	struct end_queue *queue, const struct event *begin, struct event *call);

/* Moves every EVENT_UNCLIPPED_CALL; false if out of memory. */
bool end_queue_move_calls(struct end_queue *from, struct end_queue *to);

/* Sorts the items by start time. Call end_queue_restore() before the next add
 * or pop. */
void end_queue_sort(struct end_queue *queue);

/* Restores the heap order, by end time. */
void end_queue_restore(struct end_queue *queue);

#endif
