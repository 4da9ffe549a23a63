/* SPDX-License-Identifier: MIT */
/*
 * Forwards recorded ranges to another tool, which NVTX or ITT loads. While it
 * is on, every event takes the slow path, so that the fast one is unaffected.
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

/* An interface to a tool. */
struct forward_tool {
	/* Loads it; false if there is none. Once in a process. */
	bool (*open)(void);
	/* Returns begin()'s handle for this permanent text; NULL on failure. */
	const void *(*name)(const char *text);
	void (*begin)(const void *name);
	/* The same with temporary text. */
	void (*begin_text)(const char *text);
	void (*end)(void);
};

extern const struct forward_tool forward_nvtx;
extern const struct forward_tool forward_itt;

/* Call it when a recording begins. Loads the tool if necessary; without a tool,
 * nothing is forwarded. */
void forward_start(enum ctp_emit target);

bool forward_is_on(void);

/* Forwards the begin of a range. `seq` (may be NULL) is its sequence number,
 * which becomes part of the name. */
void forward_begin(struct thread *thread, uint32_t site, const int64_t *seq);

/* Counts the begin of a range that is not forwarded. */
void forward_skip(struct thread *thread);

/* Forwards the end of the thread's innermost range. */
void forward_end(struct thread *thread);

/* Ends the thread's open ranges for the tool when their recording is over,
 * since their own ends are no longer recorded. */
void forward_end_all(struct thread *thread);

#endif
