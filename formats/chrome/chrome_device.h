/* SPDX-License-Identifier: MIT */
/*
 * Device activities as Kineto writes them in PyTorch's profiles: an activity's
 * arguments, the call that caused it, and the devices' properties. Source:
 * libkineto/src/CuptiActivity.cpp, output_json.cpp.
 *
 * Memory: CORRELATION_LIMIT calls.
 */
#ifndef CHROME_DEVICE_H
#define CHROME_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/json_args.h"
#include "chrome/chrome_stack.h"
#include "trace/correlation.h"
#include "trace/event.h"
#include "json/json.h"
#include "roofline/occupancy.h"

struct chrome_device {
	struct trace *trace;
	struct json_names *names;
	struct correlation *correlation; /* to "External id"; 0: none */
	struct strtab *pids; /* to make the arrows of processes differ */
	struct occupancy occupancy;
	uint64_t last_id;
	/* strtab numbers in the trace */
	uint32_t kernel_category;
	uint32_t copy_category;
	uint32_t set_category;
	uint32_t wait_category;
	uint32_t overhead_category;
};

/* An activity's call. */
struct chrome_cause {
	bool known;
	uint64_t flow; /* the arrow between them */
};

/* False if out of memory, as for all below; call chrome_device_clear() in
 * either case. All are borrowed. */
bool chrome_device_init(struct chrome_device *device, struct trace *trace,
	struct json_names *names);
void chrome_device_clear(struct chrome_device *device);

/* Handles an EVENT_CORRELATION of the track with the open ranges in `stack`, of
 * which there must be some. */
bool chrome_device_call(struct chrome_device *device,
	struct chrome_stack *stack, const struct event *event);

/* Adds Kineto's arguments to the EVENT_ACTIVITY's own; counts a stream activity
 * without its call. */
bool chrome_device_args(struct chrome_device *device, const struct event *event,
	struct json_args *args, struct chrome_cause *cause);

/* Is it host time: a wait for the stream, or driver overhead? Then it overlaps
 * the stream's activities. */
bool chrome_device_is_host(
	const struct chrome_device *device, const struct event *event);

/* Writes the member "deviceProperties", if a device is known. */
bool chrome_device_write(struct chrome_device *device, struct json *json);

#endif
