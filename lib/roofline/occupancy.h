/* SPDX-License-Identifier: MIT */
/*
 * Estimates the occupancy of a kernel from its launch size and the resources of
 * a block.
 */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

/* Per multiprocessor unless noted; 0: unknown. */
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
	int64_t shared_bytes; /* static and dynamic, if not known separately */
};

/* Names of arguments in a trace, as numbers; lib/roofline/occupancy.c has them. */
#define OCCUPANCY_KEYS 12
struct occupancy {
	const struct trace *trace;
	uint32_t device_keys[OCCUPANCY_KEYS];
	uint32_t kernel_keys[OCCUPANCY_KEYS];
};

/* Kineto's figures for a kernel. */
struct occupancy_estimate {
	double blocks; /* of the launch, per multiprocessor */
	double warps;  /* likewise */
	/* Percent of the largest number of threads; -1: unknown. */
	int percent;
};

/* False if out of memory. `trace` is borrowed. */
bool occupancy_init(struct occupancy *occupancy, const struct trace *trace);

/* Computes the estimate from an activity's arguments and its device's
 * properties; false if these are insufficient, or it is not a kernel. */
bool occupancy_estimate(const struct occupancy *occupancy,
	const struct event *event, struct occupancy_estimate *estimate);

/*
 * Largest number of blocks of a kernel on a multiprocessor at a time; -1 if
 * unknown.
 *
 * Source: NVIDIA's cuda_occupancy.h, compute capability 5.0 and later.
 */
int64_t occupancy_blocks(const struct occupancy_device *device,
	const struct occupancy_kernel *kernel);

#endif
