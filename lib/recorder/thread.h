/* SPDX-License-Identifier: MIT */
/*
 * What the recorder keeps for each thread, and the ways in and out of it: the
 * slow path (a full chunk, a first event, a stop) happens between
 * thread_enter() and thread_leave().
 */
#ifndef THREAD_H
#define THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pack/chunk.h"
#include "ctprof.h"

/* Ranges that begin while there is no room are remembered up to this depth,
 * and ends of recorded ranges up to this many. */
#define THREAD_PENDING 256

/* Another tool is told of ranges down to this depth. */
#define THREAD_FORWARD_DEPTH 1024

struct thread_begin {
	uint64_t ticks;
	uint32_t site;
};

/*
 * What happened while there was no room. Ranges that began and ended within
 * are dropped. The rest is recorded late, with its own times, so that the
 * thread's nesting stays whole: first the ends of ranges that were recorded,
 * then the begins of ranges that are still open.
 */
struct thread_pending {
	struct thread_begin begins[THREAD_PENDING];
	uint64_t ends[THREAD_PENDING];
	uint32_t begin_count;
	uint32_t end_count;
	uint32_t deep; /* open ranges beyond those in begins */
};

struct thread {
	struct ctp_thread hot;      /* must be first: ctp_self points at it */
	uint64_t *end;              /* of the live chunk */
	struct chunk *_Atomic live; /* NULL: none */
	_Atomic uint32_t busy;      /* in the slow path */
	_Atomic uint32_t rotate;    /* change the chunk at the next event */
	_Atomic uint64_t session;   /* that `live` and `track` belong to */
	_Atomic bool alive;         /* false: may be used for a new thread */
	_Atomic uint32_t track;
	_Atomic uint32_t timeline; /* track of ctp_begin_at(); 0: none yet */
	uint32_t timeline_dropped; /* its open ranges without room */
	uint64_t seq;              /* of the next chunk */
	uint32_t tid;
	_Atomic bool named; /* by ctp_thread_name() */
	bool hidden; /* no thread of the program: its track has no record */
	_Atomic uint32_t dropped_ranges;
	_Atomic uint32_t dropped_events;
	_Atomic uint32_t cut_text;
	_Atomic uint32_t unwound_ranges;
	_Atomic uint32_t stray_exits;
	_Atomic uint64_t stalls;
	_Atomic uint64_t stall_ns;
	uint32_t forward_depth; /* open ranges, while a tool is told, */
	uint64_t forwarded[THREAD_FORWARD_DEPTH /
			   64]; /* and who knows of them */
	struct thread *next;    /* in the list of all; never removed */
	struct thread_pending pending;
};

/*
 * Into the slow path: this thread's state, in the current recording, made at
 * the thread's first event. NULL if not recording, or if this thread is not
 * to be recorded (the background thread; a thread inside this very function).
 */
struct thread *thread_enter(void);
void thread_leave(struct thread *thread);

/*
 * A state that belongs to no thread, made once: records that are nobody's
 * events go through its chunks. NULL if out of memory. The caller sees to it
 * that one thread at a time is in it; enter gives false if not recording.
 */
struct thread *thread_new_hidden(void);
bool thread_enter_hidden(struct thread *thread);
void thread_leave_hidden(struct thread *thread);

/* The calling thread's state; NULL if it has none, or is inside. */
struct thread *thread_self(void);

/* The recording `session` is new to this thread, whose name this is: gives it
 * a track there. */
void thread_join(struct thread *thread, uint64_t session, const char *name);

/* Room for `words` words in the live chunk, or in a new one; NULL if there is
 * none and the policy is not to wait. Between enter and leave. */
uint64_t *thread_reserve(struct thread *thread, size_t words);

/* The thread stored so many words at what thread_reserve() returned. */
void thread_advance(struct thread *thread, size_t words);

/* All that this thread lost in the recording that is on. */
struct chunk_losses thread_losses(const struct thread *thread);

/* Has the live chunk say it, so that it is known even if the thread is killed
 * before it takes the next. Between enter and leave. */
void thread_note_losses(struct thread *thread);

/* Stores a long record of numbers at what thread_reserve() returned. */
void thread_store(struct thread *thread, uint64_t *at, struct chunk_head head,
	const uint64_t *words);

/*
 * May this thread be about to store a record there, as it was found to have
 * room before recording stopped? The fast path stores the record and moves
 * `next` past it, which other threads may see in the other order: so where
 * `next` is the end of it all, the last record may not be there yet.
 */
static inline bool thread_may_store(
	const struct thread *thread, const void *address, size_t bytes)
{
	uintptr_t next =
		(uintptr_t)__atomic_load_n(&thread->hot.next, __ATOMIC_ACQUIRE);

	return atomic_load(&thread->alive) &&
	       next - (uintptr_t)address <= bytes;
}

/* The same of all threads. */
bool thread_any_may_store(const void *address, size_t bytes);

/* Words of this chunk that the thread has stored, if it is its live one. */
static inline uint32_t thread_used(
	const struct thread *thread, const struct chunk *chunk)
{
	uintptr_t next =
		(uintptr_t)__atomic_load_n(&thread->hot.next, __ATOMIC_ACQUIRE);
	uintptr_t used = next - (uintptr_t)chunk->words;

	return used <= sizeof(chunk->words) ? (uint32_t)(used / 8) : 0;
}

/* Does this thread's state hold back events, for want of room? */
static inline bool thread_is_pending(const struct thread *thread)
{
	return thread->pending.begin_count != 0 ||
	       thread->pending.end_count != 0 || thread->pending.deep != 0;
}

/* Tries to record what was held back. By the thread itself; or by the
 * background thread, once thread_stop_all() has stopped it. */
bool thread_flush_pending(struct thread *thread);

/* The same for a thread that ends, which waits a while for room; the rest is
 * counted as lost. */
void thread_settle(struct thread *thread);

/* The calling thread's own events are not to be recorded from now on. */
void thread_mute(void);

/*
 * The calling thread is to take a lock of ours outside the slow path. Until it
 * is released, it is not cancelled - what it calls may be a cancellation point
 * - and its events are not recorded: what it calls may allocate, and the
 * allocator may be recorded.
 */
struct thread_hold {
	struct ctp_thread *self;
	int type;  /* of cancellation, */
	int state; /* and whether it is enabled */
};

struct thread_hold thread_hold(void);
void thread_release(struct thread_hold before);

/* All threads that ever recorded. */
struct thread *thread_first(void);

/* Has threads whose chunks are old at `now` change them at their next event. */
void thread_rotate_old(uint64_t now);

/* Waits until no other thread is in the slow path, having stopped new ones by
 * ctp_on = 0, and makes every thread take the slow path next. */
void thread_stop_all(void);

/* After that: tells what threads are called that live on. Most programs name
 * one in its first function, which was recorded before. */
void thread_rename_all(void);

/* Recording is over and packed: no thread holds a chunk any more. */
void thread_release_all(void);

/* Is the calling thread inside the slow path, which a signal interrupted? Then
 * it may hold any lock. */
bool thread_is_inside(void);

/* In a child after fork: the other threads are gone. */
void thread_forget_others(void);

#endif
