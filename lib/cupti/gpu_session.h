/* SPDX-License-Identifier: MIT */
/*
 * What a log says about recording GPUs: facts, such as versions and what CUPTI
 * refused, and what was lost. Facts are the process's, and are told to each of
 * its recordings; losses are counted for each. Threads: any.
 */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include <stdbool.h>
#include <stdint.h>

enum gpu_loss {
	GPU_DROPPED,    /* by the driver */
	GPU_DISCARDED,  /* no room: in our buffers, or in the log's */
	GPU_TIMES,      /* no usable time: zero, or an end before the start */
	GPU_UNFINISHED, /* kept, but its end is not known */
	GPU_UNKNOWN,    /* of a kind that is not asked for */
	GPU_LOSSES
};

/* Sets a fact; the last value counts. */
void gpu_session_fact(const char *key, const char *value);
void gpu_session_number(const char *key, int64_t value);

/* Adds to what is lost. */
void gpu_session_lose(enum gpu_loss loss, uint64_t count);

/*
 * Puts into the log what has changed since this was last called for the
 * recording of this number; for a new one, all facts, and losses start from 0.
 */
void gpu_session_tell(uint64_t session);

/* Around fork(); and in the child, whether it was locked or not. */
void gpu_session_lock(void);
void gpu_session_unlock(void);
void gpu_session_child(void);

#endif
