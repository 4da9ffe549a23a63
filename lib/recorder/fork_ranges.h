/* SPDX-License-Identifier: MIT */
/* The inheritance of a forked child: the ranges that are open in the thread
 * that forked. The child's log begins with them. */
#ifndef FORK_RANGES_H
#define FORK_RANGES_H

#include <stdint.h>

#include "log/log.h"

struct thread;

struct fork_ranges {
	uint32_t count; /* ranges, outermost first */
	uint32_t deep;  /* ranges inside these whose sites are not kept */
	uint32_t sites[LOG_OPEN_MAX];
};

/*
 * Before fork, in the recording `session` (0: none is on, so that what the
 * process itself inherited is passed on): keeps the calling thread's open
 * ranges in mind. Between writer_thread_pause() and writer_thread_resume().
 */
void fork_ranges_save(uint64_t session);

/* In the child: they are the calling thread's. */
void fork_ranges_adopt(void);

/* In the child, if this thread ends (NULL: whichever it is) before it
 * recorded: there is nobody any more who inherits. */
void fork_ranges_forget(const struct thread *thread);

/* Begins the track of the thread that forked, in the child's recording
 * `session`, with what it inherits; at the time of the fork. */
void fork_ranges_record(uint64_t session, uint64_t ticks);

#endif
