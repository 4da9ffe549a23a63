/* SPDX-License-Identifier: MIT */
/* The columns of a callgrind profile's cost lines: positions, which may be
 * relative to the last, and costs, one of which is used. */
#ifndef CALLGRIND_COSTS_H
#define CALLGRIND_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_events.h"

#define CALLGRIND_POSITIONS_MAX 2

struct callgrind_costs {
	unsigned position_count;
	int line_column;      /* index into the positions; -1: none */
	unsigned cost_column; /* counted after the positions */
	uint64_t scale;       /* nanoseconds per unit of the cost */
	uint64_t positions[CALLGRIND_POSITIONS_MAX]; /* of the last line */
	char creator[16]; /* the beginning of its name */
	bool is_ruby_prof;
};

/* The defaults of a file without these headers. */
void callgrind_costs_init(struct callgrind_costs *costs);

/*
 * Set the values of "creator:", "positions:" and "events:". The last one splits
 * its text in place and returns the event that is used: the first that measures
 * time, such as "ns" or "Time_(10us)", or else the first. Adds the unit if the
 * creator is known to leave it out. `wanted` (may be NULL) chooses another
 * event; returns NULL if it is missing.
 */
void callgrind_costs_set_creator(
	struct callgrind_costs *costs, const char *text);
void callgrind_costs_set_positions(
	struct callgrind_costs *costs, const char *text);
const char *callgrind_costs_set_events(
	struct callgrind_costs *costs, char *text, const char *wanted);

/* An event's name, with its unit if the creator is known to leave it out. */
const char *callgrind_costs_name(
	const struct callgrind_costs *costs, const char *event);

/* Each consumes an item at the text's beginning and the blanks after it; false
 * if the item is missing. Numbers are decimal or hexadecimal. */
bool callgrind_costs_parse_number(const char **text, uint64_t *value);
bool callgrind_costs_parse_positions(const struct callgrind_costs *costs,
	const char **text, uint64_t positions[CALLGRIND_POSITIONS_MAX]);

/* A line's costs. */
struct callgrind_line_costs {
	uint64_t used_ns; /* the cost in use; 0 if the line ends before it */
	int64_t all[PROFILE_EVENTS_MAX]; /* zeros past the line's end */
};

/* Reads the rest of a line. */
bool callgrind_costs_parse_costs(const struct callgrind_costs *costs,
	const char *text, struct callgrind_line_costs *found);

/* The line of a position; 0: unknown. */
uint32_t callgrind_costs_line(const struct callgrind_costs *costs,
	const uint64_t positions[CALLGRIND_POSITIONS_MAX]);

#endif
