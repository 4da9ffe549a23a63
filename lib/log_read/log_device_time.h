/* SPDX-License-Identifier: MIT */
/* A device's clock against log time. Source: LOG-FORMAT.md, "Time". */
#ifndef LOG_DEVICE_TIME_H
#define LOG_DEVICE_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* One instant on both clocks. */
struct log_device_pair {
	int64_t log;
	int64_t device;
	/* The first of those between which the device's clock did not step. */
	uint32_t first;
};

struct log_device_time {
	struct log_device_pair *pairs;
	uint32_t count;
	uint32_t room;
	uint32_t steps;
	/* Before there is a pair: the device's time where the log's is 0. */
	int64_t start;
};

void log_device_time_clear(struct log_device_time *time);

/* Takes a pair in; false if out of memory. One that makes no sense, or comes
 * too soon, changes nothing. */
bool log_device_time_add(
	struct log_device_time *time, int64_t log, int64_t device);

/* Replaces the device's begin and end times by log time. An impossible time
 * becomes the nearest possible one. */
void log_device_time_place(
	const struct log_device_time *time, int64_t *begin, int64_t *end);

#endif
