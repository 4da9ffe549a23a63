/* SPDX-License-Identifier: MIT */
/* The devices and their contexts. */
#ifndef CUPTI_DEVICE_H
#define CUPTI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/device_link.h"

/* Records the context's device, and the number of its default stream
 * (CUPTI_NO_STREAM: unknown). Threads: any. */
void cupti_device_context(struct device_place place, uint32_t null_stream);

/* The context's device; 0 if unknown. Threads: any. */
uint32_t cupti_device_of(uint32_t context);

/* Whether this is known to be the context's default stream. Threads: any. */
bool cupti_device_is_default(uint32_t context, int64_t stream);

/*
 * Writes the device's properties to the log, unless this recording has them.
 * Only on our own thread, because it calls the driver.
 */
void cupti_device_describe(uint32_t device);

/* Call it for a new recording, which has no properties yet. On the same
 * thread. */
void cupti_device_forget(void);

#endif
