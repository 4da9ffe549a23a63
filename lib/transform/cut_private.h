/* SPDX-License-Identifier: MIT */
/* What cut.c and its asynchronous ranges share. */
#ifndef CUT_PRIVATE_H
#define CUT_PRIVATE_H

#include "transform/cut.h"
#include "trace/event_copy.h"
#include "trace/held.h"
#include "trace/open_async.h"
#include "trace/open_ranges.h"

struct cut {
	struct event_source source; /* first: it is what callers hold */
	int64_t from_ns;
	int64_t until_ns;
	int64_t now_ns;
	int64_t end_ns; /* the trace's, while that is the part's */
	bool (*is_full)(void *user);
	void *user;
	struct event next; /* of the inner source's, if there is one */
	bool has_next;
	bool ended; /* the inner source */
	bool over;  /* the part */
	bool asyncs_shown;
	struct event_queue queue;
	struct open_ranges ranges;
	struct open_asyncs asyncs;
	struct held held;
	struct held crossing; /* EVENT_WHOLEs that began by then */
	struct event piece;   /* given out; its arguments are owned */
};

/* Gives out the event, at another time. False, here and below, if out of
 * memory. */
bool cut_add_at(struct cut *cut, const struct event *event, int64_t time_ns);

/* Takes the begin, and the end, of an asynchronous range. */
bool cut_begin_async(struct cut *cut, const struct event *event);
bool cut_end_async(struct cut *cut, const struct event *event);

/* Opens anew those that were open where the part begins. */
bool cut_reopen_asyncs(struct cut *cut);

/* Closes those that are open where it ends. */
bool cut_close_asyncs(struct cut *cut);

#endif
