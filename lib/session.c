/* SPDX-License-Identifier: MIT */
/*
 * Start and stop. A recording has a number; threads compare it with the one
 * they last recorded for. After fork, the child's recording is due at its
 * first event, under a name of its own: it inherits no chunk of the parent's,
 * and most children call exec anyway.
 */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drain.h"
#include "filter.h"
#include "instrument.h"
#include "inherit.h"
#include "log_file.h"
#include "options.h"
#include "outcome.h"
#include "process.h"
#include "registry.h"
#include "thread.h"

#define WAIT_NS INT64_C(20000000)
#define NAME_MOST 120 /* half of an error's message */

/* On until someone has looked at the environment: constructors of other
 * libraries may run before ours. */
CTP_API int ctp_on = 1;

static struct {
	pthread_mutex_t lock; /* over start and stop */
	_Atomic uint64_t current;
	uint64_t last;       /* number given last */
	_Atomic bool looked; /* at the environment, or need not */
	_Atomic bool due;    /* a recording is to begin with the next event */
	bool child;          /* forked while a recording was on or due */
	uint32_t parent;     /* in a child that was forked while recording */
	struct clock_sync forked; /* when that was */
	bool forks_watched;
	bool tsc;
	struct spool spool;
	struct session_options options;
	char path[SESSION_PATH_BYTES]; /* of the log, as it came to be */
	uint64_t lost; /* events that were not in the log at the end */
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct thread_hold hold(void)
{
	struct thread_hold before = thread_hold();

	(void)pthread_mutex_lock(&session.lock);
	return before;
}

static void release(struct thread_hold before)
{
	(void)pthread_mutex_unlock(&session.lock);
	thread_release(before);
}

bool session_uses_tsc(void)
{
	return session.tsc;
}

struct spool *session_spool(void)
{
	return &session.spool;
}

const struct session_options *session_options(void)
{
	return &session.options;
}

/* How many chunks threads hold on to, whether they record or not. */
static uint32_t held(void)
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
	uint32_t count = atomic_load(&session.spool.header->chunk_count);

	return session.options.policy == CTP_POLICY_GROW ||
	       count < session.options.chunks / 2 + 2 * held();
}

struct chunk *session_take_chunk(void)
{
	struct chunk *chunk;

	/* A thread that nobody waited for any longer when recording stopped. */
	if (session.spool.header == NULL)
		return NULL;
	chunk = spool_take(&session.spool);
	/* Others may take what we made. */
	while (chunk == NULL && may_grow() &&
		spool_grow(&session.spool, session.options.chunks / 4))
		chunk = spool_take(&session.spool);
	return chunk;
}

bool session_may_wait(void)
{
	return session.options.policy == CTP_POLICY_BLOCK &&
	       __atomic_load_n(&ctp_on, __ATOMIC_SEQ_CST) != 0 &&
	       session.spool.header != NULL &&
	       atomic_load(&session.spool.header->chunk_count) > held() + 1;
}

struct chunk *session_wait_chunk(void)
{
	spool_wake(&session.spool);
	spool_wait_free(&session.spool, WAIT_NS);
	return session_take_chunk();
}

const char *session_log(void)
{
	size_t size = strlen(session.path);

	return session.path + (size > NAME_MOST ? size - NAME_MOST : 0);
}

/* Says why recording stopped; false if it did not. */
static bool describe_outcome(char *out, size_t size)
{
	return outcome_describe(out, size,
		atomic_load(&session.current) == 0
			? session.lost
			: spool_left(&session.spool));
}

/* For those who find the spool, and in it what is not in the log. */
static void note_outcome(void)
{
	char *error = session.spool.header->error;

	(void)outcome_describe(error, SPOOL_ERROR_BYTES, 0);
}

void session_fail(const struct ctp_error *err)
{
	struct ctp_error said = *err;

	__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	if (err->sys_errno != 0) {
		errno = err->sys_errno;
		(void)ctp_fail(&said, err->status, err->offset,
			"cannot write %s", session_log());
	}
	outcome_set(&said);
	note_outcome();
}

static void fill_facts(struct spool_facts *facts)
{
	process_describe(facts);
	facts->parent = session.parent;
	facts->policy = (uint32_t)session.options.policy;
	facts->level = (uint32_t)session.options.level;
	facts->min_ns = session.options.min_ns;
}

