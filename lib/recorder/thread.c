/* SPDX-License-Identifier: MIT */
#include "recorder/thread.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "pack/process.h"
#include "recorder/arena.h"
#include "recorder/forward.h"
#include "recorder/registry.h"
#include "recorder/session_state.h"

/* Longest wait of a stop for threads in the slow path. */
#define STOP_NS INT64_C(2000000000)

/* States that are made together, so that most threads take no lock. */
#define BATCH 16

struct batch {
	_Atomic uint32_t taken; /* may exceed BATCH */
	struct thread states[BATCH];
};

static struct {
	pthread_mutex_t lock;          /* protects reuse, and new batches */
	struct thread *_Atomic unused; /* a stack; taken under the lock */
	struct batch *_Atomic batch;   /* the newest */
	void (*on_end)(const struct thread *thread);
	pthread_key_t key;
	_Atomic bool has_key;
	/* Losses of the recording's threads whose states were reused. */
	_Atomic uint64_t dropped_ranges;
	_Atomic uint64_t dropped_events;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void thread_exit(void *argument);

void thread_on_end(void (*function)(const struct thread *thread))
{
	threads.on_end = function;
}

/* The next record's place without a chunk: past any limit. Not NULL, because a
 * thread that shares its storage with another, as with clone(), may then see a
 * new limit for which NULL is not past the end. */
#define NOWHERE ((uint64_t *)~(uintptr_t)7)

/* Atomic, since the owner's fast path may read it while the background thread
 * acts for a stopped thread. Release, so that a reader that sees it outside of
 * a chunk also sees all that the owner stored there: see thread_may_store(). */
static void set_next(struct thread *thread, uint64_t *next)
{
	__atomic_store_n(&thread->hot.next, next, __ATOMIC_RELEASE);
}

/* Without the lock: the thread may be ending inside a fork. Only one thread at a
 * time takes from the stack, so its top does not return meanwhile. */
static void push_unused(struct thread *thread)
{
	struct thread *top = atomic_load(&threads.unused);

	atomic_store(&thread->alive, false);
	do
		thread->next_unused = top;
	while (!atomic_compare_exchange_weak(&threads.unused, &top, thread));
}

static struct thread *pop_unused(void)
{
	struct thread *top = atomic_load(&threads.unused);

	while (top != NULL && !atomic_compare_exchange_weak(
				      &threads.unused, &top, top->next_unused))
		;
	return top;
}

/* A state of the newest batch; NULL if all are taken. */
static struct thread *take_new(void)
{
	struct batch *batch = atomic_load(&threads.batch);
	uint32_t index;

	/* Otherwise the count could wrap. */
	if (batch == NULL || atomic_load(&batch->taken) >= BATCH)
		return NULL;
	index = atomic_fetch_add(&batch->taken, 1);
	return index < BATCH ? &batch->states[index] : NULL;
}

/* Makes the next batch; the lock is held. */
static bool make_batch(void)
{
	struct batch *batch;

	registry_lock(); /* the arena's */
	batch = arena_alloc(sizeof(*batch));
	registry_unlock();
	if (batch != NULL)
		atomic_store(&threads.batch, batch);
	return batch != NULL;
}

/* Takes the lock: other states are reused, or new ones made. */
static struct thread *find_thread(bool hidden, bool *is_new)
{
	struct thread *thread;

	(void)pthread_mutex_lock(&threads.lock);
	if (!atomic_load(&threads.has_key))
		atomic_store(&threads.has_key,
			pthread_key_create(&threads.key, thread_exit) == 0);
	thread = hidden ? NULL : pop_unused();
	*is_new = thread == NULL;
	/* Threads without the lock may take all of the new batch. */
	while (thread == NULL) {
		thread = take_new();
		if (thread == NULL && !make_batch())
			break;
	}
	(void)pthread_mutex_unlock(&threads.lock);
	return thread;
}

static struct thread *make_thread(bool hidden)
{
	const struct thread_hold before = thread_hold();
	bool is_new = true;
	struct thread *thread = NULL;

