/* SPDX-License-Identifier: MIT */
#include "recorder/session_state.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/environment.h"
#include "ctprof.h"
#include "recorder/thread.h"

#define WAIT_NS INT64_C(20000000)
/* Looks at idle threads without any memory to take, after which none is hoped
 * for: the second look is the first that can take some. They take at least this
 * long, since on a busy machine a thread may not have run between them. */
#define IDLE_LOOKS 4
#define IDLE_NS INT64_C(1000000000)

/* Small chunks that are added together. */
#define GROW_SMALL 16

#define NAME_MOST 120 /* half of an error's message */

/* On until the environment was read: constructors of other libraries may run
 * before ours. */
CTP_API int ctp_on = 1;

struct session_state session_state;

/* Looks at idle threads since one gave memory, or enough was free. */
static _Atomic uint32_t idle_looks;
static _Atomic int64_t idle_since_ns; /* CLOCK_MONOTONIC_RAW */

static _Atomic bool failed;

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

static uint32_t all_pages(void)
{
	return session_state.spool.chunk_max * SPOOL_CHUNK_PAGES;
}

/*
 * A thread's share: a sixteenth of the memory for all threads that have a chunk,
 * since the first ones have larger chunks, and others are full. A power of two.
 * The window of the last events counts whole chunks.
 */
static uint32_t share_pages(void)
{
	uint32_t share = all_pages() / 16 / (thread_live_chunks() + 1);
	uint32_t pages = SPOOL_CHUNK_PAGES;

	if (session_state.options.last != 0)
		return pages;
	while (pages > 1 && pages > share)
		pages /= 2;
	return pages;
}

/* The memory that all chunks may have. Every thread needs a chunk and the
 * background thread some to work on, so any policy grows with the number of
 * threads. */
static uint32_t most_pages(void)
{
	uint32_t most = all_pages();
	uint64_t wanted = (session_state.options.chunks / 2 +
				  2 * (uint64_t)thread_live_chunks()) *
			  SPOOL_CHUNK_PAGES;

	if (session_state.options.policy == CTP_POLICY_GROW ||
		session_state.options.last != 0)
		return most;
	return wanted < most ? (uint32_t)wanted : most;
}

/* Whether most of the memory is in use. */
static bool is_scarce(void)
{
	return atomic_load(&session_state.spool.pages) > all_pages() / 4 * 3;
}

/* Adds some chunks; false at the limit or without space. */
static bool grow(void)
{
	uint32_t share = share_pages();
	uint32_t chunks = share < SPOOL_CHUNK_PAGES
				  ? GROW_SMALL
				  : session_state.options.chunks / 4;

	return spool_grow_small(
		&session_state.spool, chunks, share, most_pages());
}

/* Makes an unused chunk larger, if there is memory, or it needs more; smaller if
 * others need it. False if `words` do not fit. */
static bool fit(struct chunk *chunk, size_t words)
{
	struct spool *spool = &session_state.spool;
	uint32_t share = share_pages();
	uint32_t least = spool_pages(words);

	if (share < least)
		share = least;
	if (is_scarce())
		spool_trim(spool, chunk, share);
	else
		(void)spool_extend(spool, chunk, share, most_pages());
	return words <= spool_room(spool, chunk) ||
	       spool_extend(spool, chunk, least, all_pages());
}

struct chunk *session_pop_chunk(size_t words)
{
	struct spool *spool = &session_state.spool;
	struct chunk *chunk;

	/* A thread that did not stop in time when recording stopped. */
	if (spool->header == NULL || session_has_failed())
		return NULL;
	chunk = spool_pop_free(spool);
	/* Others may take the new chunks. */
	while (chunk == NULL && grow())
		chunk = spool_pop_free(spool);
	if (chunk == NULL || fit(chunk, words))
		return chunk;
	spool_push_free(spool, chunk);
	return NULL;
}

bool session_may_pop(void)
{
	const struct spool *spool = &session_state.spool;

	if (session_has_failed())
		return false;
	return session_state.options.policy == CTP_POLICY_BLOCK ||
	       spool->header == NULL ||
	       (uint32_t)atomic_load(&spool->free_head) != 0 ||
	       atomic_load(&spool->pages) < most_pages();
}

void session_reclaim(void)
{
	if (session_state.options.last != 0 || !is_scarce() ||
		thread_trim_idle(share_pages()) != 0) {
		atomic_store(&idle_since_ns, clock_raw_ns());
		atomic_store(&idle_looks, 0);
	} else {
		atomic_fetch_add(&idle_looks, 1);
	}
}

/* Whether threads with large chunks may still return memory. */
static bool may_reclaim(uint32_t live_chunks)
{
	return thread_live_pages() > live_chunks &&
	       (atomic_load(&idle_looks) < IDLE_LOOKS ||
		       clock_raw_ns() - atomic_load(&idle_since_ns) < IDLE_NS);
}

void session_return_chunk(struct chunk *chunk)
{
	struct spool *spool = &session_state.spool;

	if (is_scarce())
		spool_trim(spool, chunk, share_pages());
	spool_push_free(spool, chunk);
}

bool session_may_wait(void)
{
	/* Both may grow meanwhile: in this order, a chunk is not missed. */
	uint32_t live = thread_live_chunks();
	bool may_get = may_reclaim(live);

	return session_state.options.policy == CTP_POLICY_BLOCK &&
	       !session_has_failed() &&
	       __atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) != 0 &&
	       session_state.spool.header != NULL &&
	       (may_get || atomic_load(&session_state.spool.own.chunk_count) >
				   live + 1);
}

struct chunk *session_wait_chunk(size_t words)
{
	spool_wake(&session_state.spool);
	spool_wait_free(&session_state.spool, WAIT_NS);
	return session_pop_chunk(words);
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

void session_print_reason(const struct ctp_error *err)
{
	static _Atomic bool printed;
	const char *wanted = environment_find("CTPROF_VERBOSE");
	char text[sizeof(err->message) + 64];
	int size;

	if (wanted == NULL || strcmp(wanted, "1") != 0 ||
		atomic_exchange(&printed, true))
		return;
	size = snprintf(text, sizeof(text),
		"ctprof: process %ld is not recorded: %s\n", (long)getpid(),
		err->message);
	if (size > 0 && write(STDERR_FILENO, text, (size_t)size) < 0)
		atomic_store(&printed, false);
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

bool session_has_failed(void)
{
	return atomic_load_explicit(&failed, memory_order_relaxed);
}

void session_forget_failure(void)
{
	atomic_store(&failed, false);
}

void session_fail(const struct ctp_error *err)
{
	struct ctp_error reason = *err;

	atomic_store(&failed, true);
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
