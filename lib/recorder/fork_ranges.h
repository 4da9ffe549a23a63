/* SPDX-License-Identifier: MIT */
/* The ranges open in the thread that forked, with which the child's log
 * begins. */
#ifndef FORK_RANGES_H
#define FORK_RANGES_H

#include <stdint.h>

#include "log/log.h"

struct thread;

struct fork_ranges {
	uint32_t count; /* ranges, outermost first */
	uint32_t deep;  /* inner ranges whose sites are not kept */
	uint32_t sites[LOG_OPEN_MAX];
};

/*
 * Before fork, in the recording `session` (0: none, so that the process's own
 * inherited ranges are passed on): saves the calling thread's open ranges.
 * Between writer_thread_pause() and writer_thread_resume().
 */
void fork_ranges_save(uint64_t session);

/* In the child: assigns them to the calling thread. */
void fork_ranges_adopt(void);

/* In the child, if this thread (NULL: any) ends before it recorded: drops the
 * ranges. */
void fork_ranges_forget(const struct thread *thread);

/* Begins the track of the thread that forked in the child's recording `session`
 * with the inherited ranges, at the time of the fork. */
void fork_ranges_record(uint64_t session, uint64_t ticks);

#endif
