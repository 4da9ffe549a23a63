/* SPDX-License-Identifier: MIT */
/* The columns of a callgrind profile's lines of costs: positions, which may be
 * relative to the last, and costs, of which one is taken. */
#ifndef CALLGRIND_COSTS_H
#define CALLGRIND_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#define CALLGRIND_POSITIONS_MAX 2

struct callgrind_costs {
	unsigned position_count;
	int line_column;      /* of the positions; -1: none */
	unsigned cost_column; /* behind the positions */
	uint64_t scale;       /* nanoseconds for each of the cost */
	uint64_t positions[CALLGRIND_POSITIONS_MAX]; /* of the last line */
	char creator[16]; /* the beginning of its name */
};

/* What a file has that says nothing of it. */
void callgrind_costs_init(struct callgrind_costs *costs);

/*
 * What "creator:", "positions:" and "events:" say; the text of the last is
 * taken apart. It returns the event that is taken: the first that is a time, as
 * "ns" or "Time_(10us)" are, or else the first; with its unit, where the
 * creator is known to leave that out.
 */
void callgrind_costs_set_creator(
	struct callgrind_costs *costs, const char *text);
void callgrind_costs_set_positions(
	struct callgrind_costs *costs, const char *text);
const char *callgrind_costs_set_events(
	struct callgrind_costs *costs, char *text);

/* Each takes something from the text's beginning, with the blanks behind it;
 * false if it is not there. Numbers are decimal or hexadecimal. */
bool callgrind_costs_take_number(const char **text, uint64_t *value);
bool callgrind_costs_take_positions(const struct callgrind_costs *costs,
	const char **text, uint64_t positions[CALLGRIND_POSITIONS_MAX]);

/* The rest of a line: the cost that is taken, 0 if the line ends before. */
bool callgrind_costs_take_cost(const struct callgrind_costs *costs,
	const char *text, uint64_t *cost_ns);

/* The line of a position; 0: unknown. */
uint32_t callgrind_costs_line(const struct callgrind_costs *costs,
	const uint64_t positions[CALLGRIND_POSITIONS_MAX]);

#endif
