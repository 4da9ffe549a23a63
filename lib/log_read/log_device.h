/* SPDX-License-Identifier: MIT */
/* Blocks of devices: activities, their descriptions, and the state of the
 * devices themselves. */
#ifndef LOG_DEVICE_H
#define LOG_DEVICE_H

#include "log_read/log_recording.h"

/* A block of activities with `elements` elements, from its second one on. */
enum log_verdict log_device_parse(struct log_recording *recording,
	struct cursor block, uint32_t elements);

/* Returns the next activity of the current block; false if out of memory. */
bool log_device_event(struct log_recording *recording, struct event *event);

/* For `apply` see log_read.c. */
enum log_verdict log_device_parse_descriptions(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_device_parse_properties(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_device_parse_sync(
	struct log_recording *recording, struct cursor block, bool apply);
enum log_verdict log_device_parse_losses(
	struct log_recording *recording, struct cursor block, bool apply);

#endif
