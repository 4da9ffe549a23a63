/* SPDX-License-Identifier: MIT */
/* Selects and sorts the functions of one or more summed profiles, and prints
 * them. */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "operators/averages.h"
#include "profile/profile.h"
#include "input/report.h"

/* In the order of enum stats_key, followed by aliases. */
#define STATS_KEYS \
	"cumtime|tottime|ncalls|pcalls|percall|name|device|self-device|" \
	"device-percall|memory|self-memory|device-memory|" \
	"self-device-memory|flops|cpu|self-cpu|count"
enum stats_key {
	STATS_CUMTIME,
	STATS_TOTTIME,
	STATS_NCALLS,
	STATS_PCALLS,
	STATS_PERCALL, /* cumtime per primitive call */
	STATS_NAME,
	STATS_DEVICE, /* device time launched in or below it */
	STATS_SELF_DEVICE,
	STATS_DEVICE_PERCALL,
	/* Net memory, like all memory figures; of the host, or of key_owner. */
	STATS_MEMORY,
	STATS_SELF_MEMORY,
	STATS_DEVICE_MEMORY,
	STATS_SELF_DEVICE_MEMORY,
	STATS_FLOPS,
	STATS_KEY_COUNT
};

/* The key of a word in STATS_KEYS, by its index. */
enum stats_key stats_key_of(unsigned word);

#define STATS_UNITS "auto|ns|us|ms|s"
enum stats_unit { STATS_AUTO, STATS_NS, STATS_US, STATS_MS, STATS_S };

/* Tables of operations (averages.h). */
#define STATS_OPS_COLUMNS "cpu|device|memory|flops|memory-each|all"
enum stats_ops_column {
	STATS_OPS_CPU,
	STATS_OPS_DEVICE,
	STATS_OPS_MEMORY,
	STATS_OPS_FLOPS,
	STATS_OPS_MEMORY_EACH, /* memory, for each of several devices */
	STATS_OPS_COLUMN_COUNT
};

struct stats_ops {
	enum averages_group group;
	uint32_t columns; /* bits; 0: default */
	bool top_level;   /* only functions without a caller */
	uint32_t name_width;
	uint32_t details_width;
};

struct stats_options {
	enum stats_key key;
	/* No key was given: `key` applies if it has data, else own time. */
	bool key_default;
	const char *key_owner;   /* for STATS_MEMORY; NULL: the host */
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
	enum stats_unit unit;        /* text only, like the next two */
	bool color;
	size_t width; /* 0: unlimited */
};

struct stats {
	const struct profile *profile; /* borrowed */
	const struct stats_options *options;
	/* The key of the options, or, if that has no data, STATS_CUMTIME or
	 * the default. */
	enum stats_key key;
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
};

/* Selects and sorts functions. The profile must be sorted; it and the options
 * are borrowed. Errors: CTP_ERR_NOMEM; call stats_clear() in any case. */
enum ctp_status stats_init(struct stats *stats, const struct profile *profile,
	const struct stats_options *options, struct ctp_error *err);
void stats_clear(struct stats *stats);

/* Whether the sort key has data. */
bool stats_has_key(const struct stats *stats);

/* The memory of operations by device. */

/* A function's memory of an owner (or of PROFILE_MEMORY_DEVICES). */
struct profile_amount stats_memory_of(const struct stats *stats,
	const struct profile_function *function, uint32_t owner);

/* Number of failed allocations of all owners; and whether an owner had any. */
uint64_t stats_memory_failed(
	const struct stats *stats, const struct profile_function *function);
bool stats_memory_owner_failed(const struct stats *stats, uint32_t owner);

/* Whether there is any memory of this owner. */
bool stats_memory_has(const struct stats *stats, uint32_t owner);

const char *stats_memory_owner(const struct stats *stats, uint32_t owner,
	char text[PROFILE_OWNER_TEXT]);

/* Each prints to `out`. Errors: reported; they return an exit status. Write
 * errors remain in the stream. */
int stats_print_text(const struct stats *stats, FILE *out);
int stats_print_gpu(const struct stats *stats, FILE *out);
int stats_print_ops(const struct stats *stats, FILE *out);
int stats_print_csv(const struct stats *stats, FILE *out);
int stats_print_json(
	const struct stats *stats, const struct report *report, FILE *out);

/* The sum over all operations. */
void stats_total(const struct stats *stats, struct profile_function *sum);

/* Time, and device time, per primitive call; for operations, per call. */
uint64_t stats_percall(
	const struct stats *stats, const struct profile_cost *cost);
uint64_t stats_device_percall(
	const struct stats *stats, const struct profile_function *function);

/* Whether operations are grouped by more than a name. */
bool stats_has_details(const struct stats *stats);

/* The details that an operation has in place of a file; NULL if there are
 * none. */
const char *stats_details(
	const struct stats *stats, const struct profile_function *function);

/* The same without the head, and with the group in each row. */
void stats_put_csv_titles(const struct stats *stats, FILE *out);
void stats_put_csv(const struct stats *stats, FILE *out);
void stats_put_rows(const struct stats *stats, struct json *json);

#endif
