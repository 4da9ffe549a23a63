/* SPDX-License-Identifier: MIT */
/*
 * The ways into and out of a thread's state: the slow path (a full chunk, a
 * first event, a stop) happens between thread_enter() and thread_leave().
 */
#ifndef THREAD_H
#define THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pack/chunk.h"
#include "recorder/thread_state.h"

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

/* The recording `session` is new to this thread, whose name this is: gives it
 * a track there. */
void thread_join(struct thread *thread, uint64_t session, const char *name);

/* Room for `words` words in the live chunk, or in a new one; NULL if there is
 * none and the policy is not to wait. Between enter and leave. */
uint64_t *thread_reserve(struct thread *thread, size_t words);

/* The thread stored `words` words at the place that thread_reserve()
 * returned. */
void thread_advance(struct thread *thread, size_t words);

/* All that this thread lost in the recording that is on. */
struct chunk_losses thread_losses(const struct thread *thread);

/* Has the live chunk say it, so that it is known even if the thread is killed
 * before it takes the next. Between enter and leave. */
void thread_record_losses(struct thread *thread);

/* Stores a long record of numbers at what thread_reserve() returned. */
void thread_store(struct thread *thread, uint64_t *at, struct chunk_head head,
	const uint64_t *words);

/* Tries to record what was held back. By the thread itself; or by the
 * background thread, once thread_stop_all() has stopped it. */
bool thread_flush_pending(struct thread *thread);

/* The same for a thread that ends, which waits a while for room; the rest is
 * counted as lost. */
void thread_finish(struct thread *thread);

/* Calls this when a thread that has recorded ends, and may still record. Set
 * before the first event is. */
void thread_on_end(void (*function)(const struct thread *thread));

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

/* In a child after fork: the other threads are gone. */
void thread_forget_others(void);

#endif
