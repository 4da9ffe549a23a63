/* SPDX-License-Identifier: MIT */
#include "recorder/thread_state.h"

#include <pthread.h>

struct ctp_thread thread_none;
struct ctp_thread thread_muted;

/*
 * Only a pointer, and initial-exec: a large or lazily allocated TLS block would
 * use malloc on first access, and we may be inside the program's malloc.
 */
CTP_API __thread struct ctp_thread *ctp_self
	__attribute__((tls_model("initial-exec"))) = &thread_none;

static struct thread *_Atomic first;

static _Atomic uint32_t live_chunks;
static _Atomic uint32_t live_pages;

struct thread_hold thread_hold(void)
{
	struct thread_hold before = {.self = ctp_self};

	/* Both: glibc cancels asynchronously even if that was disabled just
	 * before the signal. */
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type);
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state);
	ctp_self = &thread_muted;
	return before;
}

void thread_release(struct thread_hold before)
{
	ctp_self = before.self;
	(void)pthread_setcancelstate(before.state, NULL);
	(void)pthread_setcanceltype(before.type, NULL);
}

void thread_mute(void)
{
	ctp_self = &thread_muted;
}

struct thread *thread_first(void)
{
	return atomic_load(&first);
}

void thread_list_add(struct thread *thread)
{
	struct thread *head = atomic_load(&first);

	do
		thread->next = head;
	while (!atomic_compare_exchange_weak(&first, &head, thread));
}

void thread_set_live(struct thread *thread, struct chunk *chunk, uint32_t pages)
{
	bool had = atomic_exchange(&thread->live, chunk) != NULL;

	if (had && chunk == NULL)
		atomic_fetch_sub(&live_chunks, 1);
	else if (!had && chunk != NULL)
		atomic_fetch_add(&live_chunks, 1);
	atomic_fetch_add(&live_pages,
		pages - atomic_exchange(&thread->live_pages, pages));
}

void thread_set_pages(struct thread *thread, uint32_t before, uint32_t pages)
{
	if (atomic_compare_exchange_strong(&thread->live_pages, &before, pages))
		atomic_fetch_add(&live_pages, pages - before);
}

uint32_t thread_live_chunks(void)
{
	return atomic_load(&live_chunks);
}

uint32_t thread_live_pages(void)
{
	return atomic_load(&live_pages);
}

bool thread_any_may_store(const void *address, size_t bytes)
{
	for (const struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next)
		if (thread_may_store(thread, address, bytes))
			return true;
	return false;
}

bool thread_is_inside(void)
{
	return ctp_self == &thread_muted;
}

struct thread *thread_self(void)
{
	return ctp_self == &thread_none || ctp_self == &thread_muted
		       ? NULL
		       : (struct thread *)(void *)ctp_self;
}
