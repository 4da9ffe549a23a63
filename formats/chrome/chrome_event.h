/* SPDX-License-Identifier: MIT */
/*
 * Events without a duration of their own in a Chrome trace: ends of asynchronous
 * ranges and of arrows, instants, counters, steps, memory events.
 */
#ifndef CHROME_EVENT_H
#define CHROME_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/json_args.h"
#include "chrome/chrome_rows.h"
#include "trace/event.h"
#include "json/json.h"
#include "base/strtab.h"

/*
 * The bytes that each device holds, by memory events.
 * Source: libkineto/src/output_json.cpp; torch/csrc/profiler/collection.cpp.
 */
struct chrome_memory {
	struct strtab *devices; /* numbers are indices into `totals` */
	uint64_t *totals;       /* bytes, modulo 2^64: may be negative if memory
				 * from before the trace is freed */
	uint32_t room;
};

struct chrome_events {
	struct trace *trace;
	struct json *json;
	struct json_names *names;
	struct json_args args; /* of the current event */
	struct chrome_memory memory;
};

/* Set the first three members before. False if out of memory, as for all below;
 * call chrome_events_clear() in either case. */
bool chrome_events_init(struct chrome_events *events);
void chrome_events_clear(struct chrome_events *events);

/* Puts the event's own arguments into events->args. */
bool chrome_events_set_args(
	struct chrome_events *events, const struct event *event);

/* Each writes events of the kinds in its name. */
bool chrome_events_async(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_instant(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_flow(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_counter(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_memory(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_step(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);

#endif
