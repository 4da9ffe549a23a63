/* SPDX-License-Identifier: MIT */
/* Loads libctprof-inject into the program, unless `ctprof record` did so. A
 * failure is kept for device_load_problem(). */
#ifndef DEVICE_LOAD_H
#define DEVICE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#define DEVICE_PROBLEM_BYTES 512

/* Makes the driver load it when the program first uses CUDA, by the
 * environment, unless that already names a library; another tool's is a
 * problem. */
void device_load_later(void);

/*
 * Call it when a recording of devices has begun: loads it now if the program
 * has the driver already, else later. The caller holds no lock.
 */
void device_load(void);

/* Reports in the log that devices are not recorded, and why, until reported
 * otherwise. */
void device_load_report(const char *why);

/* Why devices are not recorded; "" and false if there is no problem.
 * Threads: any. */
bool device_load_problem(char *text, size_t size);

/* In a child after fork: the thread that was setting it may be gone. */
void device_load_forget(void);

#endif
