/* SPDX-License-Identifier: MIT */
/*
 * Recording what GPUs do, from when CUDA is first used in a process until it
 * ends. CUPTI is subscribed to once: numbers of calls would start afresh, and
 * some versions get them wrong the second time.
 */
#ifndef CUPTI_H
#define CUPTI_H

#include <stdbool.h>

enum cupti_state {
	CUPTI_STATE_IDLE = 0, /* not asked for yet */
	CUPTI_STATE_ON,       /* CUPTI is subscribed to */
	CUPTI_STATE_OFF,      /* it could not be */
	CUPTI_STATE_DEAD,     /* it gave up: not to be called again */
	CUPTI_STATE_OVER,     /* the process ends */
	CUPTI_STATE_CHILD,    /* forked: CUDA is the parent's */
};

enum cupti_state cupti_state(void);

/* CUPTI cannot be used any more. Threads: any; callbacks too. */
void cupti_die(const char *why);

/* At exit, what the device did is to be handed over before the handlers run
 * that are there already: those of CUPTI, which is never to be called after
 * them, and, once CUDA is up, those of CUDA. Threads: any. */
void cupti_watch_exit(void);

#endif
