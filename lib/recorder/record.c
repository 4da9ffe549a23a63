/* SPDX-License-Identifier: MIT */
/*
 * The recording calls. The hot path (a range begins or ends, with room)
 * is inline in ctprof_inline.h and takes no lock, memory or system
 * call; the rest comes here.
 */
#include <string.h>

#include "base/clock.h"
#include "ctprof.h"
#include "recorder/forward.h"
#include "recorder/record.h"
#include "recorder/registry.h"
#include "recorder/session_state.h"
#include "recorder/thread.h"

/* Key and value of an argument together. */
#define TEXT_MAX 16000

/* Tries of an end with the program's own time to get room. */
#define END_TRIES 100
#define END_WAIT_NS INT64_C(10000000)

void ctp_begin(struct ctp_site *site)
{
	(void)ctp_begin_inline(site);
}

void ctp_end(void)
{
	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return;
	ctp_end_inline();
}

struct ctp_site *ctp_site_intern(
	const char *name, const char *file, uint32_t line)
{
	return registry_intern(
		&(struct ctp_site_info){.size = sizeof(struct ctp_site_info),
			.name = name,
			.file = file,
			.line = line});
}

struct ctp_site *ctp_site_intern_info(const struct ctp_site_info *info)
{
	return registry_intern(info);
}

uint32_t record_site(struct ctp_site *site)
{
	uint64_t tag = __atomic_load_n(&site->tag, __ATOMIC_RELAXED);

	return tag != 0 ? (uint32_t)(tag >> CTP_TICK_BITS)
			: registry_site(site);
}

static uint64_t now(void)
{
	return clock_stamp(session_uses_tsc());
}

/* Without room: remembers the range, see struct thread_pending. */
static void begin_pending(struct thread *thread, uint32_t site, uint64_t ticks)
{
	struct thread_pending *pending = &thread->pending;

	if (pending->deep == 0 && pending->begin_count < THREAD_PENDING)
		pending->begins[pending->begin_count++] =
			(struct thread_begin){ticks, site};
	else
		pending->deep++;
}

/* Only the thread itself changes the count: no locked instruction. */
static void count_dropped(struct thread *thread)
{
	uint32_t count = atomic_load_explicit(
		&thread->dropped_ranges, memory_order_relaxed);

	atomic_store_explicit(
		&thread->dropped_ranges, count + 1, memory_order_relaxed);
}

static void end_pending(struct thread *thread, uint64_t ticks)
{
	struct thread_pending *pending = &thread->pending;

	if (pending->deep != 0) {
		pending->deep--;
		count_dropped(thread);
	} else if (pending->begin_count != 0) {
		pending->begin_count--;
		count_dropped(thread);
	} else if (pending->end_count < THREAD_PENDING) {
		pending->ends[pending->end_count++] = ticks;
	} else {
		/* Its range ends with an outer one. */
		atomic_fetch_add(&thread->dropped_events, 1);
	}
}

uint64_t *record_reserve(struct thread *thread, size_t words)
{
	if (thread_is_pending(thread) && !thread_flush_pending(thread))
		return NULL;
	return thread_reserve(thread, words);
}

uint64_t record_begin(struct thread *thread, uint32_t number, uint64_t ticks)
{
	uint64_t *at = record_reserve(thread, 3);

	if (ticks == 0)
		ticks = now();
	if (at == NULL) {
		begin_pending(thread, number, ticks);
	} else if (number < CHUNK_ID_LONG) {
		__atomic_store_n(at,
			((uint64_t)number << CTP_TICK_BITS) + ticks,
			__ATOMIC_RELEASE);
		thread_advance(thread, 1);
	} else {
		thread_store(thread, at, (struct chunk_head){CHUNK_BEGIN, 2, 0},
			(uint64_t[]){ticks, number});
	}
	return ticks;
}

