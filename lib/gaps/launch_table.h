/* SPDX-License-Identifier: MIT */
/* The calls that launched the activities of devices. */
#ifndef LAUNCH_TABLE_H
#define LAUNCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/trace.h"

struct launch {
	int64_t start_ns; /* of the call */
	uint32_t track;   /* the thread that made it */
};

struct launch_table;

/* `trace` is borrowed until launch_table_free(). NULL if out of memory. */
struct launch_table *launch_table_new(const struct trace *trace);
void launch_table_free(struct launch_table *table);

/* Call it for each event of the stream, in order. Memory: open ranges, and the
 * launches that correlation.h keeps. False if out of memory. */
bool launch_table_add(struct launch_table *table, const struct event *event);

/* Finds the call that caused an activity; false if unknown. */
bool launch_table_find(const struct launch_table *table,
	const struct event *event, struct launch *launch);

#endif
