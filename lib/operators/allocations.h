/* SPDX-License-Identifier: MIT */
/*
 * Memory over time: of each device of each process, the bytes in use in equal
 * bins of time, the exact peak, and the ranges that made the allocations alive
 * there. Events are those of ctp_memory_alloc() and ctp_memory_free(), and the
 * instants "[memory]" of PyTorch's profiler.
 *
 * Memory: ranges that allocate, their callers, and allocations alive (at most
 * some 100,000); everything else is in temporary files (extsort.h).
 */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

#define ALLOCATIONS_BINS 400
#define ALLOCATIONS_PATH 16 /* ranges of a path that are known */
#define ALLOCATIONS_NEAR 5  /* those that distinguish groups, within a step */
#define ALLOCATIONS_NO_PATH UINT32_MAX

/* A stack of open ranges. */
struct allocations_path {
	uint32_t count;                   /* of the innermost ones: */
	uint32_t sites[ALLOCATIONS_PATH]; /* innermost first */
};

/* The allocations of a pool by one path of the ALLOCATIONS_NEAR innermost
 * ranges. */
struct allocations_group {
	uint32_t pool;
	uint32_t path; /* ALLOCATIONS_NO_PATH: too many paths */
	uint64_t count;
	int64_t bytes; /* allocated in all */
	/* Alive at the peak. */
	uint64_t peak_count;
	int64_t peak_bytes;
	/* Allocated and freed within one step, and in how many steps. */
	int64_t step_bytes;
	uint64_t step_count;
	uint32_t steps;
	uint32_t last_step; /* private, like all below */
	uint64_t live_count;
	int64_t live_bytes;
	uint64_t epoch;
};

/* The levels within a bin; without an event, that before it still holds. */
struct allocations_bin {
	bool is_set;
	int64_t least;
	int64_t most;
	int64_t last;
	int64_t reserved; /* most; 0 if unknown */
};

/* The time of the highest level, the first of equal ones. */
struct allocations_peak {
	int64_t bytes;
	int64_t time_ns;
	uint32_t track;
	uint32_t depth; /* number of open ranges, which may exceed the path */
	uint32_t path;
};

/* The memory of a device, or of the host, in a process. */
struct allocations_pool {
	int64_t pid;
	int64_t type;   /* as for trace_device_type_name() */
	int64_t number; /* -1: of the host, or unknown */
	uint64_t allocs;
	uint64_t frees;
	uint64_t failed;
	/* Frees of unknown addresses, of addresses freed before, and
	 * allocations of addresses in use. */
	uint64_t strays;
	uint64_t doubles;
	uint64_t repeats;
	bool has_addresses;
	bool has_totals; /* the events have the level */
	bool has_reserved;
	/* In use before the first event, at least. Levels include it. */
	int64_t before_bytes;
	int64_t end_bytes;
	int64_t reserved_bytes; /* most */
	struct allocations_peak peak;
	struct allocations_bin bins[ALLOCATIONS_BINS];
	/* Steps of its process; those from the third on that began with a higher
	 * level than all before except the first; and the growth between. */
	uint32_t steps;
	uint32_t growths;
	int64_t grown_bytes;
	uint64_t epoch;  /* private, like all below: number of the peak */
	int64_t bytes;   /* level without `before_bytes` */
	int64_t least;   /* lowest of these */
	int64_t earlier; /* freed by strays */
	bool has_peak;
	int64_t step_bytes; /* level at the start of the second step ... */
	int64_t high_bytes; /* and the highest at later ones */
};

/* The arguments used: see read_request.kept_args. */
extern const char *const allocations_args[];

struct allocations;

/* `trace` is borrowed until allocations_free(). NULL if out of memory. */
struct allocations *allocations_new(struct trace *trace);
void allocations_free(struct allocations *allocations);

/* Errors: CTP_ERR_NOMEM; CTP_ERR_IO for the temporary files. */
enum ctp_status allocations_add(struct allocations *allocations,
	const struct event *event, struct ctp_error *err);

/* Call it once, after the last event, with the times of the first and the last
 * one of any kind. Errors: as above. */
enum ctp_status allocations_finish(struct allocations *allocations,
	int64_t first_ns, int64_t last_ns, struct ctp_error *err);

/* After allocations_finish(); borrowed until allocations_free(). Pools are in
 * the order of their first event. Groups are sorted by pool, then by the bytes
 * at the peak, most first. */
const struct allocations_pool *allocations_pools(
	const struct allocations *allocations, uint32_t *count);
const struct allocations_group *allocations_groups(
	const struct allocations *allocations, uint32_t *count);

/* Empty for ALLOCATIONS_NO_PATH. */
struct allocations_path allocations_path(
	const struct allocations *allocations, uint32_t path);

/* The length of a bin; the first begins with `first_ns`. */
uint64_t allocations_bin_ns(const struct allocations *allocations);

/* Events of pools beyond the largest number of pools. */
uint64_t allocations_unknown(const struct allocations *allocations);

#endif
