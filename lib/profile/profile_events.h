/* SPDX-License-Identifier: MIT */
/*
 * Costs that a profile was read with beside its times, such as callgrind's
 * instructions and cache misses, and the objects of its functions. A row has a
 * number for each event: a function's own costs, or those of an edge's calls
 * with their callees. A format that has the same kind of costs writes them.
 */
#ifndef PROFILE_EVENTS_H
#define PROFILE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"

/* Limit of events: Valgrind has two dozen. */
#define PROFILE_EVENTS_MAX 64

/* A row number of 0 stands for zeros and an unknown object. */
struct profile_events {
	struct strtab *text;
	uint32_t names[PROFILE_EVENTS_MAX]; /* numbers in `text` */
	uint32_t count;
	uint32_t definitions[PROFILE_EVENTS_MAX]; /* in `text` */
	uint32_t definition_count;
	int64_t *costs;    /* `count` for each row */
	uint32_t *objects; /* in `text`, by row; 0: unknown */
	uint32_t row_count;

	uint32_t cost_room, object_room; /* private */
};

/* NULL if out of memory; without events. */
struct profile_events *profile_events_new(void);
void profile_events_free(struct profile_events *events); /* NULL is allowed */

/* A copy without rows; NULL if out of memory. */
struct profile_events *profile_events_copy(const struct profile_events *from);

/* Whether both have the same events in the same order. */
bool profile_events_are_equal(const struct profile_events *events,
	const struct profile_events *other);

/* Adds an event; no row may exist yet. False if out of memory, or if there are
 * too many. */
bool profile_events_add_name(struct profile_events *events, const char *name);

/* Adds a line that describes an event, as callgrind's "event:". Ignores a
 * repeated line, and what is beyond the limit. False if out of memory. */
bool profile_events_add_definition(
	struct profile_events *events, const char *text);

/* Makes `*row` a row of its own if it is 0. False if out of memory. */
bool profile_events_ensure_row(struct profile_events *events, uint32_t *row);

/* The costs of a row; NULL: all are 0. */
const int64_t *profile_events_costs(
	const struct profile_events *events, uint32_t row);

/* Adds a row to `sums`, which has a number for each event. */
void profile_events_sum(
	const struct profile_events *events, uint32_t row, int64_t *sums);

/* The object of a row; "" if unknown. */
const char *profile_events_object(
	const struct profile_events *events, uint32_t row);

/* Adds costs, one for each event, to those of a row. False if out of memory. */
bool profile_events_add_costs(
	struct profile_events *events, uint32_t *row, const int64_t *costs);

/* Sets the object of a row if it is unknown; "" sets nothing. False if out of
 * memory. */
bool profile_events_set_object(
	struct profile_events *events, uint32_t *row, const char *object);

/* Adds the costs of a row of `from`, which has the same events and may be the
 * same table. Does nothing if either is NULL. False if out of memory. */
bool profile_events_add_row(struct profile_events *events, uint32_t *row,
	const struct profile_events *from, uint32_t other);

#endif
