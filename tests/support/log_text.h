/* SPDX-License-Identifier: MIT */
/* The result of reading a log in memory, as text to compare. */
#ifndef LOG_TEXT_H
#define LOG_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/event.h"

struct log_text {
	/* One line per event: track, time, kind, and the parts of the kind: "0
	 * 1000 begin main" or "1 -5 arg key=3". An activity has id, duration,
	 * bytes and arguments; a complete range has its duration, an arrow its
	 * id and end. */
	char *events;
	/* One line per track: kind, pid, tid, name, for tracks of devices
	 * device and context, end. */
	char *tracks;
	/* One line per loss, "stray_ends 2"; "" if nothing was lost. */
	char *losses;
	/* One line per fact, "tool=ctprof 0.2.0". */
	char *facts;
	/* One line per module: pid, base, bytes, path, build id, and "closed"
	 * if it is. */
	char *modules;
	/* One line per device: pid, number, properties. */
	char *devices;
	int64_t end_ns;
	int64_t base_realtime_ns;
	enum ctp_status status; /* the last one; CTP_END: all was read */
	struct ctp_error err;
};

/* One line, as in `events`. */
void log_text_event(
	FILE *out, const struct trace *trace, const struct event *event);

/* Reads the whole log; fails the test if an event refers to an entry that does
 * not exist. */
struct log_text log_text_read(const void *bytes, size_t size);

/* The same with these names of functions. */
struct log_text log_text_read_names(
	const void *bytes, size_t size, enum read_names names);

/* The same read ahead by a thread, with the events of runs. */
struct log_text log_text_read_ahead(
	const void *bytes, size_t size, unsigned jobs);
void log_text_clear(struct log_text *text);

/* "begin"; borrowed until the next call. */
const char *log_text_kind(enum event_kind kind);

#endif
