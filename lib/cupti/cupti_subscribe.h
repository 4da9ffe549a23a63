/* SPDX-License-Identifier: MIT */
/* Our requests to CUPTI: to be its subscriber, and kinds of records. */
#ifndef CUPTI_SUBSCRIBE_H
#define CUPTI_SUBSCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctprof.h"

/*
 * Becomes CUPTI's subscriber, with buffers for records. On a thread that holds
 * no lock.
 *
 * Errors: false; then `reason` says why, e.g. who is it already.
 */
bool cupti_subscribe(char *reason, size_t size);

/* Switches on the kinds of records and the callbacks of this mode, or all off:
 * CTP_GPU_OFF. A refusal of CUPTI becomes a fact of the log. */
void cupti_subscribe_enable(enum ctp_gpu mode);

/* Did CUPTI, when all was switched off, know nothing of what it had been asked
 * for? */
bool cupti_subscribe_is_lost(void);

/* The end of it, at the end of the process. */
void cupti_subscribe_end(void);

#endif
