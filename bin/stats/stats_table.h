/* SPDX-License-Identifier: MIT */
/* The rows of stats' tables, for the files that describe columns of them. */
#ifndef STATS_TABLE_H
#define STATS_TABLE_H

#include "stats/stats.h"

/* Bits of `when` after those of enum stats_need; stats_ops.c has more. */
enum stats_bit {
	HAS_CAPTURES = 1 << 3,
	HAS_OPERATIONS = 1 << 4,
	HAS_SHAPES = 1 << 5,
	HAS_STACKS = 1 << 6,
	HAS_GROUPS = 1 << 7,
	HAS_UNITS = 1 << 8,
	HAS_HOST_FAILURES = 1 << 9,
	HAS_FAILURES = 1 << 10,
	WITH_CALLERS = 1 << 11,
	WITH_CALLEES = 1 << 12,
	WITH_EDGES = 1 << 13,
	WITH_SUMS = 1 << 14,     /* of devices: with --gpu and of operations */
	WITH_WORK = 1 << 15,     /* of devices: with --gpu */
	HAS_RECURSION = 1 << 16, /* all but pages */
	STATS_BIT_COUNT = 17,
};

/* A function, or the edge to it from or to that of the row before. */
struct stats_row {
	const struct stats *stats;
	uint32_t number;
	bool is_edge, lacks_calls, lacks_host, lacks_device; /* in text */
	struct profile_function function; /* with the cost of the edge */
	const char *group, *relation, *file, *kind;
	struct value details; /* in place of a file */
	struct value device_name;
	uint64_t frontend_ns, backend_ns, mean_ns, device_mean_ns, all_mean_ns,
		work_mean_ns;
	struct value own_share, device_share;
	struct value_name label, shapes;
	const char *device;
	char device_number[24]; /* "<gpu:4294967295>" */
};

#define OF(member) COLUMN_OF(struct stats_row, member)
#define OF_COST(member) OF(function.cost.member)
#define OF_DEVICE(member) OF(function.device.member), UNLESS(is_edge)
#define UNLESS(member) .unless = offsetof(struct stats_row, member)
#define MEMORY(member, owner) \
	COLUMN_OF(struct profile_amount, member), .get = stats_memory_value, \
						  .index = (owner)
#define OWNER "<device>"      /* in a column's title: the owner of the memory */
#define EACH (UINT32_MAX - 1) /* in a column's index: there is one per owner */
#define ALL (UINT32_MAX - 2)  /* in a column's index: the sum of all owners */

/* The owners of memory that have columns. */
struct stats_owners {
	bool memory[PROFILE_OWNERS_MAX];
	bool failed[PROFILE_OWNERS_MAX];
	uint32_t hidden; /* devices, for lack of room */
};

#define BIT(condition, bit) ((condition) ? (uint32_t)(bit) : 0)

extern const struct columns stats_edge_table;

/* Fills the row of a function of the profile or of a sum; with a cost, that of
 * an edge to it. */
void stats_row_init(struct stats_row *row, const struct stats *stats,
	const struct profile_function *function,
	const struct profile_cost *edge);

/* The bits that the profile and the options set. */
uint32_t stats_bits(const struct stats *stats);

/* Whether operations are grouped by more than a name. */
bool stats_has_details(const struct stats *stats);

/* The figure of an owner that a column of memory shows. */
struct value stats_memory_value(const struct column *column, const void *row);

/* The sum over all operations. */
struct profile_function stats_total(const struct stats *stats);

/* Writes the functions, with columns of these owners in place of those with
 * EACH (NULL: none), and `total`, if not NULL. The array of JSON is the
 * caller's. */
void stats_add_functions(struct sheet *sheet, const struct stats *stats,
	const struct columns *columns, const struct stats_owners *owners,
	const struct profile_function *total);

/* Print lines below text tables: the number of functions, `what`, that are not
 * shown; and that of open calls. */
void stats_print_hidden(struct sheet *sheet, uint32_t hidden, const char *what);
void stats_print_open(struct sheet *sheet, const struct stats *stats);

/* Prints operations as text. */
void stats_print_operations(struct sheet *sheet, const struct stats *stats);

#endif
