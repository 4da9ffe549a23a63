/* SPDX-License-Identifier: MIT */
/*
 * Finds the call that caused a device activity: maps process and correlation id
 * to a value of the caller's. A call may cause any number of activities (a
 * graph launch has one per node), so finding it does not remove it. Beyond a
 * limit the oldest call is forgotten, which bounds memory for any number of
 * launches.
 */
#ifndef CORRELATION_H
#define CORRELATION_H

#include <stdbool.h>
#include <stdint.h>

/* Number of launches remembered, in 16 MiB, or 20 if many ids share their
 * lowest bits. A recorder delivers activities a few times a second, and no
 * device starts half a million kernels in that time; other programs' traces are
 * read in order of time. */
#define CORRELATION_LIMIT (UINT32_C(1) << 19)

struct correlation;

/* Returns an empty table for at most `limit` (not 0) calls; free with
 * correlation_free(). NULL if out of memory. */
struct correlation *correlation_new(uint32_t limit);
void correlation_free(struct correlation *correlation);

/* Adds a call, or replaces the value of an equal id. O(1). False if out of
 * memory. */
bool correlation_add(struct correlation *correlation, int64_t pid, uint64_t id,
	uint64_t value);

/* Finds a call's value; false if it is unknown or forgotten. O(1). */
bool correlation_find(const struct correlation *correlation, int64_t pid,
	uint64_t id, uint64_t *value);

#endif
