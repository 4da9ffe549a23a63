/* SPDX-License-Identifier: MIT */
/*
 * Device activities as Kineto writes them in PyTorch's profiles: an activity's
 * arguments, the call that caused it, and the devices' properties. Source:
 * libkineto/src/CuptiActivity.cpp, output_json.cpp.
 */
#ifndef CHROME_DEVICE_H
#define CHROME_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "chrome/chrome_stack.h"
#include "roofline/occupancy.h"

struct chrome_device {
	struct timeline *timeline; /* its causes are "External id"; 0: none */
	struct trace *trace;
	struct json_names *names;
	struct strtab *pids; /* to make the arrows of processes differ */
	struct occupancy occupancy;
	uint64_t last_id;
};

/* An activity's call. */
struct chrome_cause {
	bool known;
	uint64_t flow; /* the arrow between them */
};

/* False if out of memory, as for all below; call chrome_device_clear() in
 * either case. All are borrowed. */
bool chrome_device_init(struct chrome_device *device, struct timeline *timeline,
	struct json_names *names);
void chrome_device_clear(struct chrome_device *device);

/* Handles an EVENT_CORRELATION. */
bool chrome_device_call(struct chrome_device *device,
	struct chrome_track *track, const struct event *event);

/* Adds Kineto's arguments to the EVENT_ACTIVITY's own; counts a stream activity
 * without its call. */
bool chrome_device_args(struct chrome_device *device, const struct event *event,
	struct json_args *args, struct chrome_cause *cause);

/* Writes the member "deviceProperties", if a device is known. */
bool chrome_device_write(struct chrome_device *device, struct json *json);

#endif
