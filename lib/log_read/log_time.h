/* SPDX-License-Identifier: MIT */
/* Log time corrected by the sync entries. Source: LOG-FORMAT.md, "Time". */
#ifndef LOG_TIME_H
#define LOG_TIME_H

#include <stdbool.h>
#include <stdint.h>

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

/* Takes an entry in; false if out of memory. Entries that make no sense, or
 * come too soon, change nothing. */
bool log_time_add(struct log_time *time, int64_t log, int64_t raw);

int64_t log_time_correct(const struct log_time *time, int64_t log);

/* Replaces deltas, of which the first counts from `base`, by corrected times
 * plus `shift`. Modulo 2^64, whatever the deltas are. */
void log_time_correct_all(const struct log_time *time, int64_t base,
	int64_t shift, int64_t *times, uint32_t count);

#endif
