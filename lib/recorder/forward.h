/* SPDX-License-Identifier: MIT */
/*
 * Tells another tool of the ranges that are recorded: the one that has NVTX or
 * ITT load it. While it is on, every event takes the slow path, so that the
 * fast one knows nothing of it.
 *
 * The tool is called between thread_enter() and thread_leave(): its own work is
 * not recorded, and forwarded ranges cannot come back to us.
 */
#ifndef FORWARD_H
#define FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"
#include "recorder/thread_state.h"

#define FORWARD_DOMAIN "ctprof"

/* A way to tell a tool. */
struct forward_tool {
	/* Loads it; false if there is none. Once in a process. */
	bool (*open)(void);
	/* The handle that begin() takes for this text, which stays; NULL:
	 * cannot. */
	const void *(*name)(const char *text);
	void (*begin)(const void *name);
	/* The same with text that does not stay. */
	void (*begin_text)(const char *text);
	void (*end)(void);
};

extern const struct forward_tool forward_nvtx;
extern const struct forward_tool forward_itt;

/* A recording begins. Loads the tool to forward to, if it is not there; without
 * a tool, nothing is forwarded. */
void forward_start(enum ctp_emit target);

bool forward_is_on(void);

/* A range of the site begins on the thread. `seq` (may be NULL) is its sequence
 * number, which the tool sees in the name. */
void forward_begin(struct thread *thread, uint32_t site, const int64_t *seq);

/* A recording begins that is not forwarded. */
void forward_skip(struct thread *thread);

/* The thread's innermost range ends. */
void forward_end(struct thread *thread);

/* The recording that the thread's open ranges were in is over: for the tool
 * they end now, since their own ends are not recorded any more. */
void forward_end_all(struct thread *thread);

#endif
