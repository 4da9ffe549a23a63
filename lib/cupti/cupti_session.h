/* SPDX-License-Identifier: MIT */
/*
 * A log's statements about the recording of GPUs: facts, such as versions and
 * CUPTI's refusals, and losses. Facts belong to the process and go to each of
 * its recordings; losses are counted for each. Threads: any.
 */
#ifndef CUPTI_SESSION_H
#define CUPTI_SESSION_H

#include <stdbool.h>
#include <stdint.h>

enum cupti_loss {
	CUPTI_LOSS_DROPPED,   /* by the driver */
	CUPTI_LOSS_DISCARDED, /* no room: in our buffers, or in the log's */
	CUPTI_LOSS_TIMES, /* no usable time: zero, or an end before the start */
	CUPTI_LOSS_UNFINISHED, /* kept, but its end is not known */
	CUPTI_LOSS_UNKNOWN,    /* of a kind that is not asked for */
	CUPTI_LOSSES
};

/* Sets a fact; the last value counts. */
void cupti_session_fact(const char *key, const char *value);
void cupti_session_number(const char *key, int64_t value);

/* Adds to what is lost. */
void cupti_session_lose(enum cupti_loss loss, uint64_t count);

/*
 * Puts into the log what has changed since this was last called for the
 * recording of this number; for a new one, all facts, and losses start from 0.
 */
void cupti_session_write(uint64_t session);

/* Around fork(); and in the child, whether it was locked or not. */
void cupti_session_lock(void);
void cupti_session_unlock(void);
void cupti_session_child(void);

#endif
