/* SPDX-License-Identifier: MIT */
/*
 * The file as a whole: an array of events, or an object with one or two of
 * these among its members, at any position. The object's other members become
 * facts.
 */
#ifndef CHROME_READ_DOCUMENT_H
#define CHROME_READ_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "chrome_read/chrome_read_args.h"
#include "chrome_read/chrome_read_events.h"
#include "chrome_read/chrome_read_frames.h"
#include "chrome_read/chrome_read_json.h"
#include "chrome_read/chrome_read_record.h"
#include "json/json_scan.h"
#include "trace/trace.h"

struct chrome_read_document {
	/* Borrowed: the destinations of its members. */
	struct trace *trace;
	struct json_scan *scan;
	struct chrome_read_json_reader *json;
	struct chrome_read_events *events;
	struct chrome_read_args *args;
	struct chrome_read_frames *frames;
	struct chrome_read_producer *producer;
	/* Its own members, initially zero. */
	bool is_array;
	bool is_object;
	bool has_events;
	bool has_ftrace;     /* kernel trace text, which is not read */
	bool has_header;     /* has a trace's member */
	bool has_unknown;    /* another one */
	const char *foreign; /* the format with such a member; NULL: unknown */
	uint64_t ahead_from; /* where reading ahead is tried next */
	bool has_base;       /* the file gives the time origin */
	enum trace_fact_kind fact_kind; /* of the current members, if text */
	size_t fact_bytes;
	/* Its devices, until the processes that used them are known: argument
	 * counts, each followed by the arguments. */
	struct buffer devices;
	uint32_t device_count;
};

/* Reads the whole file. Errors: those of the system, and CTP_ERR_FORMAT if
 * there is no event before the damage. */
enum ctp_status chrome_read_document_read(
	struct chrome_read_document *document, struct ctp_error *err);

/* Adds its devices to the trace, for the processes that they name, or that used
 * them, or else for `pid`; false if out of memory. */
bool chrome_read_document_add_devices(
	struct chrome_read_document *document, int64_t pid);

void chrome_read_document_clear(struct chrome_read_document *document);

#endif
