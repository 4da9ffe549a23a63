/* SPDX-License-Identifier: MIT */
/* The threads that the tracer has seen, with the stack of calls and the cache of
 * sites of each. */
#ifndef PYTHON_THREADS_H
#define PYTHON_THREADS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

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
	/* First, so that a slot is an index and no more. */
	_Alignas(64) struct tracer_slot slots[TRACER_SLOTS];
	struct tracer_call *top;   /* the innermost; the first is not a call */
	struct tracer_call *limit; /* recorded calls stay below it */
	struct tracer_call *end;   /* of the memory; top stays below it */
	size_t max_depth;          /* of recorded calls; 0: no limit */
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
	struct line_tables line_tables; /* of callers that are callees */
};

/* The number of the current trace; 0: none. */
extern uint32_t tracer_on;

/* A single pointer, since thread-local storage of a loaded module has no room
 * for large blocks. */
extern __thread struct tracer_thread *tracer_self
	__attribute__((tls_model("initial-exec")));

/* The calling thread's, created at first use. NULL if out of memory. Does not
 * touch Python; exceptions stay as they are. */
struct tracer_thread *threads_self(void);

/* Has the thread joined the trace that is on? */
static inline __attribute__((always_inline)) bool tracer_is_in(
	const struct tracer_thread *thread)
{
	return TRACER_LIKELY(
		thread != NULL &&
		thread->trace == __atomic_load_n(&tracer_on, __ATOMIC_RELAXED));
}

/* Increments a counter of a thread; only that thread may call this. */
static inline void threads_count(uint64_t *counter)
{
	__atomic_store_n(counter,
		__atomic_load_n(counter, __ATOMIC_RELAXED) + 1,
		__ATOMIC_RELAXED);
}

/* Adds an entry to the calling thread's cache. */
void threads_cache(
	struct tracer_thread *thread, const struct tracer_slot *entry);

/* Removes these calls from all threads' caches; or what they know of a code
 * object. Its code is freed, so that no thread looks for it meanwhile. */
void threads_forget_call(const void *identity, const void *place);
void threads_forget_code(const void *code);

/* The counts of all threads since the last call. */
struct tracer_counts threads_collect_counts(void);

/* Copies the calling thread's name from `threading` to the log, if it has one
 * there that the log does not have yet. Clears exceptions. */
void threads_name(struct tracer_thread *thread);

/* Makes room. False if there is none; then the call is not on the stack. */
bool threads_grow(struct tracer_thread *thread);

/* Sets `limit`: deeper calls take the slow half, which leaves them out. */
void threads_set_limit(struct tracer_thread *thread);

/* Puts a call on the stack and records it. */
static inline void threads_push(struct tracer_thread *thread,
	const void *identity, struct ctp_site *site)
{
	struct tracer_call *call = thread->top + 1;

	if (!TRACER_LIKELY(call < thread->end)) {
		if (!threads_grow(thread))
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
static inline __attribute__((always_inline)) struct tracer_slot *threads_slot(
	struct tracer_thread *thread, const void *identity, const void *place)
{
	return &thread->slots[ptr_map_hash(identity, place) >>
			      (64 - TRACER_SLOT_BITS)];
}

/* The slot for a displaced entry: the other half of the cache line. */
static inline __attribute__((always_inline)) struct tracer_slot *
threads_other_slot(const struct tracer_slot *slot)
{
	return (struct tracer_slot *)((uintptr_t)slot ^ sizeof(*slot));
}

#endif
