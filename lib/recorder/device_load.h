/* SPDX-License-Identifier: MIT */
/* Gets libctprof-inject into the program, where `ctprof record` did not see to
 * it. A failure is kept for device_load_problem(). */
#ifndef DEVICE_LOAD_H
#define DEVICE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_PROBLEM_BYTES 512

/* The driver is to load it when the program first uses CUDA: by the
 * environment, unless that says already what is to be loaded, which is a
 * problem if it is another tool's. */
void device_load_later(void);

/*
 * Recording has begun, and devices are to be recorded: loads it now if the
 * program has the driver already, else later. The caller holds no lock.
 */
void device_load(void);

/* The log says that devices are not recorded, and why; until somebody says
 * that they are. */
void device_load_report(const char *why);

/* Why devices are not recorded; "" and false if nothing is known against it.
 * Threads: any. */
bool device_load_problem(char *text, size_t size);

/* In a child after fork: who was setting it may be gone. */
void device_load_forget(void);

#endif
