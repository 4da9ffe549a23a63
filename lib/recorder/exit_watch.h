/* SPDX-License-Identifier: MIT */
/*
 * Ends a program of which the library's threads are all that is left: whose
 * first thread left by pthread_exit(), and whose others have ended. The C
 * library would, but counts the library's threads as the program's.
 */
#ifndef EXIT_WATCH_H
#define EXIT_WATCH_H

#include <signal.h>
#include <stdbool.h>

/* The names of threads, ours and CUPTI's, that exist for recording only: a
 * program is over without them. */
#define DEVICE_THREAD "ctprof-gpu"

/* Has it noticed when the calling thread, the process's first, ends: from the
 * library's constructor, and in a child after fork. */
void exit_watch_start(void);

/* While it is held, one of the program's threads may be called as the
 * library's are: there is no telling them apart. */
void exit_watch_hold(bool on);

/*
 * Calls exit(0), as the C library does in the last thread to end, if only this
 * thread and those called DEVICE_THREAD are left. Another thread with this
 * signal mask makes the call, because exit handlers may record and wait for the
 * background thread.
 */
void exit_watch_check(const sigset_t *mask);

#endif
