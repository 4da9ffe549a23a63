/* SPDX-License-Identifier: MIT */
/*
 * Events as self-contained rows, for tables: a range is one row, passed on when
 * it ends, with its duration and the facts known by then. Memory: open ranges,
 * tracks, and CORRELATION_LIMIT calls.
 */
#ifndef EVENT_ROWS_H
#define EVENT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/json_args.h"
#include "trace/correlation.h"
#include "trace/event.h"
#include "json/json.h"

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

struct event_rows_track;

struct event_rows {
	struct trace *trace;
	struct json_names names;
	struct json_args args; /* of events other than ranges */
	struct json json;
	struct correlation *correlation;
	struct event_rows_track *tracks;
	uint32_t track_count;
	uint64_t last; /* number */
	/* Receives the rows; on an error, fills in `err`. */
	enum ctp_status (*write_row)(
		void *user, const struct event_row *row, struct ctp_error *err);
	void *user;
};

/* False if out of memory; event_rows_clear() in either case. Afterwards, set
 * write_row and user. The trace is borrowed. */
bool event_rows_init(struct event_rows *rows, struct trace *trace);
void event_rows_clear(struct event_rows *rows);

/* Adds an event. Errors: CTP_ERR_NOMEM, those of write_row(). */
enum ctp_status event_rows_add(struct event_rows *rows,
	const struct event *event, struct ctp_error *err);

/* Ends the open ranges. Errors: likewise. */
enum ctp_status event_rows_finish(
	struct event_rows *rows, struct ctp_error *err);

/* "range", "activity", "instant", … */
const char *event_rows_kind_name(const struct event_row *row);

/* The track's kind as a word: "thread", "timeline", "stream", "calls". */
const char *event_rows_track_name(const struct trace_track *track);

#endif
