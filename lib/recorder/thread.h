/* SPDX-License-Identifier: MIT */
/*
 * Access to a thread's state: the slow path (a full chunk, a first event, a
 * stop) is between thread_enter() and thread_leave().
 */
#ifndef THREAD_H
#define THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pack/chunk.h"
#include "recorder/thread_state.h"

/*
 * Enters the slow path: returns this thread's state in the current recording,
 * created at its first event. NULL if not recording, or if this thread is not
 * recorded (the background thread, or a thread already inside this function).
 */
struct thread *thread_enter(void);
void thread_leave(struct thread *thread);

/*
 * Creates, once, a state without a thread, whose chunks receive records that do
 * not belong to a thread. NULL if out of memory. The caller ensures that one
 * thread at a time uses it; enter returns false if not recording.
 */
struct thread *thread_new_hidden(void);
bool thread_enter_hidden(struct thread *thread);
void thread_leave_hidden(struct thread *thread);

/* Gives this thread a track of this name in the recording `session`, which is
 * new to it. */
void thread_join(struct thread *thread, uint64_t session, const char *name);

/* Room for `words` words in the live chunk, or in a new one; NULL if there is
 * none and the policy is not to wait. Between enter and leave. */
uint64_t *thread_reserve(struct thread *thread, size_t words);

/* The thread stored `words` words at the place that thread_reserve()
 * returned. */
void thread_advance(struct thread *thread, size_t words);

/* This thread's total losses in the current recording. */
struct chunk_losses thread_losses(const struct thread *thread);

/* The sum of all threads' dropped ranges and events; with those that are pending
 * if thread_stop_all() has stopped them. By the background thread. */
struct chunk_losses thread_all_losses(bool stopped);

/* Stores them in the live chunk, so that they are known even if the thread is
 * killed before it takes the next. Between enter and leave. */
void thread_record_losses(struct thread *thread);

/* Stores a long record of numbers at the place from thread_reserve(). */
void thread_store(struct thread *thread, uint64_t *at, struct chunk_head head,
	const uint64_t *words);

/* Tries to record pending events. Called by the thread itself, or by the
 * background thread once thread_stop_all() has stopped it. */
bool thread_flush_pending(struct thread *thread);

/* The same for a thread that ends, which waits a while for room; the rest is
 * counted as lost. */
void thread_finish(struct thread *thread);

/* Sets the function called when a thread that has recorded ends, which may
 * still record. Set it before the first event. */
void thread_on_end(void (*function)(const struct thread *thread));

/* Makes threads whose chunks are old at `now` replace them at their next
 * event. */
void thread_rotate_old(uint64_t now);

/* Takes the unused memory of chunks of more than `pages` pages from threads that
 * have recorded nothing since the last call. Returns its pages. By the background
 * thread. */
uint32_t thread_trim_idle(uint32_t pages);

/* Waits until no other thread is in the slow path, which the caller closed by
 * ctp_on = 0, and makes every thread take it next. */
void thread_stop_all(void);

/* After that: records the names of living threads. Most programs name a thread
 * in its first function, which was recorded before. */
void thread_rename_all(void);

/* Releases all threads' chunks after recording is over and packed. */
void thread_release_all(void);

/* When a recording begins: none are lost yet. */
void thread_forget_losses(void);

/* In a child after fork: the other threads are gone. */
void thread_forget_others(void);

#endif
