/* SPDX-License-Identifier: MIT */
/* The devices of an input in reports. */
#ifndef DEVICES_H
#define DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"
#include "cli/columns.h"
#include "profile/profile.h"
#include "trace/device.h"
#include "trace/trace.h"

/* trace_device_name() for a report's column. */
struct value devices_name_value(
	const struct trace *trace, int64_t pid, uint32_t number);

/* The name of the device that a profile's function ran on, from its "<gpu:0
 * NAME>". NULL if unknown. */
const char *devices_function_name(
	const struct profile_function *function, size_t *size);

/* Adds a row per device to a table with two columns. */
void devices_add_rows(const struct devices *devices, const struct trace *trace,
	struct table *table);

/* Writes the array "device_properties" of JSON. */
extern const struct columns devices_table;
void devices_write(struct sheet *sheet, const struct devices *devices,
	const struct trace *trace);

#endif
