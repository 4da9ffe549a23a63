/* SPDX-License-Identifier: MIT */
/* The functions of one or more profiles, summed, chosen and in order; and the
 * ways to print them. */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "operators/averages.h"
#include "profile/profile.h"
#include "input/report.h"

/* In the order of enum stats_key, and then other words for some. */
#define STATS_KEYS \
	"cumtime|tottime|ncalls|pcalls|percall|name|device|self-device|" \
	"device-percall|memory|self-memory|device-memory|" \
	"self-device-memory|flops|cpu|self-cpu|count"
enum stats_key {
	STATS_CUMTIME,
	STATS_TOTTIME,
	STATS_NCALLS,
	STATS_PCALLS,
	STATS_PERCALL, /* cumtime of one primitive call */
	STATS_NAME,
	STATS_DEVICE, /* a device's time, of what was launched below */
	STATS_SELF_DEVICE,
	STATS_DEVICE_PERCALL,
	/* As all memory, taken less given back; of the host, or key_owner. */
	STATS_MEMORY,
	STATS_SELF_MEMORY,
	STATS_DEVICE_MEMORY,
	STATS_SELF_DEVICE_MEMORY,
	STATS_FLOPS,
	STATS_KEY_COUNT
};

/* Of a word of STATS_KEYS, by its number. */
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
	STATS_OPS_MEMORY_EACH, /* as memory; of several devices each */
	STATS_OPS_COLUMN_COUNT
};

struct stats_ops {
	enum averages_group group;
	uint32_t columns; /* bits; 0: what is usual */
	bool top_level;   /* only what is called by no other */
	uint32_t name_width;
	uint32_t details_width;
};

struct stats_options {
	enum stats_key key;
	const char *key_owner;   /* of STATS_MEMORY; NULL: the host */
	uint32_t top;            /* rows; 0: all */
	uint64_t min_cumtime_ns; /* functions with less are left out */
	uint32_t min_parts;      /* likewise, of the total time */
	bool callers;
	bool callees;
	bool called; /* what was never called itself is left out */
	/* Devices' functions, and those of the host that launched them, apart;
	 * the limits are of the device's time. */
	bool gpu;
	const struct stats_ops *ops; /* of a profile of these, unless NULL */
	enum stats_unit unit;        /* text only, as the next two */
	bool color;
	size_t width; /* 0: as wide as the names are */
};

struct stats {
	const struct profile *profile; /* borrowed */
	const struct stats_options *options;
	/* That of the options, or STATS_CUMTIME where it is of what is not
	 * known. */
	enum stats_key key;
	const char *group; /* of several in a report; NULL: the only one */
	uint32_t *order;   /* functions to show */
	uint32_t count;
	uint32_t hidden; /* left out by top and the limits */
	uint32_t *work;  /* likewise devices' functions, if they are apart */
	uint32_t work_count;
	uint32_t work_hidden;
	bool has_device;
	bool has_captures;  /* parts of graphs were captured */
	uint64_t host_ns;   /* of all functions of the host, their own */
	uint64_t device_ns; /* of all devices' functions */
	uint64_t activities;
	uint32_t *owners; /* whose memory there is, in order */
	uint32_t owner_count;
	uint32_t key_owner; /* whose memory the rows are sorted by */
	bool failed[PROFILE_OWNERS_MAX]; /* by owner: it had no more memory */
	/* edges[callers[i]] … are those to function i, by caller. */
	uint32_t *callers;
	/* callee_edges[callees[i]] … are those from function i, by callee. */
	uint32_t *callees;
	uint32_t *callee_edges;
};

/* Chooses and orders. The profile is sorted and borrowed, as the options are.
 * Errors: CTP_ERR_NOMEM; also then call stats_clear(). */
enum ctp_status stats_init(struct stats *stats, const struct profile *profile,
	const struct stats_options *options, struct ctp_error *err);
void stats_clear(struct stats *stats);

/* Is anything known of what the rows were to be sorted by? */
bool stats_has_key(const struct stats *stats);

/* The memory of operations, device by device. */

/* How much it took of an owner's memory (or of PROFILE_MEMORY_DEVICES). */
struct profile_amount stats_memory_of(const struct stats *stats,
	const struct profile_function *function, uint32_t owner);

/* How often there was none, whoever's; and an owner's: was there ever none? */
uint64_t stats_memory_failed(
	const struct stats *stats, const struct profile_function *function);
bool stats_memory_owner_failed(const struct stats *stats, uint32_t owner);

/* Is any of this owner's known? */
bool stats_memory_has(const struct stats *stats, uint32_t owner);

const char *stats_memory_owner(const struct stats *stats, uint32_t owner,
	char text[PROFILE_OWNER_TEXT]);

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int stats_print_text(const struct stats *stats, FILE *out);
int stats_print_gpu(const struct stats *stats, FILE *out);
int stats_print_ops(const struct stats *stats, FILE *out);
int stats_print_csv(const struct stats *stats, FILE *out);
int stats_print_json(
	const struct stats *stats, const struct report *report, FILE *out);

/* Of all operations together. */
void stats_total(const struct stats *stats, struct profile_function *sum);

/* The time, and the device's, of one call that is in no other of the same. */
uint64_t stats_percall(const struct profile_cost *cost);
uint64_t stats_device_percall(const struct profile_function *function);

/* Are operations told apart by more than a name? */
bool stats_has_details(const struct stats *stats);

/* The text that a function has in place of a file, if it is an operation that
 * is told apart by it; else NULL. */
const char *stats_details(
	const struct stats *stats, const struct profile_function *function);

/* The same without what comes before the rows, and with the group in each. */
void stats_put_csv_titles(const struct stats *stats, FILE *out);
void stats_put_csv(const struct stats *stats, FILE *out);
void stats_put_rows(const struct stats *stats, struct json *json);

#endif
