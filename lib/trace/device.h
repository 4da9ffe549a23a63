/* SPDX-License-Identifier: MIT */
/* The devices of a trace: those with streams or properties. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* A property of a device, which may be NULL; NULL if it is unknown or of
 * another kind. */
const struct event_arg *trace_device_property(const struct trace *trace,
	const struct trace_device *device, enum event_arg_kind kind,
	const char *key);

/* The name of a device. If unknown, the common name of all others of its
 * process, since programs may number visible devices differently. NULL if that
 * is unknown, too. Borrowed; not terminated. */
const char *trace_device_name(
	const struct trace *trace, int64_t pid, uint32_t number, size_t *size);

/* Bytes of its memory; 0 if unknown. */
uint64_t trace_device_memory(
	const struct trace *trace, int64_t pid, uint32_t number);

struct devices_item {
	int64_t pid;
	uint32_t number;
	uint32_t streams;
};

struct devices {
	struct devices_item *items; /* sorted by process and number */
	uint32_t count;
};

/* Finds all devices; free with devices_clear(). False if out of memory. */
bool devices_find(struct devices *devices, const struct trace *trace);
void devices_clear(struct devices *devices);

#endif