	if (hidden || atomic_load(&threads.unused) == NULL)
		thread = take_new();
	if (thread == NULL)
		thread = find_thread(hidden, &is_new);
	if (thread != NULL) {
		thread->hidden = hidden;
		atomic_store(&thread->alive, true);
	}
	if (is_new && thread != NULL)
		thread_list_add(thread);
	thread_release(before);
	return thread;
}

/* False for a thread that hung in the slow path beyond the end of its
 * recording: its data belongs to that recording only. */
static bool is_current(const struct thread *thread)
{
	return session_is(atomic_load(&thread->session));
}

/* A reused state's losses belong to its former thread. */
static void keep_losses(const struct thread *thread)
{
	if (!is_current(thread))
		return;
	atomic_fetch_add(
		&threads.dropped_ranges, atomic_load(&thread->dropped_ranges));
	atomic_fetch_add(
		&threads.dropped_events, atomic_load(&thread->dropped_events));
}

/* Creates the state at a thread's first event, or the first after its state was
 * released. */
static struct thread *attach(void)
{
	struct thread *thread;

	/* Our callees may allocate, and the allocator may be recorded. */
	ctp_self = &thread_muted;
	thread = make_thread(false);
	if (thread == NULL) {
		ctp_self = &thread_none;
		return NULL;
	}
	thread->tid = (uint32_t)syscall(SYS_gettid);
	atomic_store(&thread->named, false);
	thread->forward_depth = 0;
	set_next(thread, NOWHERE);
	keep_losses(thread);
	atomic_store(&thread->session, 0);
	if (threads.has_key)
		(void)pthread_setspecific(threads.key, thread);
	ctp_self = &thread->hot;
	return thread;
}

void thread_join(struct thread *thread, uint64_t session, const char *name)
{
	set_next(thread, NOWHERE);
	thread->hot.limit = NULL;
	thread->end = NULL;
	thread_set_live(thread, NULL, 0);
	thread->seq = 0;
	thread->timeline_dropped = 0;
	thread->pending.begin_count = 0;
	thread->pending.end_count = 0;
	thread->pending.deep = 0;
	(void)snprintf(thread->name, sizeof(thread->name), "%s", name);
	atomic_store(&thread->dropped_ranges, 0);
	atomic_store(&thread->dropped_events, 0);
	atomic_store(&thread->cut_text, 0);
	atomic_store(&thread->unwound_ranges, 0);
	atomic_store(&thread->stray_exits, 0);
	atomic_store(&thread->stalls, 0);
	atomic_store(&thread->stall_ns, 0);
	atomic_store(&thread->timeline, 0);
	atomic_store(&thread->track,
		thread->hidden ? registry_hidden_track()
			       : registry_track(LOG_THREAD, thread->tid, name));
	atomic_store(&thread->session, session);
}

/* Enters the slow path with this state; false if not recording. */
static bool enter(struct thread *thread)
{
	uint64_t session = session_current();
	char name[16] = "";

	/* Threads made by clone() without their own storage look like one
	 * thread to us: the second one's event is dropped. */
	if (atomic_exchange(&thread->busy, 1) != 0)
		return false;
	/* After this load thread_stop_all() either sees us or stopped us. */
	if (session == 0 || __atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) == 0 ||
		!session_is_own()) {
		atomic_store(&thread->busy, 0);
		return false;
	}
	if (atomic_load(&thread->session) != session) {
		(void)prctl(PR_GET_NAME, name);
		forward_end_all(thread);
		thread_join(thread, session, name);
	}
	return true;
}

struct thread *thread_enter(void)
{
	struct thread *thread;

	if (ctp_self == &thread_muted ||
		__atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) == 0)
		return NULL;
	thread = ctp_self == &thread_none ? attach()
					  : (struct thread *)(void *)ctp_self;
	if (thread == NULL)
		return NULL;
	/* The calls below may allocate in a child after fork. */
	ctp_self = &thread_muted;
	if (enter(thread))
		return thread;
	ctp_self = &thread->hot;
	return NULL;
}

void thread_leave(struct thread *thread)
{
	/* If the clock is not the counter, or ranges are forwarded, all events
	 * take the slow path. */
	bool is_fast = session_uses_tsc() && !thread_is_pending(thread) &&
		       !forward_is_on() && is_current(thread) &&
		       atomic_load(&thread->rotate) == 0;

	__atomic_store_n(&thread->hot.limit, is_fast ? thread->end : NULL,
		__ATOMIC_RELAXED);
	ctp_self = &thread->hot;
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

struct thread *thread_new_hidden(void)
{
	struct thread *thread = make_thread(true);

	if (thread != NULL)
		set_next(thread, NOWHERE);
	return thread;
}

bool thread_enter_hidden(struct thread *thread)
{
	return __atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) != 0 && enter(thread);
}

