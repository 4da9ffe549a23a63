/* SPDX-License-Identifier: MIT */
/* What a fork does to a recording: the parent's goes on, the child's is due. */
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/device_link.h"
#include "recorder/device_load.h"
#include "recorder/drain.h"
#include "recorder/inherit.h"
#include "recorder/instrument.h"
#include "recorder/last_thread.h"
#include "recorder/outcome.h"
#include "recorder/registry.h"
#include "recorder/session_private.h"
#include "recorder/thread.h"
#include "recorder/unrecorded.h"

/* A page that the system clears in a copy of the process; NULL: it cannot. */
static _Atomic uint32_t *own;

static void mark_own(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page;

	if (own == NULL) {
		page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return;
		if (madvise(page, size, MADV_WIPEONFORK) != 0) {
			(void)munmap(page, size);
			return;
		}
		own = page;
	}
	atomic_store(own, 1);
}

bool session_is_own(void)
{
	return own == NULL || atomic_load(own) != 0;
}

/*
 * A thread that a signal interrupted inside the recorder may hold any lock
 * here. Such a fork - of a handler that starts a debugger, say - is let go
 * unwatched, and the child does not record.
 */
static void before_fork(void)
{
	if (thread_is_inside())
		return;
	device_lock(); /* who holds it may begin a recording */
	(void)pthread_mutex_lock(&session_state.lock);
	instrument_lock();
	registry_lock(); /* who holds it may wait for what is drained */
	drain_pause();
	session_state.forking = (uint32_t)getpid();
	inherit_keep(atomic_load(&session_state.current));
}

static void after_fork_parent(void)
{
	if (thread_is_inside())
		return;
	drain_resume();
	registry_unlock();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session_state.lock);
	device_unlock();
}

/* Nothing of the parent's recording is ours: not its spool, not its log. */
static void leave_parent(void)
{
	atomic_store(&session_state.current, 0);
	atomic_store(&session_state.open, 0);
	thread_forget_others();
	inherit_take();
	drain_forget();
	spool_leave(&session_state.spool);
}

/* What its parent could not begin, the child may. */
static bool retry(void)
{
	const struct ctp_error none = {.status = CTP_OK};

	if (!session_state.refused)
		return false;
	session_state.refused = false;
	outcome_set(&none);
	__atomic_store_n(&ctp_on, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void after_fork_child(void)
{
	bool was_on = atomic_load(&session_state.current) != 0 && ctp_on != 0;
	bool was_due = atomic_load(&session_state.due);

	mark_own();
	outcome_forget();
	last_thread_watch();
	device_load_forget();
	device_child();
	if (thread_is_inside()) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		atomic_store(&session_state.due, false);
		session_state.refused = false;
		(void)pthread_mutex_init(&session_state.lock, NULL);
		registry_forget();
		leave_parent();
		return;
	}
	registry_unlock();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session_state.lock);
	registry_stop();
	leave_parent();
	unrecorded_forked();
	session_state.child = was_on || was_due || retry();
	if (was_on) {
		session_state.parent = session_state.forking;
		session_state.forked = clock_sync_now(session_state.tsc);
	}
	atomic_store(&session_state.due, session_state.child);
}

void session_watch_forks(void)
{
	mark_own();
	if (!session_state.forks_watched)
		session_state.forks_watched =
			pthread_atfork(before_fork, after_fork_parent,
				after_fork_child) == 0;
}
