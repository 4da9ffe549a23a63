/* SPDX-License-Identifier: MIT */
/* Locates the time window of a named range or a step in a stream of events. */
#ifndef RANGE_LOCATOR_H
#define RANGE_LOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct range_locator_track;

struct range_locator {
	const struct trace *trace;
	const char *name; /* exact, or a pattern of fnmatch(3); NULL: a step */
	uint64_t step;
	bool found;
	int64_t from_ns;
	int64_t until_ns;

	/* Private. */
	struct range_locator_track *tracks;
	uint32_t track_room;
	uint8_t *sites;
	uint32_t site_room;
};

/* Adds an event; false if out of memory. */
bool range_locator_add(
	struct range_locator *locator, const struct event *event);

/* Call it after the last event: open ranges end with their track. `found` and
 * the window are the result: the earliest match, and the longest of those that
 * start together. */
void range_locator_finish(struct range_locator *locator);

void range_locator_clear(struct range_locator *locator);

#endif
