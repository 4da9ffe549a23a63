/* SPDX-License-Identifier: MIT */
/*
 * Recording what GPUs do, from when CUDA is first used in a process until it
 * ends. CUPTI is subscribed to once: numbers of calls would start afresh, and
 * some versions get them wrong the second time.
 */
#ifndef GPU_H
#define GPU_H

#include <stdbool.h>

enum gpu_state {
	GPU_IDLE = 0, /* not asked for yet */
	GPU_ON,       /* CUPTI is subscribed to */
	GPU_OFF,      /* it could not be */
	GPU_DEAD,     /* it gave up: not to be called again */
	GPU_OVER,     /* the process ends */
	GPU_CHILD,    /* forked: CUDA is the parent's */
};

enum gpu_state gpu_state(void);

/* CUPTI cannot be used any more. Threads: any; callbacks too. */
void gpu_die(const char *why);

/* At exit, what the device did is to be handed over before the handlers run
 * that are there already: those of CUPTI, which is never to be called after
 * them, and, once CUDA is up, those of CUDA. Threads: any. */
void gpu_watch_exit(void);

#endif
