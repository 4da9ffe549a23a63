/* SPDX-License-Identifier: MIT */
/* The reader's state for a recording's devices, and the block of activities
 * that is being read. */
#ifndef LOG_DEVICE_H
#define LOG_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "trace/event.h"
#include "log_read/log_args.h"
#include "log_read/log_device_time.h"
#include "log_read/log_table.h"

/* The kinds of activities. */
struct log_description {
	uint32_t site; /* of the trace */
	uint32_t first_arg;
	uint32_t arg_count;
};

/* The columns of a block of activities; then what the trace has for them. */
enum log_device_column {
	LOG_DEVICE_STARTS,
	LOG_DEVICE_DURATIONS,
	LOG_DEVICE_TRACKS,
	LOG_DEVICE_DESCRIPTIONS,
	LOG_DEVICE_CORRELATIONS,
	LOG_DEVICE_BYTES,
	LOG_DEVICE_NODES,
	LOG_DEVICE_COLUMNS
};

struct log_device {
	struct log_device_time time;
	struct log_table numbers; /* place in descriptions + 1 */
	struct log_description *descriptions;
	uint32_t description_count;
	uint32_t description_room;
	struct event_arg *args; /* of all descriptions; text is the trace's */
	uint32_t arg_count;
	uint32_t arg_room;
	uint64_t losses[LOSS_KINDS]; /* of the last block of them */
	uint32_t at;
	uint32_t count;
	uint32_t room;
	int64_t *columns[LOG_DEVICE_COLUMNS];
	/* A map or nil for each row; nothing left: none has any. */
	struct cursor row_args;
	struct log_args joined; /* of an event that has more than those of its
				   description */
	uint32_t node_key;      /* strtab number; 0: not yet */
};

void log_device_clear(struct log_device *device);

/* Forgets what is not for the next recording. */
void log_device_next(struct log_device *device);

#endif
