/* SPDX-License-Identifier: MIT */
/* CUPTI's records, made into what a log has. */
#ifndef CUPTI_RECORD_H
#define CUPTI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Takes one record; `size` is of this kind in the loaded library, 0 if it
 * does not tell. Calls nothing of CUPTI's. On the thread that reads.
 */
void cupti_record(const void *record, size_t size);

/* Hands over to the log what was taken so far. */
void cupti_record_flush(void);

/* It is this late on the device's clock: what has not ended lasts until now. */
void cupti_record_now(int64_t device_ns);

/* A new recording: the numbers of tracks and descriptions start afresh. */
void cupti_record_restart(void);

/* This thread's calls of CUDA are not the program's. */
void cupti_record_ignore(uint32_t thread);

/* Was there ever one of what a device did, with times or without? */
bool cupti_record_has_work(void);

#endif
