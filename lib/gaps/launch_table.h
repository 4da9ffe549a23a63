/* SPDX-License-Identifier: MIT */
/* A table of launches: the call, its thread and its time for each activity of a
 * device. */
#ifndef LAUNCH_TABLE_H
#define LAUNCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct launch {
	int64_t start_ns; /* of the call */
	uint32_t track;   /* the thread that made it */
};

struct launch_table;

/* `trace` is borrowed until launch_table_free(). NULL if out of memory. */
struct launch_table *launch_table_new(const struct trace *trace);
void launch_table_free(struct launch_table *table);

/* Reads each event of the stream, in order. Memory: the open ranges, and the
 * number of launches that correlation.h keeps. False if out of memory. */
bool launch_table_add(struct launch_table *table, const struct event *event);

/* The call that an activity was caused by; false if it is not known. */
bool launch_table_find(const struct launch_table *table,
	const struct event *event, struct launch *launch);

#endif
