/* SPDX-License-Identifier: MIT */
/*
 * Start and stop. A recording has a number; threads compare it with the one
 * they last recorded for. After fork, the child's recording is due at its
 * first event, under a name of its own: it inherits no chunk of the parent's,
 * and most children call exec anyway.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drain.h"
#include "filter.h"
#include "instrument.h"
#include "options.h"
#include "process.h"
#include "registry.h"
#include "thread.h"

#define NAME_TRIES 1000
#define WAIT_NS INT64_C(20000000)

/* On until someone has looked at the environment: constructors of other
 * libraries may run before ours. */
CTP_API int ctp_on = 1;

static struct {
	pthread_mutex_t lock; /* over start and stop */
	_Atomic uint64_t current;
	uint64_t last;       /* number given last */
	_Atomic bool looked; /* at the environment, or need not */
	_Atomic bool due;    /* a recording is to begin with the next event */
	uint32_t parent;     /* in a child that was forked while recording */
	bool forks_watched;
	bool tsc;
	struct spool spool;
	struct session_options options;
	struct ctp_error error; /* why it stopped; status CTP_OK: did not */
	char path[SESSION_PATH_BYTES]; /* of the log, as it came to be */
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
	struct chunk *chunk = spool_take(&session.spool);

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
	       atomic_load(&session.spool.header->chunk_count) > held() + 1;
}

struct chunk *session_wait_chunk(void)
{
	spool_wake(&session.spool);
	spool_wait_free(&session.spool, WAIT_NS);
	return session_take_chunk();
}

void session_fail(const struct ctp_error *err)
{
	__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	session.error = *err;
}

/* A log of our own: exclusively made, or locked against other recorders so
 * that a parent and a child with one CTPROF_OUT do not write into each other.
 */
static int open_log(const char *path, bool exclusive)
{
	int fd = open(path,
		O_RDWR | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : 0), 0666);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		(void)close(fd);
		errno = EEXIST;
		return -1;
	}
	if (ftruncate(fd, 0) != 0 && errno != EINVAL) {
		int saved = errno;

		(void)close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static int make_log(bool child, struct ctp_error *err)
{
	const char *path = session.options.out;
	bool exclusive = session.options.exclusive;
	int fd = -1;

	(void)snprintf(session.path, sizeof(session.path), "%s", path);
	errno = EEXIST;
	if (!child)
		fd = open_log(session.path, exclusive);
	for (int i = 1; fd < 0 && errno == EEXIST && i < NAME_TRIES; i++) {
		options_other_name(session.path, sizeof(session.path), path,
			(long)getpid(), i);
		fd = open_log(session.path, exclusive);
	}
	if (fd < 0)
		(void)ctp_fail(err, CTP_ERR_IO, ERROR_NO_OFFSET,
			"cannot make %s", session.path);
	return fd;
}

/* Absolute, for those who look for the log from elsewhere. */
static void fill_log_path(char *out, size_t size)
{
	size_t used = 0;

	if (session.path[0] != '/' && getcwd(out, size - 1) != NULL) {
		used = strlen(out);
		out[used++] = '/';
	}
	(void)snprintf(out + used, size - used, "%s", session.path);
}

static void fill_facts(struct spool_facts *facts)
{
	facts->pid = (uint32_t)getpid();
	facts->parent = session.parent;
	facts->policy = (uint32_t)session.options.policy;
	facts->level = (uint32_t)session.options.level;
	facts->min_ns = session.options.min_ns;
	process_boot_id(facts->boot_id, sizeof(facts->boot_id));
	(void)gethostname(facts->host, sizeof(facts->host) - 1);
	facts->command_bytes = (uint32_t)process_command(
		facts->command, sizeof(facts->command));
}

/* Whoever completes the log must know it from others that came to have its
 * name. */
static void fill_log(struct spool_header *header, int fd)
{
	struct stat file;

	fill_log_path(header->log_path, sizeof(header->log_path));
	if (fstat(fd, &file) == 0) {
		header->log_device = (uint64_t)file.st_dev;
		header->log_inode = (uint64_t)file.st_ino;
	}
}

/* `log` is the log's descriptor. */
static enum ctp_status open_spool(
	const struct clock_sync *start, int log, struct ctp_error *err)
{
	char *directory = realpath(session.options.spool, NULL);
	enum ctp_status status = spool_open(&session.spool,
		directory == NULL ? session.options.spool : directory,
		session.options.chunks, session.options.chunk_max, err);
	struct spool_header *header = session.spool.header;

	free(directory);
	if (status != CTP_OK)
		return status;
	header->tsc = session.tsc;
	header->start = *start;
	fill_log(header, log);
	fill_facts(&header->facts);
	if (!registry_start(&session.spool))
		return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET,
			"more names than the buffers hold");
	atomic_store(&header->ready, 1);
	return CTP_OK;
}

