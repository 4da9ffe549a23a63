/* SPDX-License-Identifier: MIT */
/*
 * Reads Chrome traces: first all events, in the order of the file, each of
 * which becomes a record; then the records in order of time, in which begins
 * and ends become slices, and each of which becomes events. For trace_*.c only.
 */
#ifndef CHROME_READER_H
#define CHROME_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/event.h"
#include "json/json_scan.h"
#include "extsort/extsort.h"
#include "chrome_read/chrome_read_args.h"
#include "chrome_read/chrome_read_devices.h"
#include "chrome_read/chrome_read_events.h"
#include "chrome_read/chrome_read_frames.h"
#include "chrome/chrome_correlation.h"
#include "chrome_read/chrome_read_json.h"
#include "chrome_read/chrome_read_labels.h"
#include "chrome_read/chrome_read_record.h"
#include "chrome_read/chrome_read_replay.h"
#include "chrome_read/chrome_read_rows.h"
#include "chrome_read/chrome_read_streams.h"

struct chrome_reader {
	struct event_source source; /* first: it is what callers hold */
	struct trace *trace;
	struct json_scan *scan; /* NULL: all is read */
	uint64_t end;           /* so many bytes it was then */
	struct chrome_read_json_reader json;
	struct chrome_read_args args;
	struct chrome_read_labels names;
	struct chrome_read_rows rows;
	struct chrome_read_streams streams;
	struct chrome_correlation join;
	struct chrome_read_frames frames;
	struct chrome_read_devices devices;
	struct extsort *spill;
	struct chrome_read_events events;
	struct chrome_read_producer producer;
	bool is_array;
	bool is_object;
	bool has_events;
	bool has_ftrace;     /* text of the kernel's, which is not read */
	bool has_header;     /* a member that traces have */
	bool has_strange;    /* another one */
	const char *foreign; /* what has a member like that; NULL: not known */
	bool has_base;       /* it is said outright when time was 0 */
	enum trace_fact_kind fact_kind; /* of the members at hand, if text */
	size_t fact_bytes;

	/* The second pass. */
	bool is_read;
	struct chrome_read_replay replay;
};

/* Reads the whole file. Errors: those of the system, and CTP_ERR_FORMAT where
 * there is no event before what is wrong. */
enum ctp_status chrome_reader_read(
	struct chrome_reader *reader, struct ctp_error *err);

#endif
