/* SPDX-License-Identifier: MIT */
/*
 * A log's statements about the recording of GPUs: facts, such as versions and
 * CUPTI's refusals, and losses. Facts belong to the process and are written to
 * each of its recordings; losses are counted per recording. Threads: any.
 */
#ifndef CUPTI_SESSION_H
#define CUPTI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

enum cupti_loss {
	CUPTI_LOSS_DROPPED,   /* by the driver */
	CUPTI_LOSS_DISCARDED, /* no room: in our buffers, or in the log's */
	CUPTI_LOSS_TIMES, /* no usable time: zero, or an end before the start */
	CUPTI_LOSS_UNFINISHED, /* kept, but its end is unknown */
	CUPTI_LOSS_UNKNOWN,    /* of a kind not requested */
	CUPTI_LOSSES
};

/* Sets a fact; the last value wins. */
void cupti_session_fact(const char *key, const char *value);
void cupti_session_number(const char *key, int64_t value);

/* Adds to the losses. */
void cupti_session_lose(enum cupti_loss loss, uint64_t count);

/*
 * Writes the changes since the last call for this recording to the log; for a
 * new recording, writes all facts and resets losses.
 */
void cupti_session_write(uint64_t session);

/* Around fork(); and in the child, whether it was locked or not. */
void cupti_session_lock(void);
void cupti_session_unlock(void);
void cupti_session_child(void);

#endif
