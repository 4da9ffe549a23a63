/* SPDX-License-Identifier: MIT */
/* libctprof-instrument's state per thread, and its slow path. */
#ifndef INSTRUMENT_THREAD_H
#define INSTRUMENT_THREAD_H

#include "instrument/shadow.h"

/* Calls of a signal handler that interrupted a hook, deferred until that hook
 * is done. */
struct deferred_event {
	struct shadow_event event;
	uintptr_t elsewhere; /* which stack; see shadow.h */
	uintptr_t slot;
	uint64_t ticks;
	bool is_exit;
};

#define DEFERRED_MAX 256

struct deferred_events {
	struct deferred_event events[DEFERRED_MAX];
	uint32_t open;    /* entries without an exit yet */
	uint32_t dropped; /* open entries that were dropped */
};

/*
 * The running hook: another hook that finds it set runs in a signal handler, or
 * a handler has jumped out of the first. Changed by one instruction, so that no
 * handler sees a partial change.
 */
struct guard {
	_Alignas(16) uintptr_t sp; /* with GUARD_EXIT; 0: no hook */
	uintptr_t pc; /* return address; 0: cannot be jumped out of */
};

struct instrument_self {
	struct guard guard;
	struct shadow_frame *guard_top; /* the shadow's top before the hook */
	uintptr_t waiting;              /* events in `deferred` */
	struct shadow shadow;
	struct deferred_events *deferred;
	uint64_t session; /* recording of the open functions */
};

#define GUARD_EXIT ((uintptr_t)1)

extern __thread struct instrument_self instrument_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Handles a hook without the fast path: the arguments are a shadow_event, with
 * GUARD_EXIT added to the stack pointer for an exit. Not a struct, which the
 * hot path would have to store in memory. */
void instrument_slow(
	uintptr_t function, uintptr_t call_site, uintptr_t pc, uintptr_t sp);

/* Call it after a library may have been closed. */
void instrument_find_closed(void);

/* Call it at the end of a hook, at `ticks`: handles deferred events. */
void instrument_handle_deferred(uint64_t ticks);

#endif