/* `log` is the log's descriptor. */
static enum ctp_status open_spool(
	const struct clock_sync *start, int log, struct ctp_error *err)
{
	const struct file_id id = file_id_of(log);
	char *directory = realpath(session.options.spool, NULL);
	enum ctp_status status = spool_open(&session.spool,
		directory == NULL ? session.options.spool : directory,
		session.options.chunks, session.options.chunk_max, err);
	struct spool_header *header = session.spool.header;

	free(directory);
	if (status != CTP_OK)
		return status;
	header->clock = options_spool_clock(&session.options, session.tsc);
	header->start = *start;
	log_file_absolute(
		header->log_path, sizeof(header->log_path), session.path);
	/* Whoever completes the log must know it from others that came to have
	 * its name. */
	header->log_device = (uint64_t)id.device;
	header->log_inode = (uint64_t)id.inode;
	fill_facts(&header->facts);
	if (!registry_start(&session.spool))
		return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET,
			"more names than the buffers hold");
	atomic_store(&header->ready, 1);
	return CTP_OK;
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
	(void)pthread_mutex_lock(&session.lock);
	instrument_lock();
	registry_lock(); /* who holds it may wait for what is drained */
	drain_pause();
	inherit_keep(atomic_load(&session.current));
}

static void after_fork_parent(void)
{
	if (thread_is_inside())
		return;
	drain_resume();
	registry_unlock();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session.lock);
}

/* Nothing of the parent's recording is ours: not its spool, not its log. */
static void leave_parent(void)
{
	atomic_store(&session.current, 0);
	thread_forget_others();
	inherit_take();
	drain_forget();
	spool_leave(&session.spool);
}

static void after_fork_child(void)
{
	bool was_on = atomic_load(&session.current) != 0 && ctp_on != 0;
	bool was_due = atomic_load(&session.due);

	outcome_forget();
	if (thread_is_inside()) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		atomic_store(&session.due, false);
		(void)pthread_mutex_init(&session.lock, NULL);
		registry_forget();
		leave_parent();
		return;
	}
	registry_unlock();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session.lock);
	registry_stop();
	leave_parent();
	session.child = was_on || was_due;
	if (was_on) {
		session.parent = (uint32_t)getppid();
		session.forked = clock_sync_now(session.tsc);
	}
	atomic_store(&session.due, session.child);
}

static void watch_forks(void)
{
	if (!session.forks_watched)
		session.forks_watched =
			pthread_atfork(before_fork, after_fork_parent,
				after_fork_child) == 0;
}

/* Which functions are to be left out. */
static enum ctp_status load_filter(struct ctp_error *err)
{
	enum ctp_status status;

	instrument_lock();
	status = filter_load(getenv("CTPROF_FUNCTIONS"), err);
	instrument_unlock();
	if (status == CTP_OK)
		instrument_begin();
	return status;
}

/* Makes log, spool and background thread. The lock is held. */
static enum ctp_status begin(struct ctp_error *err)
{
	struct clock_sync start;
	enum ctp_status status;
	int fd;

	status = load_filter(err);
	if (status != CTP_OK)
		return status;
	/* Nor does a program that this process was before exec lose its log. */
	fd = log_file_make(session.options.out, session.options.exclusive,
		session.child || (session.last == 0 &&
					 spool_was_left(session.options.spool)),
		session.path, err);
	if (fd < 0)
		return err->status;
	session.tsc = options_use_tsc(&session.options);
	clock_count_events(session.options.clock == CTP_CLOCK_EVENTS);
	start = session.parent != 0 ? session.forked
				    : clock_sync_now(session.tsc);
	status = open_spool(&start, fd, err);
	if (status == CTP_OK)
		status = drain_start(
			&session.spool, fd, &session.options, &start, err);
	else
		(void)close(fd);
	if (status != CTP_OK) {
		registry_stop();
		spool_close(&session.spool, false);
		(void)unlink(session.path);
		return status;
	}
	watch_forks();
	/* What goes on in a child has one number, by which those who follow
	 * the thread's open functions know that they are open still. */
	if (session.parent == 0)
		session.last++;
	inherit_record(session.last, start.ticks);
	atomic_store(&session.due, false);
	atomic_store(&session.current, session.last);
	__atomic_store_n(&ctp_on, 1, __ATOMIC_SEQ_CST);
	return CTP_OK;
}

