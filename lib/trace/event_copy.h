/* SPDX-License-Identifier: MIT */
/* Events that are kept longer than the next call of their source, and those
 * that wait to be given out. */
#ifndef EVENT_COPY_H
#define EVENT_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/event.h"

/* Makes `*to` an event like `*from`, with arguments of its own, which
 * event_copy_clear() frees. False if out of memory: then there are none. */
bool event_copy(struct event *to, const struct event *from);
void event_copy_clear(struct event *event);

/* The moment at which an event with a duration ends, or at which the range of an
 * EVENT_END ended before it was clipped. */
int64_t event_end(const struct event *event);

/* First in, first out. All zero is an empty one; arguments are borrowed. */
struct event_queue {
	struct event *items;
	size_t count;
	size_t taken;
	size_t room;
};

/* False if out of memory. */
bool event_queue_add(struct event_queue *queue, const struct event *event);

/* False if there is none. */
bool event_queue_take(struct event_queue *queue, struct event *event);

void event_queue_clear(struct event_queue *queue);

#endif
