/* SPDX-License-Identifier: MIT */
/* Log time corrected by the sync entries, and a device's clock against it.
 * Source: lib/log/FORMAT.md, "Time". */
#ifndef LOG_TIME_H
#define LOG_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"

/* From `log` on: y + (t - log) + (t - log) * slew / 1e9. */
struct log_time_piece {
	int64_t log;
	int64_t y;
	int64_t slew;
};

struct log_time {
	struct log_time_piece *pieces;
	uint32_t count;
	uint32_t room;
	int64_t first_log;
	int64_t first_raw;
};

void log_time_clear(struct log_time *time);

/* Takes an entry: an array of log time, another clock's time, and more, with
 * `least` elements. */
bool log_time_read(
	struct cursor *block, uint32_t least, int64_t *log, int64_t *other);

/* Adds an entry; false if out of memory. Invalid or too early entries are
 * ignored. */
bool log_time_add(struct log_time *time, int64_t log, int64_t raw);

int64_t log_time_correct(const struct log_time *time, int64_t log);

/* Replaces deltas, the first relative to `base`, by corrected times plus
 * `shift`. Modulo 2^64 for any deltas. */
void log_time_correct_all(const struct log_time *time, int64_t base,
	int64_t shift, int64_t *times, uint32_t count);

/* Converts a device's clock to log time. */

/* One instant on both clocks. */
struct log_time_device_pair {
	int64_t log;
	int64_t device;
	/* The first pair of the run without a clock step. */
	uint32_t first;
};

struct log_time_device {
	struct log_time_device_pair *pairs;
	uint32_t count;
	uint32_t room;
	uint32_t steps;
	/* Before the first pair: the device's time at log time 0. */
	int64_t start;
};

void log_time_device_clear(struct log_time_device *time);

/* Adds a pair; false if out of memory. An invalid or too early pair is
 * ignored. */
bool log_time_device_add(
	struct log_time_device *time, int64_t log, int64_t device);

/* Replaces the device's begin and end times by log time. An impossible time
 * becomes the nearest possible one. */
void log_time_device_place(
	const struct log_time_device *time, int64_t *begin, int64_t *end);

#endif
