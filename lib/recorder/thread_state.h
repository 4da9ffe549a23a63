/* SPDX-License-Identifier: MIT */
/* The recorder's state per thread, and the mark of a thread inside the
 * recorder. */
#ifndef THREAD_STATE_H
#define THREAD_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "pack/chunk.h"
#include "ctprof.h"

/* Largest depth of ranges that are remembered without room, and largest number
 * of ends of recorded ranges. */
#define THREAD_PENDING 256

/* Largest depth of forwarded ranges. */
#define THREAD_FORWARD_DEPTH 1024

struct thread_begin {
	uint64_t ticks;
	uint32_t site;
};

/*
 * Events during a time without room. Ranges that began and ended within it are
 * dropped. The others are recorded late, with their own times, so that the
 * thread's nesting stays consistent: first the ends of recorded ranges, then
 * the begins of ranges still open.
 */
struct thread_pending {
	uint32_t begin_count; /* beside the state's other counts: one page */
	uint32_t end_count;
	uint32_t deep; /* open ranges beyond those in begins */
	struct thread_begin begins[THREAD_PENDING];
	uint64_t ends[THREAD_PENDING];
};

struct thread {
	struct ctp_thread hot;       /* must be first: ctp_self points at it */
	uint64_t *end;               /* of the live chunk */
	struct chunk *_Atomic live;  /* NULL: none */
	_Atomic uint32_t live_pages; /* its memory */
	uint64_t *idle_next;     /* `next` at the last look at idle threads, */
	uint64_t *idle_end;      /* and when the limit was taken away for it: */
	int64_t idle_ns;         /* at this time */
	_Atomic uint32_t busy;   /* in the slow path */
	_Atomic uint32_t rotate; /* change the chunk at the next event */
	_Atomic uint64_t session; /* recording of `live` and `track` */
	_Atomic bool alive;       /* false: can be reused for a new thread */
	_Atomic uint32_t track;
	_Atomic uint32_t timeline; /* track of ctp_begin_at(); 0: none yet */
	uint32_t timeline_dropped; /* its open ranges without room */
	uint64_t seq;              /* of the next chunk */
	uint32_t tid;
	_Atomic bool named; /* by ctp_thread_name() */
	bool hidden; /* not a thread of the program: its track has no record */
	_Atomic uint32_t dropped_ranges;
	_Atomic uint32_t dropped_events;
	_Atomic uint32_t cut_text;
	_Atomic uint32_t unwound_ranges;
	_Atomic uint32_t stray_exits;
	_Atomic uint64_t stalls;
	_Atomic uint64_t stall_ns;
	uint32_t forward_depth; /* open ranges, while forwarding is on; */
	uint64_t forwarded[THREAD_FORWARD_DEPTH / 64]; /* those it knows */
	struct thread *next; /* in the list of all; never removed */
	struct thread *next_unused;
	char name[16]; /* of `track`'s record */
	struct thread_pending pending;
};

/* A thread that has not recorded yet, and one that is not recorded: both have
 * no room, so every event takes the slow path. */
extern struct ctp_thread thread_none;
extern struct ctp_thread thread_muted;

/* The calling thread's state; NULL if there is none, or the thread is inside
 * the recorder. */
struct thread *thread_self(void);

/* Stops recording the calling thread's own events. */
void thread_mute(void);

/*
 * Call it before taking one of our locks outside the slow path. Until the
 * release, the calling thread is not cancelled, since it may call cancellation
 * points,
 * and its events are not recorded: what it calls may allocate, and the
 * allocator may be recorded.
 */
struct thread_hold {
	struct ctp_thread *self;
	int type;  /* of cancellation, */
	int state; /* and whether it is enabled */
};

struct thread_hold thread_hold(void);
void thread_release(struct thread_hold before);

/* The list of all threads that ever recorded; adds one. */
struct thread *thread_first(void);
void thread_list_add(struct thread *thread);

/* Sets a thread's live chunk, which has this number of pages. */
void thread_set_live(
	struct thread *thread, struct chunk *chunk, uint32_t pages);

/* The chunks that threads have, and the pages of these. */
uint32_t thread_live_chunks(void);
uint32_t thread_live_pages(void);

/* Its chunk has fewer pages by now, unless it has another one. */
void thread_set_pages(struct thread *thread, uint32_t before, uint32_t pages);

/*
 * Whether this thread may be about to store a record there, because it found
 * room before recording stopped. The fast path stores the record and advances
 * `next` past it, and other threads may see these in reverse order. So if
 * `next` is at the end of the chunk, the last record may not be there yet.
 */
static inline bool thread_may_store(
	const struct thread *thread, const void *address, size_t bytes)
{
	uintptr_t next =
		(uintptr_t)__atomic_load_n(&thread->hot.next, __ATOMIC_ACQUIRE);

	return atomic_load(&thread->alive) &&
	       next - (uintptr_t)address <= bytes;
}

/* The same for all threads. */
bool thread_any_may_store(const void *address, size_t bytes);

/* Words stored in this chunk, if it is the thread's live one. */
static inline uint32_t thread_used(
	const struct thread *thread, const struct chunk *chunk)
{
	uintptr_t next =
		(uintptr_t)__atomic_load_n(&thread->hot.next, __ATOMIC_ACQUIRE);
	uintptr_t used = next - (uintptr_t)chunk->words;

	return used <= sizeof(chunk->words) ? (uint32_t)(used / 8) : 0;
}

/* Whether this thread has pending events for lack of room. */
static inline bool thread_is_pending(const struct thread *thread)
{
	return thread->pending.begin_count != 0 ||
	       thread->pending.end_count != 0 || thread->pending.deep != 0;
}

/* Whether the calling thread is inside the slow path, interrupted by a signal.
 * It may hold any lock then. */
bool thread_is_inside(void);

#endif
