/* SPDX-License-Identifier: MIT */
/*
 * Leaves out of another source what is not asked for: other processes, threads
 * and devices, other categories, and what is too short.
 *
 * Memory: bounded by what is open at one time.
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* Numbers from `first` to `last`. */
struct event_filter_range {
	int64_t first;
	int64_t last;
};

struct event_filter_list {
	struct event_filter_range *ranges;
	size_t count;
	bool given; /* else all are meant; with no ranges, none */
};

struct event_filter_options {
	struct event_filter_list pids;
	struct event_filter_list tids;    /* of threads; devices have none */
	struct event_filter_list devices; /* what threads do has none */
	struct event_filter_list ranks;
	const char *categories; /* "a,b"; NULL: all */
	uint64_t min_ns;        /* what is shorter is left out */
};

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared,
 * and what is too short is counted there. The options are borrowed.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status event_filter_open(struct event_source *inner,
	const struct event_filter_options *options, struct event_source **out,
	struct ctp_error *err);

#endif
