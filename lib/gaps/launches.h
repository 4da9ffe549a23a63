/* SPDX-License-Identifier: MIT */
/* Which call of which thread caused what a device did, and when it was made:
 * follows a stream of events. */
#ifndef LAUNCHES_H
#define LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct launch {
	int64_t start_ns; /* of the call */
	uint32_t track;   /* the thread that made it */
};

struct launches;

/* `trace` is borrowed until launches_free(). NULL if out of memory. */
struct launches *launches_new(const struct trace *trace);
void launches_free(struct launches *launches);

/* Takes each event of the stream, in order. Memory: the open ranges, and so
 * many launches as device_join.h says. False if out of memory. */
bool launches_see(struct launches *launches, const struct event *event);

/* The call that an activity was caused by; false if it is not known. */
bool launches_find(const struct launches *launches, const struct event *event,
	struct launch *launch);

#endif