uint64_t record_end(struct thread *thread, uint64_t ticks)
{
	/* The end of a pending range cancels it; making room first would record
	 * the range unnecessarily. */
	uint64_t *at =
		thread_is_pending(thread) ? NULL : record_reserve(thread, 1);

	if (ticks == 0)
		ticks = now();
	if (at == NULL) {
		end_pending(thread, ticks);
		(void)thread_flush_pending(thread);
	} else {
		__atomic_store_n(at, ticks, __ATOMIC_RELEASE);
		thread_advance(thread, 1);
	}
	return ticks;
}

static int begin_slow(struct ctp_site *site, const int64_t *seq)
{
	struct thread *thread = thread_enter();
	uint32_t number;

	if (thread == NULL)
		return 0;
	number = record_site(site);
	forward_begin(thread, number, seq); /* with the caller's time */
	(void)record_begin(thread, number, 0);
	thread_leave(thread);
	return 1;
}

int ctp_begin_slow(struct ctp_site *site)
{
	return begin_slow(site, NULL);
}

int ctp_begin_seq(struct ctp_site *site, int64_t seq)
{
	int opened;

	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return 0;
	/* A thread with room does not forward. */
	opened = __atomic_load_n(&ctp_self->limit, __ATOMIC_RELAXED) != NULL
			 ? ctp_begin_inline(site)
			 : begin_slow(site, &seq);
	if (opened)
		ctp_arg_int("seq", seq);
	return opened;
}

void ctp_end_slow(void)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	(void)record_end(thread, 0);
	forward_end(thread);
	thread_leave(thread);
}

/* Stores a long record of up to four words whose first is the time. */
static void store(
	struct thread *thread, struct chunk_head head, const uint64_t *words)
{
	uint64_t *at = record_reserve(thread, 1 + head.words);

	if (at == NULL)
		atomic_fetch_add(&thread->dropped_events, 1);
	else
		thread_store(thread, at, head, words);
}

/* Makes the thread's second track, for the program's own times. */
static void need_timeline(struct thread *thread)
{
	if (atomic_load(&thread->timeline) == 0)
		atomic_store(&thread->timeline,
			registry_track(LOG_TIMELINE, thread->tid, ""));
}

/* Room for the end of a timeline range. Waits regardless of the policy: without
 * it, all later ends would end the wrong ranges. */
static uint64_t *reserve_end(struct thread *thread)
{
	uint64_t *at = record_reserve(thread, 4);

	for (int i = 0; at == NULL && i < END_TRIES && !session_has_failed() &&
			__atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) != 0;
		i++) {
		spool_wait_free(session_spool(), END_WAIT_NS);
		at = record_reserve(thread, 4);
	}
	return at;
}

static void store_at(struct thread *thread, uint64_t *at, enum chunk_long kind,
	uint64_t ns, uint64_t site)
{
	thread_store(thread, at, (struct chunk_head){kind, 3, 0},
		(uint64_t[]){ns, site, atomic_load(&thread->timeline)});
}

void ctp_begin_at(struct ctp_site *site, int64_t time_ns)
{
	struct thread *thread = thread_enter();
	uint64_t *at = NULL;

	if (thread == NULL)
		return;
	need_timeline(thread);
	if (thread->timeline_dropped == 0)
		at = record_reserve(thread, 4);
	if (at == NULL) /* with all its contents */
		thread->timeline_dropped++;
	else
		store_at(thread, at, CHUNK_BEGIN_AT, (uint64_t)time_ns,
			record_site(site));
	thread_leave(thread);
}

void ctp_end_at(int64_t time_ns)
{
	struct thread *thread = thread_enter();
	uint64_t *at;

	if (thread == NULL)
		return;
	need_timeline(thread);
	if (thread->timeline_dropped > 0) {
		thread->timeline_dropped--;
		atomic_fetch_add(&thread->dropped_ranges, 1);
	} else if ((at = reserve_end(thread)) == NULL) {
		atomic_fetch_add(&thread->dropped_events, 1);
	} else {
		store_at(thread, at, CHUNK_END_AT, (uint64_t)time_ns, 0);
	}
	thread_leave(thread);
}

