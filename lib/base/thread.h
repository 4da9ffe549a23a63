/* SPDX-License-Identifier: MIT */
/* Threads of the tools, which share the work on one input. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread, which gets no signals but those of its own faults: others
 * interrupt the user's thread instead. False if that is impossible. */
bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Number of processors that this process may use; at least 1. */
unsigned thread_processors(void);

/* The share of one of `count` inputs that are read at a time, of `jobs` threads or
 * (0) of one for each processor; at least 1. */
unsigned thread_share(unsigned jobs, size_t count);

/*
 * Threads for each half of a work, which take about the same time, if the user's
 * own thread has little to do. `jobs`: threads requested; 0: one for each
 * processor. Below 3, the user's thread should do one half, and the result is 0.
 * The result is at most 8.
 */
unsigned thread_half(unsigned jobs);

#endif
