/* SPDX-License-Identifier: MIT */
/*
 * The buffers for activities: requested and returned through the client's
 * callbacks, as CUPTI does, with CUPTI's lock held.
 */
#ifndef CUPTI_BUFFER_H
#define CUPTI_BUFFER_H

#include "cupti.h"

void cupti_buffer_callbacks(fake_request *request, fake_complete *complete);

/* Each thread that launches gets its own buffer, or all share one. */
void cupti_buffer_per_thread(bool on);

/* The client promises that its buffers are zeroed; they are then checked. */
void cupti_buffer_zeroed(bool on);

/* Is there a record of the activity? */
bool cupti_buffer_add(const struct fake_activity *activity);
void cupti_buffer_finish(uint32_t stream, int64_t now_ns);

/* Returns complete buffers, or, if forced, all. */
void cupti_buffer_flush(bool forced);

/* All buffers are returned, and have been read. */
void cupti_buffer_settle(void);
void cupti_buffer_read(const uint8_t *bytes);

/* The number of dropped records since the last call. */
size_t cupti_buffer_dropped(void);

/* Stalls readers of recorded data from now on, or no longer. */
void cupti_buffer_stall(bool on);
void cupti_buffer_wait(void);

/* All buffers that have not been returned are lost. */
void cupti_buffer_die(void);

#endif