static void before_fork(void)
{
	(void)pthread_mutex_lock(&session.lock);
	instrument_lock();
	drain_pause();
	registry_lock();
}

static void after_fork_parent(void)
{
	registry_unlock();
	drain_resume();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session.lock);
}

static void after_fork_child(void)
{
	bool was_on = atomic_load(&session.current) != 0 && ctp_on != 0;
	bool was_due = atomic_load(&session.due);

	registry_unlock();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session.lock);
	registry_stop();
	atomic_store(&session.current, 0);
	thread_forget_others();
	drain_forget();
	spool_leave(&session.spool);
	if (was_on)
		session.parent = (uint32_t)getppid();
	atomic_store(&session.due, was_on || was_due);
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
	fd = make_log(session.parent != 0 ||
			      (session.last == 0 &&
				      spool_was_left(session.options.spool)),
		err);
	if (fd < 0)
		return err->status;
	session.tsc =
		session.options.clock == CTP_CLOCK_TSC ||
		(session.options.clock == CTP_CLOCK_AUTO && clock_has_tsc());
	start = clock_sync_now(session.tsc);
	status = open_spool(&start, fd, err);
	if (status == CTP_OK)
		status = drain_start(
			&session.spool, fd, &session.options, &start, err);
	else
		(void)close(fd);
	if (status != CTP_OK) {
		registry_stop();
		spool_close(&session.spool);
		(void)unlink(session.path);
		return status;
	}
	watch_forks();
	atomic_store(&session.due, false);
	atomic_store(&session.current, ++session.last);
	__atomic_store_n(&ctp_on, 1, __ATOMIC_SEQ_CST);
	return CTP_OK;
}

/*
 * The recording begins with the first event: the library may be preloaded into
 * every shell and linker of a build, most of which record nothing.
 */
static void look_at_environment(void)
{
	struct ctp_error err;

	if (atomic_load(&session.looked))
		return;
	(void)pthread_mutex_lock(&session.lock);
	if (atomic_load(&session.looked)) {
		/* Another thread did. */
	} else if (!options_in_environment()) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	} else if (options_fill(&session.options, NULL, &err) != CTP_OK) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		session.error = err;
	} else {
		watch_forks();
		atomic_store(&session.due, true);
	}
	atomic_store(&session.looked, true);
	(void)pthread_mutex_unlock(&session.lock);
}

uint64_t session_current(void)
{
	struct ctp_error err;

	look_at_environment();
	if (!atomic_load(&session.due))
		return atomic_load(&session.current);
	(void)pthread_mutex_lock(&session.lock);
	if (atomic_load(&session.due) && begin(&err) != CTP_OK) {
		atomic_store(&session.due, false);
		session_fail(&err);
	}
	(void)pthread_mutex_unlock(&session.lock);
	return atomic_load(&session.current);
}

enum ctp_status ctp_start(const struct ctp_options *options)
{
	struct ctp_error err;
	enum ctp_status status;

	look_at_environment();
	(void)pthread_mutex_lock(&session.lock);
	if (atomic_load(&session.current) != 0 || atomic_load(&session.due)) {
		(void)pthread_mutex_unlock(&session.lock);
		return CTP_ERR_STATE;
	}
	session.error.status = CTP_OK;
	status = options_fill(&session.options, options, &err);
	if (status == CTP_OK)
		status = begin(&err);
	if (status != CTP_OK)
		session.error = err;
	(void)pthread_mutex_unlock(&session.lock);
	return status;
}

enum ctp_status ctp_stop(void)
{
	struct ctp_error err;
	enum ctp_status status = CTP_OK;

	(void)pthread_mutex_lock(&session.lock);
	if (atomic_exchange(&session.due, false))
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	if (atomic_load(&session.current) != 0) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		thread_stop_all();
		status = drain_stop(&err);
		thread_release_all();
		if (status != CTP_OK)
			session.error = err;
		registry_stop();
		atomic_store(&session.current, 0);
		spool_close(&session.spool);
	}
	(void)pthread_mutex_unlock(&session.lock);
	return status;
}

enum ctp_status ctp_flush(void)
{
	struct ctp_error err;
	enum ctp_status status = CTP_ERR_STATE;

	(void)pthread_mutex_lock(&session.lock);
	if (atomic_load(&session.current) != 0)
		status = drain_flush(&err);
	(void)pthread_mutex_unlock(&session.lock);
	return status;
}

const char *ctp_status(void)
{
	static char words[SESSION_PATH_BYTES + 256];

	(void)pthread_mutex_lock(&session.lock);
	if (session.error.status != CTP_OK)
		(void)snprintf(words, sizeof(words), "stopped: %s",
			session.error.message);
	else if (atomic_load(&session.due))
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
	(void)pthread_mutex_unlock(&session.lock);
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
