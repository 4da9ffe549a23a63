/* SPDX-License-Identifier: MIT */
/*
 * Values over time: counters, and the memory in use by each device. A series
 * has a bounded number of points; beyond, neighbours are merged, and the larger
 * value stays.
 */
#ifndef DIGEST_SERIES_H
#define DIGEST_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

#define SERIES_MAX 64
#define SERIES_POINTS 1024

struct series_point {
	int64_t time_ns;
	double value;
};

struct series {
	int64_t pid;
	uint32_t track; /* of the first event */
	uint32_t name;  /* strtab number; of memory: 0 */
	uint32_t key;   /* strtab number of its argument; 0: unnamed */
	int32_t device; /* of memory; -1: the host */
	uint32_t count;
	uint64_t every;  /* values of a point */
	uint64_t filled; /* values of the last point */
	double value;    /* the last one, a sum for memory */
	struct series_point *points;
};

/* All zero is an empty table. */
struct series_table {
	struct series items[SERIES_MAX];
	uint32_t count;
	uint64_t omitted; /* values of further series */
};

void series_table_clear(struct series_table *table);

/* Takes a counter's value, an allocation or a release; ignores others. False if
 * out of memory. */
bool series_table_add(struct series_table *table, const struct trace *trace,
	const struct event *event);

#endif
