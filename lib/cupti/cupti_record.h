/* SPDX-License-Identifier: MIT */
/* Converts CUPTI's records to the log's activities. */
#ifndef CUPTI_RECORD_H
#define CUPTI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Adds a record; `size` is that of its kind in the loaded library, 0 if
 * unknown. Does not call CUPTI. On the reading thread.
 */
void cupti_record(const void *record, size_t size);

/* Writes the records added so far to the log. */
void cupti_record_flush(void);

/* Sets the current time of the device's clock: unfinished activities last until
 * now. */
void cupti_record_now(int64_t device_ns);

/* Begins a new recording: restarts the numbers of tracks and descriptions. */
void cupti_record_restart(void);

/* Ignores this thread's CUDA calls, which are not the program's. */
void cupti_record_ignore(uint32_t thread);

/* Whether there was any activity record, with or without times. */
bool cupti_record_has_work(void);

#endif
