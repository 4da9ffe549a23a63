/* SPDX-License-Identifier: MIT */
/*
 * libctprof's side of device_link.h. Activities do not belong to a thread: they
 * use the chunks of a hidden state, so that the delivering thread does not
 * appear in the log.
 */
#include "recorder/device_link.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "recorder/exit_watch.h"
#include "pack/options.h"
#include "recorder/record.h"
#include "recorder/registry.h"
#include "recorder/session_state.h"
#include "recorder/thread.h"

/* A begin and a correlation. */
#define CALL_WORDS 4

static const struct device_calls *_Atomic calls;

static bool is_forked;

static struct {
	pthread_mutex_t lock; /* protects the state */
	struct thread *thread;
} device = {.lock = PTHREAD_MUTEX_INITIALIZER};

void ctp_private_devices(const struct device_calls *theirs)
{
	atomic_store(&calls, theirs);
}

void device_stop(void)
{
	const struct device_calls *theirs = atomic_load(&calls);

	if (theirs != NULL)
		theirs->stop();
}

void device_lock(void)
{
	const struct device_calls *theirs = atomic_load(&calls);

	if (theirs != NULL)
		theirs->lock();
	(void)pthread_mutex_lock(&device.lock);
}

void device_unlock(void)
{
	const struct device_calls *theirs = atomic_load(&calls);

	(void)pthread_mutex_unlock(&device.lock);
	if (theirs != NULL)
		theirs->unlock();
}

void device_child(void)
{
	const struct device_calls *theirs = atomic_load(&calls);

	(void)pthread_mutex_init(&device.lock, NULL);
	is_forked = theirs != NULL;
	if (theirs != NULL)
		theirs->child();
}

bool device_is_forked(void)
{
	return is_forked;
}

enum ctp_gpu ctp_private_gpu(void)
{
	enum ctp_gpu gpu = session_options()->gpu;

	return gpu == CTP_GPU_DEFAULT ? options_gpu() : gpu;
}

void ctp_private_mute(void)
{
	thread_mute();
}

void ctp_private_device_name(char *own)
{
	exit_watch_hold(true);
	(void)prctl(PR_GET_NAME, own);
	(void)prctl(PR_SET_NAME, DEVICE_THREAD);
}

void ctp_private_own_name(const char *own)
{
	(void)prctl(PR_SET_NAME, own);
	exit_watch_hold(false);
}

uint64_t ctp_private_device_session(void)
{
	const struct thread_hold before = thread_hold();
	uint64_t session = session_current();

	thread_release(before);
	return __atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) != 0 ? session : 0;
}

uint32_t ctp_private_stream(enum log_track_kind kind, int64_t number,
	const struct device_place *place, const char *name)
{
	return registry_stream(kind, number,
		(uint64_t)place->device << 32 | place->context, name);
}

uint32_t ctp_private_site_number(struct ctp_site *site)
{
	return record_site(site);
}

bool ctp_private_block(enum log_block kind, const void *bytes, size_t size)
{
	return size <= DEVICE_BLOCK_BYTES && registry_block(kind, bytes, size);
}

/* Stores a record in the chunks of the hidden state. */
static bool store(enum chunk_long kind, const uint64_t *words, uint32_t count)
{
	/* The library's own thread is neither recorded nor cancelled. */
	const bool ours = thread_is_inside();
	const struct thread_hold before =
		ours ? (struct thread_hold){0} : thread_hold();
	uint64_t *at = NULL;

	(void)pthread_mutex_lock(&device.lock);
	if (device.thread == NULL)
		device.thread = thread_new_hidden();
	if (device.thread != NULL && thread_enter_hidden(device.thread)) {
		at = thread_reserve(device.thread, 1 + (size_t)count);
		if (at != NULL)
			thread_store(device.thread, at,
				(struct chunk_head){kind, count, 0}, words);
		thread_leave_hidden(device.thread);
	}
	(void)pthread_mutex_unlock(&device.lock);
	if (!ours)
		thread_release(before);
	return at != NULL;
}

bool ctp_private_activity(const struct device_activity *activity)
{
	const uint64_t words[] = {(uint64_t)activity->start_ns,
		activity->dur_ns,
		(uint64_t)activity->track << 32 | activity->description,
		activity->correlation, activity->bytes, activity->node};

	return store(CHUNK_ACTIVITY, words,
		activity->bytes == 0 && activity->node == 0 ? 4 : 6);
}

bool ctp_private_device_sync(uint64_t ticks, int64_t device_ns)
{
	return store(CHUNK_DEVICE_SYNC,
		(const uint64_t[]){ticks, (uint64_t)device_ns}, 2);
}

void ctp_private_correlate(uint32_t correlation)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	record_correlation(thread, correlation);
	thread_leave(thread);
}

#ifdef CTP_INLINE_TICKS
/* Room for two records, without the slow path; NULL if there is none. */
static uint64_t *room_for_call(void)
{
	uint64_t *next = __atomic_load_n(&ctp_self->next, __ATOMIC_RELAXED);
	uint64_t *limit = __atomic_load_n(&ctp_self->limit, __ATOMIC_RELAXED);

	return next < limit && limit - next >= CALL_WORDS ? next : NULL;
}

/* Like ctp_begin_inline() followed by thread_store(). False if recording
 * stopped since there was room. */
static bool store_call(uint64_t *at, uint64_t tag, uint32_t id)
{
	const struct thread *thread =
		(const struct thread *)(const void *)ctp_self;
	const struct chunk *chunk =
		atomic_load_explicit(&thread->live, memory_order_relaxed);
	const uint64_t ticks = CTP_INLINE_TICKS();

	if (__builtin_expect(chunk == NULL, 0))
		return false;
	__atomic_store_n(at, ticks + tag, __ATOMIC_RELAXED);
	at[2] = ticks;
	at[3] = id;
	__atomic_store_n(at + 1, chunk_long(chunk, CHUNK_CORRELATION, 2, 0),
		__ATOMIC_RELEASE);
	__atomic_store_n(&ctp_self->next, at + CALL_WORDS, __ATOMIC_RELAXED);
	return true;
}

static bool begin_call(struct ctp_site *site, uint32_t id)
{
	const uint64_t tag = __atomic_load_n(&site->tag, __ATOMIC_RELAXED);
	uint64_t *at = tag == 0 ? NULL : room_for_call();

	return at != NULL && store_call(at, tag, id);
}
#else
static bool begin_call(struct ctp_site *site, uint32_t id)
{
	(void)site;
	(void)id;
	return false;
}
#endif

int ctp_private_begin_call(struct ctp_site *site, uint32_t id)
{
	if (__builtin_expect(!__atomic_load_n(&ctp_on, __ATOMIC_RELAXED), 0))
		return 0;
	if (__builtin_expect(begin_call(site, id), 1))
		return 1;
	if (!ctp_begin_slow(site))
		return 0;
	ctp_private_correlate(id);
	return 1;
}
