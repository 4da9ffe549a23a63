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

/* Asynchronous ranges that are open, by the name and id that their ends have. */
struct open_async {
	struct event begin; /* its arguments are owned */
	uint32_t name;      /* strtab number */
	uint32_t older;     /* place + 1 of another in its chain; 0: none */
	uint32_t before;    /* of all, place + 1 of who began before it ... */
	uint32_t after;     /* ... and after it */
	bool shown;         /* has been given out */
};

/* All zero is an empty one. Entries keep their place. */
struct open_asyncs {
	struct open_async *items;
	uint32_t first; /* place + 1 of the one that began first; 0: none */
	uint32_t last;
	uint32_t count; /* used ones and those that were */
	uint32_t room;
	uint32_t free;   /* first that may be used again, + 1 */
	uint32_t *heads; /* by hash: the youngest's place, + 1 */
	uint32_t head_count;
	uint32_t used;
};

void open_asyncs_clear(struct open_asyncs *asyncs);

/* NULL if out of memory. */
struct open_async *open_asyncs_add(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *begin);

/* Takes out the youngest that this event ends, of those on its track if there is
 * one: compilers give all the same id. NULL if there is none. What it had can be
 * read until the next one is added. */
struct open_async *open_asyncs_remove(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *end);

#endif
