/* SPDX-License-Identifier: MIT */
/* Finds the window of time that a range, or a step, takes: events are looked
 * at as they come. */
#ifndef MOMENT_H
#define MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct moment_track;

struct moment {
	const struct trace *trace;
	const char *name; /* as it is, or for fnmatch(3); NULL: a step */
	uint64_t step;
	bool found;
	int64_t from_ns;
	int64_t until_ns;

	/* Private. */
	struct moment_track *tracks;
	uint32_t track_room;
	uint8_t *sites;
	uint32_t site_room;
};

/* Sees one event; false if out of memory. */
bool moment_see(struct moment *moment, const struct event *event);

/* After the last event: what is open ends with its track. `found` and the
 * window are what is wanted: the first in time, of equal ones the longest. */
void moment_finish(struct moment *moment);

void moment_clear(struct moment *moment);

#endif
