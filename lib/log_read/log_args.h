/* SPDX-License-Identifier: MIT */
/* Arguments as they stand in a log. */
#ifndef LOG_ARGS_H
#define LOG_ARGS_H

#include <stdbool.h>

#include "base/cursor.h"
#include "trace/trace.h"

/* Those of one event. */
struct log_args {
	struct event_arg *items;
	uint32_t count;
	uint32_t room;
};

void log_args_clear(struct log_args *args);

/* Reads a value; its text is borrowed from the input. False if an argument
 * cannot have this value. */
bool log_args_value(struct cursor *cursor, struct event_arg *arg);

/* A new last argument; NULL if out of memory. */
struct event_arg *log_args_push(struct log_args *args);

/* Adds a map's, as many as an event may have; pairs that no argument can be are
 * passed over. False if it is no map, or out of memory. */
bool log_args_map(
	struct log_args *args, struct trace *trace, struct cursor *map);

#endif
