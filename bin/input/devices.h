/* SPDX-License-Identifier: MIT */
/* The devices that an input tells of: those with streams or properties. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"
#include "cli/table.h"
#include "profile/profile.h"
#include "trace/trace.h"

struct devices_item {
	int64_t pid;
	uint32_t number;
	uint32_t streams;
};

struct devices {
	struct devices_item *items; /* by process and number */
	uint32_t count;
};

/* Finds them all; devices_clear() frees. False if out of memory. */
bool devices_find(struct devices *devices, const struct trace *trace);
void devices_clear(struct devices *devices);

/* What a device calls itself; of one that nothing is said about, the name that
 * all others of its process have: programs may number those that they see
 * otherwise. NULL if that is not known. Borrowed; not terminated. */
const char *devices_guess_name(
	const struct trace *trace, int64_t pid, uint32_t number, size_t *size);

/* The name of the device that a profile's function ran on: the end of the
 * function's "<gpu:0 NAME>". NULL if it is not known. */
const char *devices_function_name(
	const struct profile_function *function, size_t *size);

/* Bytes of its memory; 0 if that is not known. */
uint64_t devices_memory(
	const struct trace *trace, int64_t pid, uint32_t number);

/* Adds a row for each to a table with two columns. */
void devices_add_rows(const struct devices *devices, const struct trace *trace,
	struct table *table);

/* Writes the member "device_name": the likely one, or null. */
void devices_write_name(struct json *json, const struct trace *trace,
	int64_t pid, uint32_t number);

/* Writes the member "device_properties", an array. */
void devices_write(const struct devices *devices, const struct trace *trace,
	struct json *json);

#endif
