/* SPDX-License-Identifier: MIT */
/*
 * The buffers that activities are written into: asked for and given back
 * through the client's callbacks, as CUPTI does, with CUPTI's lock held.
 */
#ifndef CUPTI_BUFFER_H
#define CUPTI_BUFFER_H

#include "cupti.h"

void cupti_buffer_callbacks(fake_request *request, fake_complete *complete);

/* Each thread that launches gets a buffer of its own, or all have one. */
void cupti_buffer_per_thread(bool on);

/* The client says that its buffers are zeroed: then they have to be. */
void cupti_buffer_zeroed(bool on);

/* Is there a record of the activity? */
bool cupti_buffer_add(const struct fake_activity *activity);
void cupti_buffer_finish(uint32_t stream, int64_t now_ns);

/* Gives back what is complete, or, if forced, all. */
void cupti_buffer_flush(bool forced);

/* All is given back, and has been read. */
void cupti_buffer_settle(void);
void cupti_buffer_read(const uint8_t *bytes);

/* How many were dropped since this was asked last. */
size_t cupti_buffer_dropped(void);

/* Whoever asks for what was recorded has to wait, from now on or no more. */
void cupti_buffer_stall(bool on);
void cupti_buffer_wait(void);

/* All that has not been given back is lost. */
void cupti_buffer_die(void);

#endif
