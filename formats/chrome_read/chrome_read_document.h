/* SPDX-License-Identifier: MIT */
/*
 * The file as a whole: an array of events, or an object that has one or two
 * among its members, wherever they stand. All else that an object has becomes
 * facts.
 */
#ifndef CHROME_READ_DOCUMENT_H
#define CHROME_READ_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "chrome_read/chrome_read_devices.h"
#include "chrome_read/chrome_read_events.h"
#include "chrome_read/chrome_read_frames.h"
#include "chrome_read/chrome_read_json.h"
#include "chrome_read/chrome_read_record.h"
#include "json/json_scan.h"
#include "trace/trace.h"

struct chrome_read_document {
	/* Borrowed: what its members go to. */
	struct trace *trace;
	struct json_scan *scan;
	struct chrome_read_json_reader *json;
	struct chrome_read_events *events;
	struct chrome_read_devices *devices;
	struct chrome_read_frames *frames;
	struct chrome_read_producer *producer;
	/* Its own, which begin as zeroes. */
	bool is_array;
	bool is_object;
	bool has_events;
	bool has_ftrace;     /* text of the kernel's, which is not read */
	bool has_header;     /* a member that traces have */
	bool has_unknown;    /* another one */
	const char *foreign; /* what has a member like that; NULL: not known */
	bool has_base;       /* it is said outright when time was 0 */
	enum trace_fact_kind fact_kind; /* of the members at hand, if text */
	size_t fact_bytes;
};

/* Reads the whole file. Errors: those of the system, and CTP_ERR_FORMAT where
 * there is no event before what is wrong. */
enum ctp_status chrome_read_document_read(
	struct chrome_read_document *document, struct ctp_error *err);

#endif
