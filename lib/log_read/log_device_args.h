/* SPDX-License-Identifier: MIT */
/* Maps of names and values, as arguments of an event. */
#ifndef LOG_DEVICE_ARGS_H
#define LOG_DEVICE_ARGS_H

#include "base/cursor.h"
#include "trace/trace.h"

/*
 * Takes a map. Its values become arguments whose text is the trace's: integers,
 * floats, texts, and lists of integers as JSON; what else there may be is left
 * out. `args` has room for LOG_DEVICE_KEYS_MAX; NULL: passes over the map.
 *
 * Errors: false if that is not what is there, or there are more; or out of
 * memory, which is in `failed`.
 */
bool log_device_args(struct trace *trace, struct cursor *block,
	struct event_arg *args, uint32_t *count, bool *failed);

#endif
