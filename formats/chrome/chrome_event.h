/* SPDX-License-Identifier: MIT */
/*
 * What has no duration of its own in a Chrome trace: ends of asynchronous
 * ranges and of arrows, instants, counters, steps.
 */
#ifndef CHROME_EVENT_H
#define CHROME_EVENT_H

#include <stdbool.h>

#include "timeline/json_args.h"
#include "chrome/chrome_rows.h"
#include "trace/event.h"
#include "json/json.h"

struct chrome_events {
	struct trace *trace;
	struct json *json;
	struct json_names *text;
	struct json_args args; /* of the event at hand */
};

void chrome_events_clear(struct chrome_events *events);

/* Puts the event's own arguments into events->args. False if out of memory,
 * like all below. */
bool chrome_events_take_args(
	struct chrome_events *events, const struct event *event);

/* Each writes events of the kinds that its name says. */
bool chrome_events_async(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_instant(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_flow(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_counter(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);
bool chrome_events_step(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event);

#endif
