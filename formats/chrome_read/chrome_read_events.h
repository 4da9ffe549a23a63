/* SPDX-License-Identifier: MIT */
/*
 * Events of a Chrome trace become records, to be sorted by time. Of equal
 * times: begins and ends of ranges come first, in the order of the file, then
 * slices, the longer one first, then all else, in the order of the file.
 *
 * But clang writes a header when it has been read, its begin right before its
 * end, and all have one id: of those that begin together the longer one has to
 * come first, lest what ends first would seem to be the one that began last.
 *
 * Device work is sorted by its end. So its cause comes before it, even where
 * the device's clock is a little behind.
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

/* A header that was begun in the event before. */
struct chrome_read_header {
	bool waits;
	int64_t rank; /* as any event's */
	struct chrome_read_record record;
	struct buffer bytes; /* room for it, and its arguments */
};

struct chrome_read_events {
	/* Borrowed. */
	struct trace *trace;
	struct json_scan *scan;
	struct chrome_read_json_reader *json;
	struct chrome_read_args *args; /* of the event that was read last */
	struct chrome_read_labels *labels;
	struct chrome_read_rows *rows;
	struct chrome_read_streams *streams;
	struct chrome_correlation *correlation;
	struct chrome_read_producer *producer;
	struct extsort *records;
	/* Its own, which begin as zeroes. */
	struct chrome_read_header header;
	uint64_t count; /* of events in the file */
	bool has_phase; /* one of them */
	bool has_time;
	bool has_ranges; /* begins and ends, each an event */
	bool has_caller;
	uint32_t process; /* that used the devices; 0: not known */
};

/* Frees its own. */
void chrome_read_events_clear(struct chrome_read_events *events);

/* Makes a record of the event. Errors: those of extsort_add(). */
enum ctp_status chrome_read_events_add(struct chrome_read_events *events,
	const struct chrome_read_json *event, struct ctp_error *err);

/* After the last event. Errors: likewise. */
enum ctp_status chrome_read_events_finish(
	struct chrome_read_events *events, struct ctp_error *err);

#endif
