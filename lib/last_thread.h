/* SPDX-License-Identifier: MIT */
/*
 * Ends a program of which the background thread is all that is left: whose
 * first thread left by pthread_exit(), and whose others have ended. The C
 * library would, but counts the background thread as one of the program's.
 */
#ifndef LAST_THREAD_H
#define LAST_THREAD_H

#include <signal.h>

/* Has it noticed when the calling thread, the process's first, ends: from the
 * library's constructor, and in a child after fork. */
void last_thread_watch(void);

/*
 * Calls exit(0), as the C library does in the thread that is the last to end,
 * if there is none but the calling one; in another, with this signal mask, for
 * what is called at exit may record, and wait for the background thread.
 */
void last_thread_look(const sigset_t *mask);

#endif
