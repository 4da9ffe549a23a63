/* SPDX-License-Identifier: MIT */
/*
 * How much of a device a kernel can keep busy, by its launch's size and what
 * each of its blocks needs.
 */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

/* Of one multiprocessor where nothing else is said; 0: unknown. */
struct occupancy_device {
	int64_t multiprocessors;
	int64_t warp_size;
	int64_t threads;
	int64_t threads_per_block;
	int64_t blocks;
	int64_t registers;
	int64_t registers_per_block;
	int64_t shared_bytes;
	int64_t shared_bytes_per_block;
	int64_t reserved_bytes_per_block;
	int64_t compute_major;
	int64_t compute_minor;
};

struct occupancy_kernel {
	int64_t grid[3];
	int64_t block[3];
	int64_t registers_per_thread;
	int64_t static_bytes;
	int64_t dynamic_bytes;
	int64_t shared_bytes; /* both, where they are not known apart */
};

/* Names of arguments in a trace, as numbers; lib/roofline/occupancy.c has them. */
#define OCCUPANCY_KEYS 12
struct occupancy {
	const struct trace *trace;
	uint32_t device_keys[OCCUPANCY_KEYS];
	uint32_t kernel_keys[OCCUPANCY_KEYS];
};

/* What Kineto tells of a kernel. */
struct occupancy_estimate {
	double blocks; /* of the whole launch, per multiprocessor */
	double warps;  /* likewise */
	/* Of the threads that a multiprocessor can hold; -1: unknown. */
	int percent;
};

/* False if out of memory. `trace` is borrowed. */
bool occupancy_init(struct occupancy *occupancy, const struct trace *trace);

/* From an activity's arguments and its device's properties; false if these do
 * not tell, or it is no kernel. */
bool occupancy_estimate(const struct occupancy *occupancy,
	const struct event *event, struct occupancy_estimate *estimate);

/*
 * How many blocks of a kernel a multiprocessor can hold at a time; -1 if too
 * little is known.
 *
 * Source: NVIDIA's cuda_occupancy.h, compute capability 5.0 and later.
 */
int64_t occupancy_blocks(const struct occupancy_device *device,
	const struct occupancy_kernel *kernel);

#endif