void thread_leave_hidden(struct thread *thread)
{
	atomic_store(&thread->busy, 0);
}

struct chunk_losses thread_losses(const struct thread *thread)
{
	return (struct chunk_losses){atomic_load(&thread->dropped_ranges),
		atomic_load(&thread->dropped_events),
		atomic_load(&thread->cut_text),
		atomic_load(&thread->unwound_ranges),
		atomic_load(&thread->stray_exits)};
}

struct chunk_losses thread_all_losses(bool stopped)
{
	struct chunk_losses all = {
		.dropped_ranges = atomic_load(&threads.dropped_ranges),
		.dropped_events = atomic_load(&threads.dropped_events)};

	for (const struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next) {
		if (!is_current(thread))
			continue;
		all.dropped_ranges += atomic_load(&thread->dropped_ranges);
		all.dropped_events += atomic_load(&thread->dropped_events);
		if (stopped)
			all.dropped_ranges += thread->pending.begin_count +
					      thread->pending.deep +
					      thread->timeline_dropped;
	}
	return all;
}

void thread_forget_losses(void)
{
	atomic_store(&threads.dropped_ranges, 0);
	atomic_store(&threads.dropped_events, 0);
}

/* Releases the live chunk; the background thread reads the rest of it. */
static void retire(struct thread *thread)
{
	struct chunk *chunk = atomic_load(&thread->live);
	uint32_t used;

	if (chunk == NULL)
		return;
	thread_set_live(thread, NULL, 0);
	used = thread_used(thread, chunk);
	set_next(thread, NOWHERE);
	thread->end = NULL;
	if (is_current(thread))
		spool_push_full(session_spool(), chunk, used);
}

/* Others may return memory at any time: only a try after the question whether
 * there is hope is the last. */
static struct chunk *wait_for_chunk(struct thread *thread, size_t words)
{
	int64_t before_ns = clock_raw_ns();
	struct chunk *chunk;
	bool may_wait;

	do {
		may_wait = session_may_wait();
		chunk = session_wait_chunk(words);
	} while (chunk == NULL && may_wait);
	atomic_fetch_add(&thread->stalls, 1);
	atomic_fetch_add(
		&thread->stall_ns, (uint64_t)(clock_raw_ns() - before_ns));
	return chunk;
}

void thread_record_losses(struct thread *thread)
{
	const struct chunk_losses lost = thread_losses(thread);
	struct chunk *chunk = atomic_load(&thread->live);

	if (chunk != NULL)
		spool_set_losses(session_spool(), chunk, &lost);
}

/* Replaces the live chunk by a new one, with room for this number of words; false
 * if all chunks are in use. */
static bool change(struct thread *thread, size_t words)
{
	struct chunk_losses lost;
	struct chunk *chunk;

	atomic_store(&thread->rotate, 0);
	retire(thread);
	if (!is_current(thread))
		return false;
	chunk = session_pop_chunk(words);
	if (chunk == NULL)
		chunk = session_may_wait() ? wait_for_chunk(thread, words)
					   : session_pop_chunk(words);
	if (chunk == NULL)
		return false;
	lost = thread_losses(thread);
	spool_label(session_spool(), chunk, atomic_load(&thread->track),
		thread->seq++, clock_ticks(session_uses_tsc()));
	spool_set_losses(session_spool(), chunk, &lost);
	set_next(thread, chunk->words);
	thread->end = chunk->words + spool_room(session_spool(), chunk);
	thread_set_live(
		thread, chunk, spool_chunk_pages(session_spool(), chunk));
	return true;
}

uint64_t *thread_reserve(struct thread *thread, size_t words)
{
	struct thread_hold before;
	bool changed;

	if (thread->end != NULL && atomic_load(&thread->rotate) == 0 &&
		words <= (size_t)(thread->end - thread->hot.next))
		return thread->hot.next;
	if (thread->end == NULL && !session_may_pop())
		return NULL;
	/* A thread that is cancelled asynchronously must not hold a chunk that
	 * is not in a list. */
	before = thread_hold();
	changed = change(thread, words);
	thread_release(before);
	return changed ? thread->hot.next : NULL;
}

void thread_advance(struct thread *thread, size_t words)
{
	set_next(thread, thread->hot.next + words);
}

