/* SPDX-License-Identifier: MIT */
/* The functions of a sample's locations, even if a pprof profile lacks some of
 * their names. */
#ifndef PPROF_FRAMES_H
#define PPROF_FRAMES_H

#include "base/buffer.h"
#include "pprof/pprof_tables.h"
#include "profiles/stacks.h"
#include "trace/trace.h"

/* All but `text` is borrowed. */
struct pprof_frames {
	struct trace *trace; /* for counting unknown functions */
	struct pprof_tables *tables;
	struct stacks *stacks;
	struct buffer text; /* scratch */
};

void pprof_frames_clear(struct pprof_frames *frames);

/* Pushes a location's functions, the outermost inlined one first, or its
 * address. False if out of memory. */
bool pprof_frames_push(struct pprof_frames *frames, uint64_t id);

#endif
