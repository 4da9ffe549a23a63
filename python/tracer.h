/* SPDX-License-Identifier: MIT */
/*
 * The tracer: keeps the calls that the hooks report on a stack for each thread
 * and records them with libctprof.
 *
 * The interpreter's events do not always balance (bound methods of C functions
 * lack one half in several versions; a trace may begin anywhere). So each call
 * stays on the stack with its identity, and an end that does not belong to the
 * top is looked into before anything is recorded: logs are always well nested.
 */
#ifndef PYTHON_TRACER_H
#define PYTHON_TRACER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "callee.h"
#include "ctprof.h"
#include "line_table.h"
#include "ptr_map.h"

#define TRACER_LIKELY(condition) __builtin_expect(!!(condition), 1)

enum {
	TRACER_SLOT_BITS = 12, /* of a thread's cache of sites; 128 KiB */
	TRACER_SLOTS = 1 << TRACER_SLOT_BITS,
	TRACER_NAME_MAX = 64,
};

/* An open call or range. */
struct tracer_call {
	const void *identity;
	struct ctp_site *site; /* NULL: not recorded */
};

/*
 * A cache entry for calls of `identity` from `place`, half a cache line. The
 * tag is a copy of the site's, which never changes: so a call reads only this
 * line, and not the site's.
 */
struct tracer_slot {
	const void *identity; /* NULL: free */
	const void *place;
	struct ctp_site *site; /* NULL: not recorded */
	uint64_t tag;
};

/* Events that should not happen, but do. */
struct tracer_counts {
	uint64_t exits_dropped;  /* the call was never entered */
	uint64_t calls_unwound;  /* the call's own exit never came */
	uint64_t calls_lost;     /* for lack of memory */
	uint64_t hooks_replaced; /* another profiler replaced ours */
};

/* The tracer's state of a thread; only that thread touches it. */
struct tracer_thread {
	struct tracer_call *top;   /* the innermost; the first is not a call */
	struct tracer_call *limit; /* top stays below it */
	uint32_t trace;            /* the trace it has joined; 0: none */
	uint32_t session;          /* the recording, see tracer_session() */
	struct tracer_call *calls;
	size_t base;    /* depth before the trace: open ranges */
	size_t startup; /* depth with the frames found at the start */
	struct tracer_counts counts;
	uint32_t new_calls;         /* that were not in the cache */
	bool has_greenlets;         /* and our switch function is set */
	char name[TRACER_NAME_MAX]; /* as in the log */
	struct tracer_thread *next;
	struct line_tables
		line_tables; /* of callers that callee_find() keeps */
	_Alignas(64) struct tracer_slot slots[TRACER_SLOTS];
};

struct tracer_options {
	bool setprofile; /* rather than monitoring */
	bool c_calls;
	bool all_calls; /* also C callables that cProfile does not show */
	bool gc;
	bool imports;
	bool tasks;
	bool modules;
	bool parameters;
	int depth;         /* limit of frames found at the start */
	PyObject *include; /* tuples of str, borrowed */
	PyObject *exclude;
};

/* The number of the current trace; 0: none. */
extern uint32_t tracer_on;

/* A single pointer, since thread-local storage of a loaded module has no room
 * for large blocks. */
extern __thread struct tracer_thread *tracer_self
	__attribute__((tls_model("initial-exec")));

/* Starts tracing in all threads. -1 with an exception. */
int tracer_start(const struct tracer_options *options);

/* Stops, and ends what is open in this thread. -1 with an exception. */
int tracer_stop(struct tracer_counts *counts);

/* A recording begins, or is about to end: its open calls do not carry over to
 * the next. */
void tracer_session(void);

/* A number unique among the asynchronous ranges of this process; not 0. */
uint64_t tracer_number(void);

/* Begins a range that nests with the calls; also when no trace is on. The
 * identity is any even address that only this range uses while it is open;
 * `seq` (may be NULL) is the range's sequence number. */
void tracer_begin(
	struct ctp_site *site, const void *identity, const int64_t *seq);

/* Ends the range and all that is still open inside it; or, if it has outlived
 * its function in any thread, its asynchronous range. False if it is not
 * open. */
bool tracer_end(const void *identity);

