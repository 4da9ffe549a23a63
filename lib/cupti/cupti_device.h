/* SPDX-License-Identifier: MIT */
/* The devices and their contexts. */
#ifndef CUPTI_DEVICE_H
#define CUPTI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/device_link.h"

/* The context is of this device, and calls its default stream by this number,
 * which may be CUPTI_NO_STREAM: not known. Threads: any. */
void cupti_device_context(struct device_place place, uint32_t null_stream);

/* The context's device; 0 if it is not known. Threads: any. */
uint32_t cupti_device_of(uint32_t context);

/* Is this the context's default stream, as far as is known? Threads: any. */
bool cupti_device_is_default(uint32_t context, int64_t stream);

/*
 * Puts the device's properties into the log, unless this recording has them.
 * On a thread of ours: it calls the driver.
 */
void cupti_device_describe(uint32_t device);

/* A new recording has nothing yet. On the same thread. */
void cupti_device_forget(void);

#endif