static void store_site(enum chunk_long kind, struct ctp_site *site,
	uint64_t value, uint32_t detail)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	store(thread, (struct chunk_head){kind, 3, detail},
		(uint64_t[]){now(), record_site(site), value});
	thread_leave(thread);
}

void record_correlation(struct thread *thread, uint32_t id)
{
	store(thread, (struct chunk_head){CHUNK_CORRELATION, 2, 0},
		(uint64_t[]){now(), id});
}

void ctp_async_begin(struct ctp_site *site, uint64_t id)
{
	store_site(CHUNK_ASYNC_BEGIN, site, id, 0);
}

void ctp_async_end(struct ctp_site *site, uint64_t id)
{
	store_site(CHUNK_ASYNC_END, site, id, 0);
}

void ctp_instant(struct ctp_site *site)
{
	store_site(CHUNK_INSTANT, site, 0, 0);
}

void ctp_counter(struct ctp_site *site, int64_t value)
{
	store_site(CHUNK_COUNTER, site, (uint64_t)value, 0);
}

void ctp_counter_float(struct ctp_site *site, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	store_site(CHUNK_COUNTER, site, bits, 1);
}

static void store_memory(
	enum chunk_long kind, const void *address, uint64_t bytes, int device)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	store(thread, (struct chunk_head){kind, 4, 0},
		(uint64_t[]){now(), (uint64_t)(uintptr_t)address, bytes,
			(uint64_t)(int64_t)device});
	thread_leave(thread);
}

void ctp_memory_alloc(const void *address, uint64_t bytes, int device)
{
	store_memory(CHUNK_ALLOC, address, bytes, device);
}

void ctp_memory_free(const void *address, uint64_t bytes, int device)
{
	store_memory(CHUNK_FREE, address, bytes, device);
}

void record_step(struct ctp_site *requester, int64_t step, int64_t advance)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	store(thread, (struct chunk_head){CHUNK_STEP, 4, 0},
		(uint64_t[]){now(), record_site(requester), (uint64_t)step,
			(uint64_t)advance});
	thread_leave(thread);
}

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

/* Stores an argument: time, one number, then key and value without a gap. */
static void store_arg(enum chunk_long kind, uint64_t number, const char *key,
	const char *value)
{
	struct thread *thread = thread_enter();
	size_t key_size = strnlen(key, TEXT_MAX);
	size_t size = key_size + strnlen(value, TEXT_MAX - key_size);
	size_t words = 2 + (size + 7) / 8;
	uint64_t *at;

	if (thread == NULL)
		return;
	at = record_reserve(thread, 1 + words);
	if (key[key_size] != '\0' || value[size - key_size] != '\0') {
		atomic_fetch_add(&thread->cut_text, 1);
		thread_record_losses(thread);
	}
	if (at == NULL) {
		atomic_fetch_add(&thread->dropped_events, 1);
	} else {
		at[1] = clock_ticks(session_uses_tsc());
		at[2] = kind == CHUNK_ARG_TEXT ? key_size : number;
		memcpy(at + 3, key, key_size);
		memcpy((char *)(at + 3) + key_size, value, size - key_size);
		__atomic_store_n(at,
			chunk_long(atomic_load(&thread->live), kind, words,
				size - (words - 2) * 8 + 8),
			__ATOMIC_RELEASE);
		thread_advance(thread, 1 + words);
	}
	thread_leave(thread);
}

void ctp_arg_int(const char *key, int64_t value)
{
	store_arg(CHUNK_ARG_INT, (uint64_t)value, text_of(key), "");
}

void ctp_arg_float(const char *key, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	store_arg(CHUNK_ARG_FLOAT, bits, text_of(key), "");
}

void ctp_arg_string(const char *key, const char *value)
{
	store_arg(CHUNK_ARG_TEXT, 0, text_of(key), text_of(value));
}

void ctp_thread_name(const char *name)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	atomic_store(&thread->named, true);
	registry_rename(
		atomic_load(&thread->track), LOG_THREAD, thread->tid, name);
	thread_leave(thread);
}
