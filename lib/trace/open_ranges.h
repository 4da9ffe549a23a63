/* SPDX-License-Identifier: MIT */
/* The ranges that are open on each track, with what belongs to them: for
 * sources that leave out, or open anew, what others give. */
#ifndef OPEN_RANGES_H
#define OPEN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct open_range {
	struct event begin;
	struct event *bound; /* what came for it: arguments, ids, arrows */
	uint32_t bound_count;
	uint32_t bound_room;
	bool hidden; /* is left out */
	bool shown;  /* has been given out */
};

struct open_track {
	struct open_range *ranges; /* the outermost first */
	uint32_t depth;
	uint32_t room;
	uint32_t shown; /* so many of them have been given out */
};

/* All zero is an empty one. */
struct open_ranges {
	struct open_track *tracks;
	uint32_t room;
};

void open_ranges_clear(struct open_ranges *ranges);

/* The entry of a track; NULL if out of memory. It stays where it is until
 * another track is looked for. */
struct open_track *open_ranges_track(
	struct open_ranges *ranges, uint32_t track);

/* Opens a range; NULL if out of memory. */
struct open_range *open_track_push(
	struct open_track *track, const struct event *begin);

/* The innermost; NULL if there is none. */
struct open_range *open_track_top(const struct open_track *track);

/* Closes the innermost, which there must be. What it had can be read until
 * another range is opened. */
void open_track_pop(struct open_track *track);

/* Keeps an event that belongs to the range; false if out of memory. */
bool open_range_bind(struct open_range *range, const struct event *event);

#endif