/* ------------------------------------------------------------------------
 * For the hooks. All of these may be called with an exception set.
 */

struct tracer_options tracer_options(void);

/* Enters a call that tracer_enter() did not enter: joins the thread to the
 * trace, finds or creates the site, makes room. */
void tracer_enter_slow(const struct callee_seen *seen, const void *place);

/* Ends a call that tracer_exit() did not end: it may not be the top. `result`:
 * of a Python function; NULL if it raised, or if not known. */
void tracer_exit_slow(const void *identity, PyObject *result);
void tracer_c_exit_slow(const void *identity);

/* Counts that another profiler replaced ours. */
void tracer_replaced(void);

/* Makes room. False if there is none; then the call is not on the stack. */
bool tracer_grow(struct tracer_thread *thread);

/* Puts a call on the stack and records it. */
static inline void tracer_push(struct tracer_thread *thread,
	const void *identity, struct ctp_site *site)
{
	struct tracer_call *call = thread->top + 1;

	if (!TRACER_LIKELY(call < thread->limit)) {
		if (!tracer_grow(thread))
			return;
		call = thread->top + 1;
	}
	thread->top = call;
	call->identity = identity;
	call->site = site;
	/* Last, so that the measured time is the call's and not ours. */
	if (site != NULL && !ctp_begin_inline(site))
		call->site = NULL;
}

/* The cache slot for calls of `identity` from `place`. */
static inline __attribute__((always_inline)) struct tracer_slot *tracer_slot(
	struct tracer_thread *thread, const void *identity, const void *place)
{
	return &thread->slots[ptr_map_hash(identity, place) >>
			      (64 - TRACER_SLOT_BITS)];
}

/* The slot for a displaced entry: the other half of the cache line. */
static inline __attribute__((always_inline)) struct tracer_slot *
tracer_other_slot(const struct tracer_slot *slot)
{
	return (struct tracer_slot *)((uintptr_t)slot ^ sizeof(*slot));
}

/* The cache entry; NULL if not cached. */
static inline __attribute__((always_inline)) const struct tracer_slot *
tracer_find(
	struct tracer_thread *thread, const void *identity, const void *place)
{
	const struct tracer_slot *slot = tracer_slot(thread, identity, place);

	if (TRACER_LIKELY(slot->identity == identity && slot->place == place))
		return slot;
	slot = tracer_other_slot(slot);
	return slot->identity == identity && slot->place == place ? slot : NULL;
}

/*
 * Joins nothing and calls nothing, so that a listener that ends with the slow
 * half saves no registers. False: nothing is done, and the slow half is to be
 * called.
 */

static inline __attribute__((always_inline)) bool tracer_is_in(
	const struct tracer_thread *thread)
{
	return TRACER_LIKELY(
		thread != NULL &&
		thread->trace == __atomic_load_n(&tracer_on, __ATOMIC_RELAXED));
}

/*
 * Enters a call from `place`: any address that is the same for the same
 * instruction, and distinct among the calls of this callee, as long as their
 * code lives.
 */
static inline __attribute__((always_inline)) bool tracer_enter(
	const void *identity, const void *place)
{
	struct tracer_thread *thread = tracer_self;
	const struct tracer_slot *slot;
	struct tracer_call *call;

	if (!tracer_is_in(thread))
		return false;
	slot = tracer_find(thread, identity, place);
	call = thread->top + 1;
	if (!TRACER_LIKELY(slot != NULL && call < thread->limit))
		return false;
	call->identity = identity;
	call->site = slot->site;
	/* Last, so that the measured time is the call's and not ours. */
	if (slot->site != NULL &&
		!TRACER_LIKELY(slot->tag != 0 && ctp_store_inline(slot->tag)))
		return false;
	thread->top = call;
	return true;
}

/* Ends the call if it is the top. */
static inline __attribute__((always_inline)) bool tracer_exit(
	const void *identity)
{
	struct tracer_thread *thread = tracer_self;
	struct tracer_call *top;

	if (!tracer_is_in(thread))
		return false;
	top = thread->top;
	if (!TRACER_LIKELY(top->identity == identity))
		return false;
	if (top->site != NULL && !TRACER_LIKELY(ctp_store_inline(0)))
		return false;
	thread->top = top - 1;
	return true;
}

#endif
