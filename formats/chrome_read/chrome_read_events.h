/* SPDX-License-Identifier: MIT */
/*
 * Converts the events of a Chrome trace to records, to be sorted by time. At
 * equal times, begins and ends of ranges come first, in file order, then
 * slices, the longest first, then all others, in file order.
 *
 * But clang writes a header after reading it, its begin right before its end,
 * and all headers have the same id. So of headers that begin together the
 * longer one must come first, or the first end would be matched with the last
 * begin.
 *
 * Device activities are sorted by their end. So their cause comes before them,
 * even if the device's clock is slightly behind.
 */
#ifndef CHROME_READ_EVENTS_H
#define CHROME_READ_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "chrome/chrome_correlation.h"
#include "chrome_read/chrome_read_json.h"
#include "chrome_read/chrome_read_record.h"
#include "chrome_read/chrome_read_rows.h"
#include "chrome_read/chrome_read_streams.h"
#include "extsort/extsort.h"
#include "trace/trace.h"

/* A header begun by the previous event. */
struct chrome_read_header {
	bool waits;
	int64_t rank; /* as any event's */
	struct chrome_read_record record;
	struct buffer bytes; /* space for it, and its arguments */
};

struct chrome_read_events {
	/* Borrowed. */
	struct trace *trace;
	struct json_scan *scan;
	struct chrome_read_json_reader *json;
	struct chrome_read_args *args; /* of the last event read */
	struct chrome_read_labels *labels;
	struct chrome_read_rows *rows;
	struct chrome_read_streams *streams;
	struct chrome_correlation *correlation;
	struct chrome_read_producer *producer;
	struct extsort *records;
	/* Its own members, initially zero. */
	struct chrome_read_header header;
	uint64_t count; /* events in the file */
	bool has_phase; /* one of them */
	bool has_time;
	bool has_ranges; /* begins and ends as separate events */
	bool has_caller;
	uint32_t process; /* user of the devices; 0: unknown */
};

/* Frees its own. */
void chrome_read_events_clear(struct chrome_read_events *events);

/* Adds a record of the event. Errors: those of extsort_add(). */
enum ctp_status chrome_read_events_add(struct chrome_read_events *events,
	const struct chrome_read_json *event, struct ctp_error *err);

/* Call it after the last event. Errors: likewise. */
enum ctp_status chrome_read_events_finish(
	struct chrome_read_events *events, struct ctp_error *err);

#endif