void thread_store(struct thread *thread, uint64_t *at, struct chunk_head head,
	const uint64_t *words)
{
	memcpy(at + 1, words, head.words * sizeof(*words));
	__atomic_store_n(at,
		chunk_long(atomic_load(&thread->live), head.kind, head.words,
			head.detail),
		__ATOMIC_RELEASE);
	thread_advance(thread, 1 + head.words);
}

/* Makes the thread replace its chunk at its next event. */
static void rotate(struct thread *thread)
{
	atomic_store(&thread->rotate, 1);
	__atomic_store_n(&thread->hot.limit, NULL, __ATOMIC_RELAXED);
}

void thread_rotate_old(uint64_t now)
{
	for (struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next) {
		const struct chunk *chunk = atomic_load(&thread->live);

		if (chunk != NULL && now - chunk->base > CHUNK_MAX_AGE)
			rotate(thread);
	}
}

/* Words behind the last one of an idle thread that stay in its chunk: it may be
 * about to store one, and others may not be visible yet. That takes less than
 * this long after its limit was taken away. */
#define IDLE_WORDS 128
#define SETTLED_WORDS 8
#define SETTLED_NS INT64_C(10000000)

/*
 * The thread replaces its chunk at its next event. So once it is outside of the
 * slow path, it stores nothing beyond the kept words, which begin at `next`.
 */
static uint32_t trim_idle(struct thread *thread, struct chunk *chunk)
{
	struct spool *spool = session_spool();
	uint32_t before = spool_chunk_pages(spool, chunk);
	int64_t now_ns = clock_raw_ns();
	bool was_idle = atomic_load(&thread->rotate) != 0 &&
			thread->idle_end == thread->idle_next;
	uint32_t after;
	uint32_t used;

	if (!was_idle) {
		thread->idle_end = thread->idle_next;
		thread->idle_ns = now_ns;
	}
	rotate(thread);
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load(&thread->busy) != 0 ||
		atomic_load(&thread->live) != chunk ||
		__atomic_load_n(&thread->hot.next, __ATOMIC_ACQUIRE) !=
			thread->idle_next)
		return 0;
	used = thread_used(thread, chunk);
	used += was_idle && now_ns - thread->idle_ns > SETTLED_NS
			? SETTLED_WORDS
			: IDLE_WORDS;
	spool_trim(spool, chunk, spool_pages(used));
	after = spool_chunk_pages(spool, chunk);
	thread_set_pages(thread, before, after);
	return before - after;
}

uint32_t thread_trim_idle(uint32_t pages)
{
	uint32_t taken = 0;

	for (struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next) {
		struct chunk *chunk = atomic_load(&thread->live);
		uint64_t *next =
			__atomic_load_n(&thread->hot.next, __ATOMIC_ACQUIRE);

		if (chunk != NULL && next == thread->idle_next &&
			is_current(thread) &&
			atomic_load(&thread->live_pages) > pages)
			taken += trim_idle(thread, chunk);
		if (next != thread->idle_next)
			thread->idle_end = NULL;
		thread->idle_next = next;
	}
	return taken;
}

void thread_stop_all(void)
{
	int64_t limit_ns = clock_raw_ns() + STOP_NS;

	for (struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next) {
		/* A signal handler may have left the slow path by a jump. */
		while (atomic_load(&thread->busy) != 0 &&
			clock_raw_ns() < limit_ns)
			(void)sched_yield();
		__atomic_store_n(&thread->hot.limit, NULL, __ATOMIC_RELAXED);
	}
}

void thread_rename_all(void)
{
	char name[PROCESS_THREAD_NAME];
	char number[16];

	for (const struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next) {
		if (thread->hidden || !atomic_load(&thread->alive) ||
			atomic_load(&thread->named) || !is_current(thread))
			continue;
		(void)snprintf(number, sizeof(number), "%" PRIu32, thread->tid);
		if (process_thread_name(number, name))
			registry_rename(atomic_load(&thread->track), LOG_THREAD,
				thread->tid, name);
	}
}

void thread_release_all(void)
{
	/* A thread that hangs in the slow path still uses its chunk. */
	for (struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next)
		if (atomic_load(&thread->busy) == 0)
			thread_set_live(thread, NULL, 0);
}

