/* SPDX-License-Identifier: MIT */
/* The state of libctprof-instrument for each thread, and its slow path. */
#ifndef INSTRUMENT_THREAD_H
#define INSTRUMENT_THREAD_H

#include "instrument/shadow.h"

/* Calls of a signal handler that interrupted a hook, kept until that hook is
 * done. */
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
	uint32_t open;    /* entries among them whose exit has not come */
	uint32_t dropped; /* open entries that were not kept */
};

/*
 * The hook that is under way: a hook that finds one runs in a signal handler,
 * or the handler has jumped out of that hook. Changed by one instruction, so
 * that no handler sees half of it.
 */
struct guard {
	_Alignas(16) uintptr_t sp; /* with GUARD_EXIT; 0: no hook */
	uintptr_t pc; /* where it returns to; 0: it cannot be jumped out of */
};

struct instrument_self {
	struct guard guard;
	struct shadow_frame *guard_top; /* the shadow's top before the hook */
	uintptr_t waiting;              /* events in `deferred` */
	struct shadow shadow;
	struct deferred_events *deferred;
	uint64_t session; /* that the open functions were recorded in */
};

#define GUARD_EXIT ((uintptr_t)1)

extern __thread struct instrument_self instrument_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A hook that could not be done at once: a shadow_event, the stack pointer
 * with GUARD_EXIT if it is for an exit. Not in a struct, which the hot path
 * would have to put into memory. */
void instrument_slow(
	uintptr_t function, uintptr_t call_site, uintptr_t pc, uintptr_t sp);

/* A library may have been closed. */
void instrument_look(void);

/* A hook is done, at `ticks`: does what waits for that. */
void instrument_settle(uint64_t ticks);

#endif
