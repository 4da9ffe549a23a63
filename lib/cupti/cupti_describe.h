/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of activities: their common properties, such as a kernel and its
 * configuration. Each is in the log once, with a number.
 */
#ifndef CUPTI_DESCRIBE_H
#define CUPTI_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "log/log.h"

/* Indexes in cupti_description.fields. */
enum cupti_kernel_field {
	CUPTI_KERNEL_GRID = 0,
	CUPTI_KERNEL_BLOCK = 3,
	CUPTI_KERNEL_CLUSTER = 6,
	CUPTI_KERNEL_REGISTERS = 9,
	CUPTI_KERNEL_STATIC_SHARED,
	CUPTI_KERNEL_DYNAMIC_SHARED,
	CUPTI_KERNEL_SHARED,
	CUPTI_KERNEL_LOCAL,
	CUPTI_KERNEL_SHARED_EXECUTED,
	CUPTI_KERNEL_CHANNEL,
	CUPTI_KERNEL_CHANNEL_TYPE,
	CUPTI_KERNEL_LAUNCH_TYPE,
	CUPTI_KERNEL_DEVICE_LAUNCHED,
	CUPTI_KERNEL_GRAPH,
	CUPTI_KERNEL_PRIORITY,
	CUPTI_KERNEL_LOCAL_TOTAL, /* two fields: below and above 2^32 */
	CUPTI_FIELDS = 24         /* even, so that there is no padding */
};
enum cupti_memcpy_field {
	CUPTI_COPY_KIND = 0,
	CUPTI_COPY_SOURCE,
	CUPTI_COPY_TARGET,
	CUPTI_COPY_ASYNC,
	CUPTI_COPY_SOURCE_DEVICE, /* plus 1 */
	CUPTI_COPY_TARGET_DEVICE, /* plus 1 */
	CUPTI_COPY_GRAPH,
	CUPTI_COPY_CHANNEL,
	CUPTI_COPY_CHANNEL_TYPE,
	CUPTI_COPY_COUNT,
	CUPTI_COPY_SOURCE_CONTEXT,
	CUPTI_COPY_TARGET_CONTEXT,
};
enum cupti_memset_field {
	CUPTI_SET_VALUE = 0,
	CUPTI_SET_MEMORY,
	CUPTI_SET_ASYNC,
	CUPTI_SET_GRAPH,
	CUPTI_SET_CHANNEL,
	CUPTI_SET_CHANNEL_TYPE,
};
enum cupti_wait_field {
	CUPTI_WAIT_KIND = 0,
	CUPTI_WAIT_EVENT, /* plus 1 */
	CUPTI_WAIT_RETURN,
	CUPTI_WAIT_EVENT_ID, /* two fields, like above */
};
enum cupti_graph_field { CUPTI_GRAPH_ID = 0 };
enum cupti_call_field { CUPTI_CALL_CBID = 0, CUPTI_CALL_RETURN };

/* A member that is 0 is unknown, or not worth recording. */
struct cupti_description {
	uint32_t kind; /* enum log_activity */
	uint32_t site;
	uint64_t captured;   /* node of a graph; see cupti_graph.h */
	uint64_t unfinished; /* 1: it had not ended when requested */
	uint32_t fields[CUPTI_FIELDS];
};

/*
 * Returns its number in the recording, assigned now if new; 0 if out of memory.
 */
uint32_t cupti_describe(const struct cupti_description *description);

/* Whether there are enough new ones to write to the log. */
bool cupti_describe_is_full(void);

/* Writes the new ones to the log; call it before writing their activities.
 * False if there is no room; they are forgotten then, and their numbers are
 * invalid. */
bool cupti_describe_flush(void);

/* A new recording: numbers start from 1. */
void cupti_describe_restart(void);

/* Names of activities as sites of the log, by number. For one thread. */
uint32_t cupti_site_number(struct ctp_site *site);

/* The number of any name; copied. */
uint32_t cupti_site(const char *name, const char *category);

/* The number of a kernel, whose name belongs to CUPTI; NULL: unknown. */
uint32_t cupti_site_kernel(const char *name);

/* By CUPTI's numbers for the direction, and for kinds of memory. */
uint32_t cupti_site_copy(uint8_t kind, uint8_t source, uint8_t target);
uint32_t cupti_site_memset(uint16_t memory);

#endif
