/* SPDX-License-Identifier: MIT */
/*
 * Ends a program whose first thread called pthread_exit() and whose other
 * threads, except the library's, have ended. The C library would do so, but
 * counts the library's threads as the program's.
 */
#ifndef EXIT_WATCH_H
#define EXIT_WATCH_H

#include <signal.h>
#include <stdbool.h>

/* Name of threads, ours and CUPTI's, that exist only for recording and do not
 * keep a program alive. */
#define DEVICE_THREAD "ctprof-gpu"

/* Starts watching for the end of the calling thread, the process's first.
 * Called by the library's constructor, and in a child after fork. */
void exit_watch_start(void);

/* While it is held, one of the program's threads may have the name of the
 * library's, and cannot be distinguished. */
void exit_watch_hold(bool on);

/*
 * Calls exit(0), like the C library in the last thread, if only this thread and
 * those named DEVICE_THREAD are left. Another thread with this signal mask
 * makes the call, because exit handlers may record and wait for the background
 * thread.
 */
void exit_watch_check(const sigset_t *mask);

#endif