void thread_forget_others(void)
{
	struct ctp_thread *self = ctp_self;

	(void)pthread_mutex_init(&threads.lock, NULL);
	atomic_store(&threads.unused, NULL);
	for (struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next) {
		atomic_store(&thread->busy, 0);
		atomic_store(&thread->session, 0);
		thread_set_live(thread, NULL, 0);
		thread->hot = (struct ctp_thread){NOWHERE, NULL};
		thread->end = NULL;
		if (&thread->hot != self && !thread->hidden)
			push_unused(thread);
	}
	if (thread_self() != NULL)
		thread_self()->tid = (uint32_t)syscall(SYS_gettid);
}

/* Handles the end of a thread. Destructors of the program's thread-specific
 * data may still record: this creates a new state with another track. */
static void thread_exit(void *argument)
{
	struct thread *thread = argument;
	char name[16] = "";

	if (ctp_self == &thread_muted) { /* cancelled inside the slow path */
		ctp_self = &thread->hot;
		atomic_store(&thread->busy, 0);
	}
	if (ctp_self != &thread->hot)
		return;
	if (threads.on_end != NULL)
		threads.on_end(thread);
	/* If nothing was recorded, nothing should begin now. */
	if (atomic_load(&thread->session) != 0 && thread_enter() != NULL) {
		struct chunk_losses losses;

		thread_finish(thread);
		(void)prctl(PR_GET_NAME, name);
		if (!atomic_load(&thread->named) &&
			strcmp(name, thread->name) != 0)
			registry_rename(atomic_load(&thread->track), LOG_THREAD,
				thread->tid, name);
		retire(thread);
		losses = thread_losses(thread);
		registry_losses(atomic_load(&thread->track), &losses);
		thread_leave(thread);
	}
	/* If recording has stopped, the background thread may be using this
	 * thread's state: leave it unchanged. */
	ctp_self = &thread_none;
	__atomic_store_n(&thread->hot.limit, NULL, __ATOMIC_RELAXED);
	push_unused(thread);
}

/* Longest wait of a thread that ends. */
#define SETTLE_NS INT64_C(1000000000)
#define SETTLE_STEP_NS INT64_C(20000000)

bool thread_flush_pending(struct thread *thread)
{
	struct thread_pending *pending = &thread->pending;
	uint64_t *at;

	if (pending->deep != 0)
		return false;
	for (uint32_t i = 0; i < pending->end_count; i++) {
		at = thread_reserve(thread, 1);
		if (at == NULL) {
			memmove(pending->ends, pending->ends + i,
				(pending->end_count - i) *
					sizeof(pending->ends[0]));
			pending->end_count -= i;
			return false;
		}
		__atomic_store_n(at, pending->ends[i], __ATOMIC_RELEASE);
		thread_advance(thread, 1);
	}
	pending->end_count = 0;
	for (uint32_t i = 0; i < pending->begin_count; i++) {
		const struct thread_begin *begin = &pending->begins[i];

		at = thread_reserve(thread, 3);
		if (at == NULL) {
			memmove(pending->begins, pending->begins + i,
				(pending->begin_count - i) *
					sizeof(pending->begins[0]));
			pending->begin_count -= i;
			return false;
		}
		thread_store(thread, at, (struct chunk_head){CHUNK_BEGIN, 2, 0},
			(uint64_t[]){begin->ticks, begin->site});
	}
	pending->begin_count = 0;
	return true;
}

/* Waits under any policy for the last chance to record pending events: without
 * the ends, the thread's ranges seem to be open. */
void thread_finish(struct thread *thread)
{
	struct thread_pending *pending = &thread->pending;
	int64_t limit_ns = clock_raw_ns() + SETTLE_NS;

	while (!thread_flush_pending(thread) && clock_raw_ns() < limit_ns) {
		/* When recording stops, the background thread does it. */
		if (__atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) == 0)
			return;
		if (session_has_failed())
			break;
		spool_wait_free(session_spool(), SETTLE_STEP_NS);
	}
	/* Without a log, the begins are lost as well, and are counted. */
	if (!session_has_failed())
		atomic_fetch_add(&thread->dropped_events, pending->end_count);
	atomic_fetch_add(
		&thread->dropped_ranges, pending->begin_count + pending->deep);
	pending->end_count = 0;
	pending->begin_count = 0;
	pending->deep = 0;
	atomic_fetch_add(&thread->dropped_ranges, thread->timeline_dropped);
	thread->timeline_dropped = 0;
}