/*
 * The recording begins with the first event: the library may be preloaded into
 * every shell and linker of a build, most of which record nothing.
 */
static void look_at_environment(void)
{
	struct thread_hold before;
	struct ctp_error err;

	if (atomic_load(&session.looked))
		return;
	before = hold();
	if (atomic_load(&session.looked)) {
		/* Another thread did. */
	} else if (!options_in_environment()) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	} else if (options_fill(&session.options, NULL, &err) != CTP_OK) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		outcome_set(&err);
	} else {
		watch_forks();
		atomic_store(&session.due, true);
	}
	atomic_store(&session.looked, true);
	release(before);
}

uint64_t session_current(void)
{
	struct ctp_error err;
	struct thread_hold before;

	look_at_environment();
	if (!atomic_load(&session.due))
		return atomic_load(&session.current);
	before = hold();
	if (atomic_load(&session.due) && begin(&err) != CTP_OK) {
		atomic_store(&session.due, false);
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		outcome_set(&err);
	}
	release(before);
	return atomic_load(&session.current);
}

enum ctp_status ctp_start(const struct ctp_options *options)
{
	struct ctp_error err = {.status = CTP_OK};
	enum ctp_status status = CTP_ERR_STATE;
	struct thread_hold before;

	look_at_environment();
	before = hold();
	if (atomic_load(&session.current) == 0 && !atomic_load(&session.due)) {
		outcome_set(&err);
		status = options_fill(&session.options, options, &err);
		if (status == CTP_OK)
			status = begin(&err);
		if (status != CTP_OK)
			outcome_set(&err);
	}
	release(before);
	return status;
}

/* The recording's last part. The lock is held. */
static enum ctp_status end(void)
{
	struct ctp_error err;
	enum ctp_status status;
	bool keep = false;

	__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	thread_stop_all();
	status = drain_stop(&err);
	thread_release_all();
	session.lost = status == CTP_OK ? 0 : spool_left(&session.spool);
	if (status != CTP_OK) {
		note_outcome();
		/* Who started us reads the reason there. */
		keep = session.options.exclusive;
	}
	registry_stop();
	atomic_store(&session.current, 0);
	spool_close(&session.spool, keep);
	return status;
}

enum ctp_status ctp_stop(void)
{
	struct thread_hold before = hold();
	enum ctp_status status = CTP_OK;

	if (atomic_exchange(&session.due, false))
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	if (atomic_load(&session.current) != 0)
		status = end();
	/* What comes next in a forked child is not the parent's. */
	inherit_forget(NULL);
	session.child = false;
	session.parent = 0;
	release(before);
	return status;
}

enum ctp_status ctp_flush(void)
{
	struct thread_hold before = hold();
	struct ctp_error err;
	enum ctp_status status = CTP_ERR_STATE;

	if (atomic_load(&session.current) != 0)
		status = drain_flush(&err);
	release(before);
	return status;
}

const char *ctp_status(void)
{
	static char words[SESSION_PATH_BYTES + 256];
	const struct thread_hold before = hold();
	size_t used = (size_t)snprintf(words, sizeof(words), "stopped: ");

	if (describe_outcome(words + used, sizeof(words) - used)) {
		release(before);
		return words;
	}
	if (atomic_load(&session.due))
		(void)snprintf(words, sizeof(words),
			"recording begins with the first event");
	else if (atomic_load(&session.current) == 0)
		(void)snprintf(words, sizeof(words), "off");
	else
		(void)snprintf(words, sizeof(words), "recording to %s%s",
			session.path,
			session.spool.fd < 0 ? " (without a spool: what is "
					       "not in the log yet dies with "
					       "the program)"
					     : "");
	release(before);
	return words;
}

__attribute__((constructor)) static void start_from_environment(void)
{
	look_at_environment();
}

static void stop_last(int status, void *argument)
{
	(void)status;
	(void)argument;
	(void)ctp_stop();
}

/* Other libraries' destructors may come after ours; what is registered while
 * destructors run is called after the last of them. */
__attribute__((destructor)) static void stop_at_exit(void)
{
	if (on_exit(stop_last, NULL) != 0)
		(void)ctp_stop();
}
