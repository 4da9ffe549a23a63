/* SPDX-License-Identifier: MIT */
/* The devices and their contexts. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <stdint.h>

/* The context is of this device. Threads: any. */
void gpu_device_context(uint32_t context, uint32_t device);

/* The context's device; 0 if it is not known. Threads: any. */
uint32_t gpu_device_of(uint32_t context);

/*
 * Puts the device's properties into the log, unless this recording has them.
 * On a thread of ours: it calls the driver.
 */
void gpu_device_describe(uint32_t device);

/* A new recording has nothing yet. On the same thread. */
void gpu_device_forget(void);

#endif
