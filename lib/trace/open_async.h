/* SPDX-License-Identifier: MIT */
/* The asynchronous ranges that are open, by the name and id that their ends
 * have. */
#ifndef OPEN_ASYNC_H
#define OPEN_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

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
struct open_async *open_asyncs_take(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *end);

#endif
