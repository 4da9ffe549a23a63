/* SPDX-License-Identifier: MIT */
/* The open ranges of each track and the events bound to them, for sources that
 * filter or reopen another source's ranges. */
#ifndef OPEN_RANGES_H
#define OPEN_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct open_range {
	struct event begin;
	struct event *bound; /* its arguments, ids, arrows */
	uint32_t bound_count;
	uint32_t bound_room;
	bool hidden; /* filtered out */
	bool shown;  /* was returned */
};

struct open_track {
	struct open_range *ranges; /* outermost first */
	uint32_t depth;
	uint32_t room;
	uint32_t shown; /* number of ranges that were returned */
};

/* All zero is an empty table. */
struct open_ranges {
	struct open_track *tracks;
	uint32_t room;
};

void open_ranges_clear(struct open_ranges *ranges);

/* Returns the entry of a track, valid until the next call; NULL if out of
 * memory. */
struct open_track *open_ranges_track(
	struct open_ranges *ranges, uint32_t track);

/* Opens a range; NULL if out of memory. */
struct open_range *open_track_push(
	struct open_track *track, const struct event *begin);

/* Returns the innermost range; NULL if none is open. */
struct open_range *open_track_top(const struct open_track *track);

/* Closes the innermost range, which must exist. Its contents stay readable
 * until another range is opened. */
void open_track_pop(struct open_track *track);

/* Binds an event to the range; false if out of memory. */
bool open_range_bind(struct open_range *range, const struct event *event);

/* Open asynchronous ranges, by the name and id that their ends have. */
struct open_async {
	struct event begin; /* its arguments are owned */
	uint32_t name;      /* strtab number */
	uint32_t older;     /* place + 1 of the next older one in its chain; 0:
			     * none */
	uint32_t before;    /* place + 1 of the one that began before it ... */
	uint32_t after;     /* ... and after it */
	bool shown;         /* was returned */
};

/* All zero is an empty table. Entries keep their place. */
struct open_asyncs {
	struct open_async *items;
	uint32_t first; /* place + 1 of the one that began first; 0: none */
	uint32_t last;
	uint32_t count; /* places in use or free */
	uint32_t room;
	uint32_t free;   /* first free place + 1 */
	uint32_t *heads; /* by hash: place + 1 of the youngest */
	uint32_t head_count;
	uint32_t used;
};

void open_asyncs_clear(struct open_asyncs *asyncs);

/* NULL if out of memory. */
struct open_async *open_asyncs_add(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *begin);

/* Removes the youngest range that this event ends, preferably on the same
 * track, because compilers give all ranges the same id. NULL if there is none.
 * Its contents stay readable until the next addition. */
struct open_async *open_asyncs_remove(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *end);

#endif
