/* SPDX-License-Identifier: MIT */
/*
 * The state of recording GPUs, from when CUDA is first used in a process until
 * it ends. CUPTI is subscribed to once: numbers of calls would start afresh,
 * and some versions get them wrong the second time.
 */
#ifndef CUPTI_STATE_H
#define CUPTI_STATE_H

/* Enough for the reason why there is no recording. */
#define CUPTI_REASON_BYTES 512

enum cupti_state {
	CUPTI_STATE_IDLE = 0, /* not asked for yet */
	CUPTI_STATE_ON,       /* CUPTI is subscribed to */
	CUPTI_STATE_OFF,      /* it could not be */
	CUPTI_STATE_DEAD,     /* it gave up: not to be called again */
	CUPTI_STATE_OVER,     /* the process ends */
	CUPTI_STATE_CHILD,    /* forked: CUDA is the parent's */
};

enum cupti_state cupti_state(void);
void cupti_state_set(enum cupti_state state);

/* There is no recording, for this reason: a fact of the log. */
void cupti_state_report(const char *why);

/* CUPTI cannot be used any more. Threads: any; callbacks too. */
void cupti_state_die(const char *why);

#endif
