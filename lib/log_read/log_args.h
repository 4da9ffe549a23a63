/* SPDX-License-Identifier: MIT */
/* Arguments in a log. */
#ifndef LOG_ARGS_H
#define LOG_ARGS_H

#include <stdbool.h>

#include "base/cursor.h"
#include "trace/trace.h"

/* The arguments of one event. */
struct log_args {
	struct event_arg *items;
	uint32_t count;
	uint32_t room;
};

void log_args_clear(struct log_args *args);

/* Reads a value; its text is borrowed from the input. False if it is not valid
 * for an argument. */
bool log_args_value(struct cursor *cursor, struct event_arg *arg);

/* Appends an argument; NULL if out of memory. */
struct event_arg *log_args_push(struct log_args *args);

/* Adds a map's arguments, up to an event's limit; invalid pairs are skipped.
 * False if it is not a map, or out of memory. */
bool log_args_map(
	struct log_args *args, struct trace *trace, struct cursor *map);

#endif
