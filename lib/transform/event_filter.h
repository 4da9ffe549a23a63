/* SPDX-License-Identifier: MIT */
/*
 * Filters another source by process, thread, device, category and minimum
 * duration.
 *
 * Memory: bounded by the ranges open at one time.
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
	bool given; /* false: all are selected; true without ranges: none */
};

struct event_filter_options {
	struct event_filter_list pids;
	struct event_filter_list tids;    /* of threads; device tracks never
					   * match */
	struct event_filter_list devices; /* events of threads never match */
	struct event_filter_list ranks;
	const char *categories; /* "a,b"; NULL: all */
	uint64_t min_ns;        /* shorter events are dropped */
};

/*
 * Opens a source around `inner`, which is closed with it. Its trace is shared
 * and counts the ranges that are too short. The options are borrowed.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status event_filter_open(struct event_source *inner,
	const struct event_filter_options *options, struct event_source **out,
	struct ctp_error *err);

#endif
