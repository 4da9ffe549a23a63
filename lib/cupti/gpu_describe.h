/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of what devices do: all that activities have in common that are
 * the same kernel with the same configuration, say. Each is in the log once, by
 * a number.
 */
#ifndef GPU_DESCRIBE_H
#define GPU_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "log/log.h"

/* Where the numbers in gpu_description.fields are. */
enum gpu_kernel_field {
	GPU_GRID = 0,
	GPU_BLOCK = 3,
	GPU_CLUSTER = 6,
	GPU_REGISTERS = 9,
	GPU_STATIC_SHARED,
	GPU_DYNAMIC_SHARED,
	GPU_SHARED,
	GPU_LOCAL,
	GPU_SHARED_EXECUTED,
	GPU_CHANNEL,
	GPU_CHANNEL_TYPE,
	GPU_LAUNCH_TYPE,
	GPU_DEVICE_LAUNCHED,
	GPU_KERNEL_GRAPH,
	GPU_PRIORITY,
	GPU_LOCAL_TOTAL, /* two fields: below and above 2^32 */
	GPU_FIELDS = 24  /* even, so that there is no padding */
};
enum gpu_memcpy_field {
	GPU_COPY_KIND = 0,
	GPU_COPY_SOURCE,
	GPU_COPY_TARGET,
	GPU_COPY_ASYNC,
	GPU_COPY_SOURCE_DEVICE, /* plus 1 */
	GPU_COPY_TARGET_DEVICE, /* plus 1 */
	GPU_COPY_GRAPH,
	GPU_COPY_CHANNEL,
	GPU_COPY_CHANNEL_TYPE,
	GPU_COPY_COUNT,
	GPU_COPY_SOURCE_CONTEXT,
	GPU_COPY_TARGET_CONTEXT,
};
enum gpu_memset_field {
	GPU_SET_VALUE = 0,
	GPU_SET_MEMORY,
	GPU_SET_ASYNC,
	GPU_SET_GRAPH,
	GPU_SET_CHANNEL,
	GPU_SET_CHANNEL_TYPE,
};
enum gpu_wait_field {
	GPU_WAIT_KIND = 0,
	GPU_WAIT_EVENT, /* plus 1 */
	GPU_WAIT_RETURN,
	GPU_WAIT_EVENT_ID, /* two fields, likewise */
};
enum gpu_graph_field { GPU_GRAPH_ID = 0 };
enum gpu_call_field { GPU_CALL_CBID = 0, GPU_CALL_RETURN };

/* What is 0 is not known, or not worth a word. */
struct gpu_description {
	uint32_t kind; /* enum log_activity */
	uint32_t site;
	uint64_t captured;   /* the node of a graph; see gpu_graph.h */
	uint64_t unfinished; /* 1: it had not ended when it was asked for */
	uint32_t fields[GPU_FIELDS];
};

/*
 * Its number in the recording, given now if it is new; 0 if there is no
 * memory.
 */
uint32_t gpu_describe(const struct gpu_description *description);

/* Are there so many new ones that they should be put into the log? */
bool gpu_describe_is_full(void);

/* Puts the new ones into the log; before the activities that have them. False
 * if there is no room; then they are forgotten, and their numbers void. */
bool gpu_describe_put(void);

/* A new recording: numbers start from 1. */
void gpu_describe_restart(void);

/* Names of what devices do, as sites of the log, by their numbers. By one
 * thread. */
uint32_t gpu_site_number(struct ctp_site *site);

/* Of any name; copied. */
uint32_t gpu_site(const char *name, const char *category);

/* Of a kernel, whose name is CUPTI's; NULL: not known. */
uint32_t gpu_site_kernel(const char *name);

/* By CUPTI's numbers for the direction, and for kinds of memory. */
uint32_t gpu_site_copy(uint8_t kind, uint8_t source, uint8_t target);
uint32_t gpu_site_memset(uint16_t memory);

#endif
