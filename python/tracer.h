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
#include "threads.h"

struct tracer_options {
	bool setprofile; /* rather than monitoring */
	bool c_calls;
	bool all_calls; /* also C callables that cProfile does not show */
	bool gc;
	bool imports;
	bool tasks;
	bool modules;
	bool parameters;
	int depth;       /* limit of frames found at the start */
	int max_depth;   /* of recorded calls; 0: no limit */
	int args_length; /* limit of a value's text, in characters */
	int skip; /* innermost frames of the starting thread: not found */
	PyObject *include; /* tuples of str, borrowed */
	PyObject *exclude;
	PyObject *args; /* functions whose values are recorded */
};

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

/* The end of a Python function's call, or of a generator's step. */
struct tracer_outcome {
	enum { TRACER_RETURN, TRACER_YIELD, TRACER_RAISE } kind;
	PyObject *value; /* or the exception; NULL: unknown */
};

/* Ends a call that tracer_exit() did not end: it may not be the top. */
void tracer_exit_slow(const void *identity, struct tracer_outcome outcome);
void tracer_c_exit_slow(const void *identity);

/* Counts that another profiler replaced ours. */
void tracer_replaced(void);

/* The cache entry; NULL if not cached. */
static inline __attribute__((always_inline)) const struct tracer_slot *
tracer_find(
	struct tracer_thread *thread, const void *identity, const void *place)
{
	const struct tracer_slot *slot = threads_slot(thread, identity, place);

	if (TRACER_LIKELY(slot->identity == identity && slot->place == place))
		return slot;
	slot = threads_other_slot(slot);
	return slot->identity == identity && slot->place == place ? slot : NULL;
}

/*
 * Joins nothing and calls nothing, so that a listener that ends with the slow
 * half saves no registers. False: nothing was done; call the slow
 * half.
 */

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
	/* Two plain stores: the compiler would make one of a vector, which
	 * takes longer to fill, and to forward to the loads of the end. */
	__atomic_store_n(&call->identity, identity, __ATOMIC_RELAXED);
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
