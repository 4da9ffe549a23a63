/* SPDX-License-Identifier: MIT */
#include "recorder/session_state.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctprof.h"
#include "recorder/thread_state.h"

#define WAIT_NS INT64_C(20000000)
#define NAME_MOST 120 /* half of an error's message */

/* On until the environment was read: constructors of other libraries may run
 * before ours. */
CTP_API int ctp_on = 1;

struct session_state session_state;

static struct {
	pthread_mutex_t lock;
	struct ctp_error error;
} stop_reason = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool session_uses_tsc(void)
{
	return session_state.tsc;
}

struct spool *session_spool(void)
{
	return &session_state.spool;
}

const struct session_options *session_options(void)
{
	return &session_state.options;
}

/* Number of chunks held by threads, recording or not. */
static uint32_t live_chunks(void)
{
	uint32_t count = 0;

	for (const struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next)
		count += atomic_load(&thread->live) != NULL;
	return count;
}

/* Every thread needs a chunk and the background thread some to work on, so
 * any policy grows with the number of threads. */
static bool may_grow(void)
{
	uint32_t count = atomic_load(&session_state.spool.own.chunk_count);

	return session_state.options.policy == CTP_POLICY_GROW ||
	       session_state.options.last != 0 ||
	       count < session_state.options.chunks / 2 + 2 * live_chunks();
}

struct chunk *session_pop_chunk(void)
{
	struct chunk *chunk;

	/* A thread that did not stop in time when recording stopped. */
	if (session_state.spool.header == NULL)
		return NULL;
	chunk = spool_pop_free(&session_state.spool);
	/* Others may take the new chunks. */
	while (chunk == NULL && may_grow() &&
		spool_grow(
			&session_state.spool, session_state.options.chunks / 4))
		chunk = spool_pop_free(&session_state.spool);
	return chunk;
}

bool session_may_wait(void)
{
	return session_state.options.policy == CTP_POLICY_BLOCK &&
	       __atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) != 0 &&
	       session_state.spool.header != NULL &&
	       atomic_load(&session_state.spool.own.chunk_count) >
		       live_chunks() + 1;
}

struct chunk *session_wait_chunk(void)
{
	spool_wake(&session_state.spool);
	spool_wait_free(&session_state.spool, WAIT_NS);
	return session_pop_chunk();
}

const char *session_log(void)
{
	size_t size = strlen(session_state.path);

	return session_state.path + (size > NAME_MOST ? size - NAME_MOST : 0);
}

/* A page that the kernel clears in a copy of the process; NULL if
 * unsupported. */
static _Atomic uint32_t *own_page;

void session_mark_own(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page;

	if (own_page == NULL) {
		page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return;
		if (madvise(page, size, MADV_WIPEONFORK) != 0) {
			(void)munmap(page, size);
			return;
		}
		own_page = page;
	}
	atomic_store(own_page, 1);
}

bool session_is_own(void)
{
	return own_page == NULL || atomic_load(own_page) != 0;
}

bool session_is(uint64_t number)
{
	return atomic_load(&session_state.open) == number;
}

void session_set_reason(const struct ctp_error *err)
{
	(void)pthread_mutex_lock(&stop_reason.lock);
	stop_reason.error = *err;
	(void)pthread_mutex_unlock(&stop_reason.lock);
}

bool session_describe_reason(char *out, size_t size, uint64_t lost)
{
	struct ctp_error error;
	int used;

	(void)pthread_mutex_lock(&stop_reason.lock);
	error = stop_reason.error;
	(void)pthread_mutex_unlock(&stop_reason.lock);
	out[0] = '\0';
	if (error.status == CTP_OK)
		return false;
	used = snprintf(out, size, "%s", error.message);
	if (lost > 0 && used > 0 && (size_t)used < size)
		(void)snprintf(out + used, size - (size_t)used,
			"; %" PRIu64 " event%s after that %s lost", lost,
			lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
	return true;
}

void session_forget_reason(void)
{
	(void)pthread_mutex_init(&stop_reason.lock, NULL);
}

void session_publish_reason(void)
{
	char *error = session_state.spool.header->error;

	(void)session_describe_reason(error, SPOOL_ERROR_BYTES, 0);
}

void session_fail(const struct ctp_error *err)
{
	struct ctp_error reason = *err;

	__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	if (err->sys_errno != 0) {
		errno = err->sys_errno;
		(void)ctp_fail_at(&reason, err->status, err->offset,
			"cannot write %s", session_log());
	}
	session_set_reason(&reason);
	session_publish_reason();
}

/*
 * The numbers of lost children, each in a page that a process shares with those
 * that it forks: all else is copied. One is of this process's recording, the
 * other of the process that forked it. NULL: there is no recording, or no memory.
 */
static _Atomic uint32_t *own_lost;
static _Atomic uint32_t *parents_lost;

static void drop(_Atomic uint32_t **page)
{
	if (*page != NULL)
		(void)munmap(*page, sizeof(**page));
	*page = NULL;
}

void session_children_begin(void)
{
	void *page;

	drop(&own_lost);
	page = mmap(NULL, sizeof(*own_lost), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	own_lost = page == MAP_FAILED ? NULL : page;
}

void session_children_forked(void)
{
	if (own_lost == NULL)
		return;
	drop(&parents_lost);
	parents_lost = own_lost;
	own_lost = NULL;
}

void session_children_lose(void)
{
	drop(&own_lost);
	if (parents_lost != NULL)
		(void)atomic_fetch_add(parents_lost, 1);
}

uint32_t session_children_lost(void)
{
	return own_lost == NULL ? 0 : atomic_load(own_lost);
}
