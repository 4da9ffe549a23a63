/* SPDX-License-Identifier: MIT */
/* Our requests to CUPTI: the subscription and kinds of records. */
#ifndef CUPTI_SUBSCRIBE_H
#define CUPTI_SUBSCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctprof.h"

/*
 * Becomes CUPTI's subscriber, with buffers for records. On a thread that holds
 * no lock.
 *
 * Errors: false, with `reason`, such as an existing subscriber.
 */
bool cupti_subscribe(char *reason, size_t size);

/* Switches on the kinds of records and the callbacks of this mode, or all off:
 * CTP_GPU_OFF. A refusal of CUPTI becomes a fact of the log. */
void cupti_subscribe_enable(enum ctp_gpu mode);

/* Whether CUPTI had lost all requests when everything was switched off. */
bool cupti_subscribe_is_lost(void);

/* Ends the subscription, at the end of the process. */
void cupti_subscribe_end(void);

#endif
