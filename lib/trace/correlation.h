/* SPDX-License-Identifier: MIT */
/*
 * Which call caused what a device did: calls by process and correlation, each
 * with a value of its user's. A call may own any number of activities - a
 * graph's launch has one for each node - so finding it does not take it out;
 * beyond a limit the oldest is forgotten, which keeps memory bounded whatever
 * the number of launches.
 */
#ifndef CORRELATION_H
#define CORRELATION_H

#include <stdbool.h>
#include <stdint.h>

/* How many launches are remembered, in 16 MiB, or 20 where many ids have the
 * same lowest bits: a recorder hands activities over a few times a second, and
 * no device starts half a million kernels in that time; traces of others are
 * read in order of time. */
#define CORRELATION_LIMIT (UINT32_C(1) << 19)

struct correlation;

/* An empty table for at most `limit` calls, which is not 0; free with
 * correlation_free(). NULL if out of memory. */
struct correlation *correlation_new(uint32_t limit);
void correlation_free(struct correlation *correlation);

/* Remembers a call; one with the same id gets the new value. O(1). False if
 * out of memory. */
bool correlation_add(struct correlation *correlation, int64_t pid, uint64_t id,
	uint64_t value);

/* Finds a call's value; false if it is not there, or no more. O(1). */
bool correlation_find(const struct correlation *correlation, int64_t pid,
	uint64_t id, uint64_t *value);

#endif
