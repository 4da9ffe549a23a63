/* SPDX-License-Identifier: MIT */
/*
 * Events as self-contained rows, for tables: a range is one row, passed on when
 * it ends, with its duration and the facts known by then.
 */
#ifndef EVENT_ROWS_H
#define EVENT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/json_args.h"
#include "timeline/timeline.h"

struct event_row {
	enum event_kind kind; /* EVENT_BEGIN: a whole range */
	uint64_t number;      /* from 1, in order of begin */
	uint64_t parent;      /* number of the enclosing range; 0: none */
	uint64_t cause;       /* of an activity: the range that caused it */
	uint32_t depth;       /* number of enclosing ranges */
	uint32_t track;
	uint32_t site; /* TRACE_NONE: none */
	int64_t start_ns;
	bool has_duration;
	uint64_t duration_ns;
	uint64_t self_ns; /* of a range: without the ranges inside */
	uint64_t id;      /* links a call and its activities, and other kinds'
			   * ends */
	uint64_t bytes;
	int32_t device; /* of memory; -1: host */
	enum event_flow flow;
	const struct event_arg *value; /* of a counter; else NULL */
	const char *args;              /* a JSON object; NULL: none */
	size_t args_size;
};

/* Begins a writer's struct. */
struct event_rows {
	struct timeline timeline;
	struct json_names names;
	struct json_args args; /* of events other than ranges */
	struct json json;
	uint64_t last; /* number */
	/* Receives the rows; returns as a form's functions do. */
	bool (*write_row)(struct event_rows *rows, const struct event_row *row);
};

/* To be called by a form's init(), which sets write_row, and clear(). False if
 * out of memory. */
bool event_rows_init(struct event_rows *rows);
void event_rows_clear(struct event_rows *rows);

/* The members of a form for rows. */
extern timeline_add_fn *const event_rows_adders[EVENT_KINDS];
void event_rows_clear_frame(void *frame);
#define EVENT_ROWS_FORM \
	.track_bytes = sizeof(struct timeline_track), \
	.frame_bytes = sizeof(struct event_rows_frame), .keeps_times = true, \
	.add = event_rows_adders, .clear_frame = event_rows_clear_frame

struct event_rows_frame {
	uint64_t number; /* for a moved call: the enclosing range's */
	uint64_t id;
	uint64_t inner_ns; /* of ended ranges inside */
	int64_t start_ns;
	bool is_clipped; /* its EVENT_UNCLIPPED_CALL is a row */
	uint32_t depth;  /* of its contents */
	uint32_t site;
	struct json_args args;
};

/* "range", "activity", "instant", … */
const char *event_rows_kind_name(const struct event_row *row);

/* The track's kind as a word: "thread", "timeline", "stream", "calls". */
const char *event_rows_track_name(const struct trace_track *track);

#endif
