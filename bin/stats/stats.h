/* SPDX-License-Identifier: MIT */
/* Selects and sorts the functions of one or more summed profiles, and writes
 * them as a report. */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "operators/averages.h"
#include "profile/profile.h"
#include "input/report.h"

#define STATS_UNITS "auto|ns|us|ms|s"
enum stats_unit { STATS_AUTO, STATS_NS, STATS_US, STATS_MS, STATS_S };

/* Tables of operations (averages.h). MEMORY_EACH is the memory of each of
 * several devices. */
#define STATS_OPS_COLUMNS(X) \
	X(CPU, "cpu") \
	X(DEVICE, "device") \
	X(MEMORY, "memory") \
	X(FLOPS, "flops") \
	X(MEMORY_EACH, "memory-each")
#define STATS_OPS_NUMBER(name, word) STATS_OPS_##name,
enum stats_ops_column {
	STATS_OPS_COLUMNS(STATS_OPS_NUMBER) STATS_OPS_COLUMN_COUNT
};
#define STATS_OPS_WORD(name, word) word "|"
#define STATS_OPS_WORDS STATS_OPS_COLUMNS(STATS_OPS_WORD) "all"

struct stats_ops {
	enum averages_group group;
	uint32_t columns; /* bits; 0: default */
	bool top_level;   /* only functions without a caller */
	uint32_t name_width;
	uint32_t details_width;
};

/* Groups of compilers' traces: BUILD_GROUPS. */
#define STATS_BUILD_WORDS \
	"phase|unit|header|template|template-set|function|name"

/* Data of the profile that a column needs: bits of struct column's `when`. */
enum stats_need {
	STATS_NEEDS_DEVICE = 1 << 0,
	STATS_NEEDS_MEMORY = 1 << 1,
	STATS_NEEDS_FLOPS = 1 << 2,
	STATS_NEEDS = 7,
};

/* The columns of functions, whose words --sort takes; and the column of one of
 * these words. */
extern const struct columns stats_table;
const struct column *stats_key(const char *word);

struct stats_options {
	const struct column *key;
	/* No key was given: `key` applies if it has data, else own time. */
	bool key_default;
	const char *key_owner;   /* for memory; NULL: the host */
	uint32_t top;            /* rows; 0: all */
	uint64_t min_cumtime_ns; /* functions with less are hidden */
	uint32_t min_parts;      /* likewise, as a share of the total time */
	bool callers;
	bool callees;
	bool called; /* functions never called themselves are hidden */
	/* Show device functions, and the host functions that launched them,
	 * separately; the limits apply to device time. */
	bool gpu;
	const struct stats_ops *ops; /* for a profile of operations; else
				      * NULL */
	enum stats_unit unit;        /* text only */
};

struct stats {
	const struct profile *profile; /* borrowed */
	const struct stats_options *options;
	/* The key of the options, or, if that has no data, cumtime or the
	 * default. */
	struct column key;
	const char *group; /* group in a report of several; NULL: the only
			    * one */
	/* Frontend times of all translation units, by number, and then their
	 * backend times. Borrowed; NULL: no units. */
	const uint64_t *phases_ns;
	uint32_t *order; /* functions to show */
	uint32_t count;
	uint32_t hidden; /* hidden by top and the limits */
	uint32_t *work;  /* likewise device functions, if separate */
	uint32_t work_count;
	uint32_t work_hidden;
	bool has_device;
	bool has_captures;  /* some functions captured graph nodes */
	uint64_t host_ns;   /* self time of all host functions */
	uint64_t device_ns; /* self time of all device functions */
	uint64_t activities;
	uint32_t *owners; /* owners with memory, sorted */
	uint32_t owner_count;
	uint32_t key_owner;              /* owner of the sort key */
	bool failed[PROFILE_OWNERS_MAX]; /* by owner: an allocation failed */
	/* edges[callers[i]] … are the edges to function i, by caller. */
	uint32_t *callers;
	/* callee_edges[callees[i]] … are the edges from function i, by
	 * callee. */
	uint32_t *callees;
	uint32_t *callee_edges;
	uint64_t *values; /* of the sort key, by function, while sorting */
};

/* Selects and sorts functions. The profile must be sorted; it and the options
 * are borrowed. Errors: CTP_ERR_NOMEM; call stats_clear() in any case. */
enum ctp_status stats_init(struct stats *stats, const struct profile *profile,
	const struct stats_options *options, struct ctp_error *err);
void stats_clear(struct stats *stats);

/* Whether the sort key has data. */
bool stats_has_key(const struct stats *stats);

extern const struct report_form stats_form;

extern const struct report_form stats_threads_form;

/* For report_print_inputs() with a struct stats_options: prints the threads. */
int stats_print_threads(void *options, const struct report_target *to);

/* The smallest time of a row, by --min and the time of the whole. */
uint64_t stats_least_time(
	const struct stats_options *options, uint64_t whole_ns);

/* Writes a struct stats. */
void stats_write(struct sheet *sheet, const void *stats);

/* Parts of that: the unit of times in text; the rows of stats_table as JSON or,
 * with titles, CSV; and the text of a group of compilers. */
void stats_set_unit(struct sheet *sheet, const struct stats_options *options);
void stats_add(struct sheet *sheet, const struct stats *stats);
void stats_write_group(struct sheet *sheet, const struct stats *stats);

/* ---- for stats_table.c ---- */

/* A function's memory of an owner (or of PROFILE_MEMORY_DEVICES). */
struct profile_amount stats_memory_of(const struct stats *stats,
	const struct profile_function *function, uint32_t owner);

/* Whether there is any memory of this owner. */
bool stats_memory_has(const struct stats *stats, uint32_t owner);

const char *stats_memory_owner(const struct stats *stats, uint32_t owner,
	char text[PROFILE_OWNER_TEXT]);

/* The sort key's value of a function, largest first; and its text, for `name`. */
uint64_t stats_sort_value(
	const struct stats *stats, const struct profile_function *function);

#endif
