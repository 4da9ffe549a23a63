/* SPDX-License-Identifier: MIT */
/*
 * Start and stop, on top of all other files. A recording has a number; threads
 * compare it with that of their last record. After fork, the child's recording
 * is due at its first event, with another name: it inherits no chunk of the
 * parent's, and most children call exec anyway.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/environment.h"
#include "pack/options.h"
#include "pack/process.h"
#include "recorder/device_link.h"
#include "recorder/device_load.h"
#include "recorder/dump_signal.h"
#include "recorder/exit_watch.h"
#include "recorder/forward.h"
#include "recorder/function_filter.h"
#include "recorder/instrument_abi.h"
#include "recorder/registry.h"
#include "recorder/session_state.h"
#include "recorder/thread.h"
#include "recorder/writer_thread.h"
#include "log/log.h"
#include "pack/chunk.h"

/* ---- ranges open in a fork ---- */

struct thread;

struct fork_ranges {
	uint32_t count; /* ranges, outermost first */
	uint32_t deep;  /* inner ranges whose sites are not kept */
	uint32_t sites[LOG_OPEN_MAX];
};

/* The argument (1) of such ranges in the child's log, and its number of
 * words. */
#define KEY "inherited"
#define KEY_BYTES (sizeof(KEY) - 1)
#define KEY_WORDS ((KEY_BYTES + 7) / 8)

static struct {
	struct fork_ranges open;
	/* In the child; NULL: none. Atomic because any thread may end while
	 * another stops the recording. */
	struct thread *_Atomic thread;
	char name[16]; /* of the thread */
} saved;

static void begin_range(struct fork_ranges *inherit, uint32_t site)
{
	if (inherit->deep == 0 && inherit->count < LOG_OPEN_MAX)
		inherit->sites[inherit->count++] = site;
	else
		inherit->deep++;
}

static void end_range(struct fork_ranges *inherit)
{
	if (inherit->deep > 0)
		inherit->deep--;
	else if (inherit->count > 0)
		inherit->count--;
}

/* Reads the records of a thread's chunk that are not in the log yet. */
static void read_chunk(struct fork_ranges *inherit, const struct chunk *chunk)
{
	uint32_t at = chunk->consumed;
	uint32_t words;

	for (; (words = chunk_record_words(chunk, at)) != 0; at += words) {
		const uint64_t *record = &chunk->words[at];
		const uint64_t word = __atomic_load_n(record, __ATOMIC_ACQUIRE);
		uint32_t site = chunk_site(chunk, word);

		if (site == 0)
			end_range(inherit);
		else if (site != CHUNK_ID_LONG)
			begin_range(inherit, site);
		else if (words > 2 &&
			 chunk_head(chunk, word).kind == CHUNK_BEGIN)
			begin_range(inherit, (uint32_t)record[2]);
	}
}

static void read_log(
	struct fork_ranges *open, const struct packer *packer, uint32_t track)
{
	uint32_t depth;
	const uint32_t *sites = packer_open_ranges(packer, track, &depth);

	for (uint32_t i = 0; i < depth; i++)
		begin_range(open, i < LOG_OPEN_MAX ? sites[i] : 0);
}

/* In the log, in full chunks, in the live one. */
static void read_track(struct fork_ranges *open, const struct thread *thread)
{
	const struct spool *spool = session_spool();
	uint32_t track = atomic_load(&thread->track);
	const struct chunk *chunk;
	uint64_t seq = 0;

	if (writer_thread_packer() != NULL)
		read_log(open, writer_thread_packer(), track);
	if (writer_thread_window() != NULL)
		for (; (chunk = window_find(
				writer_thread_window(), track, &seq)) != NULL;
			seq++)
			read_chunk(open, chunk);
	for (; (chunk = spool_find_full(spool, track, &seq)) != NULL; seq++)
		read_chunk(open, chunk);
	chunk = atomic_load(&thread->live);
	if (chunk != NULL)
		read_chunk(open, chunk);
}

/*
 * Before fork, in the recording `session` (0: none, so that the process's own
 * inherited ranges are passed on): saves the calling thread's open ranges.
 * Between writer_thread_pause() and writer_thread_resume().
 */
static void fork_ranges_save(uint64_t session)
{
	const struct thread *thread = thread_self();
	struct fork_ranges *open = &saved.open;

	if (session == 0) {
		if (atomic_load(&saved.thread) != thread)
			open->count = open->deep = 0;
		return;
	}
	open->count = open->deep = 0;
	if (thread == NULL || atomic_load(&thread->session) != session)
		return;
	read_track(open, thread);
	for (uint32_t i = 0; i < thread->pending.end_count; i++)
		end_range(open);
	for (uint32_t i = 0; i < thread->pending.begin_count; i++)
		begin_range(open, thread->pending.begins[i].site);
	open->deep += thread->pending.deep;
}

/* In the child: assigns them to the calling thread. */
static void fork_ranges_adopt(void)
{
	atomic_store(&saved.thread, thread_self());
	(void)prctl(PR_GET_NAME, saved.name);
}

/* In the child, if this thread (NULL: any) ends before it recorded: drops the
 * ranges. */
static void fork_ranges_forget(const struct thread *thread)
{
	struct thread *heir = atomic_load(&saved.thread);

	if (thread == NULL || thread == heir)
		(void)atomic_compare_exchange_strong(
			&saved.thread, &heir, NULL);
}

/* Records a range with its argument; false without room. */
static bool record(struct thread *thread, uint32_t site, uint64_t ticks)
{
	static const struct chunk_head opening = {CHUNK_BEGIN, 2, 0};
	static const struct chunk_head argument = {
		CHUNK_ARG_INT, 2 + KEY_WORDS, KEY_BYTES - (KEY_WORDS - 1) * 8};
	uint64_t words[2 + KEY_WORDS] = {ticks, 1};
	uint64_t *at = thread_reserve(thread, 3 + 1 + argument.words);

	if (at == NULL)
		return false;
	memcpy(words + 2, KEY, KEY_BYTES);
	thread_store(thread, at, opening, (uint64_t[]){ticks, site});
	thread_store(thread, at + 3, argument, words);
	return true;
}

/* Begins the track of the thread that forked in the child's recording `session`
 * with the inherited ranges, at the time of the fork. */
static void fork_ranges_record(uint64_t session, uint64_t ticks)
{
	struct thread *thread = atomic_exchange(&saved.thread, NULL);
	const struct fork_ranges *open = &saved.open;
	uint32_t done = 0;

	if (thread == NULL || open->count + open->deep == 0)
		return;
	thread_join(thread, session, saved.name);
	while (done < open->count && record(thread, open->sites[done], ticks))
		done++;
	/* Their ends must not end other ranges. */
	thread->pending.deep = open->count - done + open->deep;
}

#define NAME_TRIES 1000
#define NAME_MOST 120 /* half of an error's message */

static struct {
	pthread_mutex_t lock;          /* protects start and stop */
	uint64_t last;                 /* number given last */
	_Atomic bool environment_read; /* or not needed */
	_Atomic bool due; /* a recording begins with the next event */
	bool child;       /* forked while a recording was on or due, */
	bool refused;     /* and its recording could not begin */
	uint32_t parent;  /* in a child that was forked while recording */
	uint32_t forking; /* forking process: getppid() may have another
			   * number */
	struct clock_sync forked; /* time of the fork */
	bool forks_watched;
	uint64_t lost; /* events missing in the log at the end */
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

/* Events that are not in the log. */
static uint64_t count_lost(void)
{
	struct packer_lost unwritten = writer_thread_unwritten();
	struct spool_left left;

	/* The writer's thread empties chunks. */
	writer_thread_pause();
	left = spool_left(&session_state.spool);
	writer_thread_resume();
	return left.records + 2 * unwritten.ranges + unwritten.events;
}

/* Writes why recording stopped; false if it did not. */
static bool describe_reason(char *out, size_t size)
{
	return session_describe_reason(out, size,
		atomic_load(&session_state.current) == 0 ? session.lost
							 : count_lost());
}

static void fill_facts(struct spool_facts *facts)
{
	spool_describe_process(facts, session_state.options.no_command);
	facts->parent = session.parent;
	facts->policy = (uint32_t)session_state.options.policy;
	facts->level = (uint32_t)session_state.options.level;
	facts->min_ns = session_state.options.min_ns;
}

static int close_for(int fd, int reason)
{
	(void)close(fd);
	errno = reason;
	return -1;
}

/* Names of the program's own open files. */
static bool is_descriptor(const char *path)
{
	static const char *const names[] = {
		"/dev/fd/", "/proc/self/fd/", "/dev/stdout", "/dev/stderr"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/*
 * Opens an existing file. In a directory writable by others, it may be a trap
 * to make us overwrite our own file, or write to one that they read.
 * Write-only: a process that also has a pipe open for reading does not notice
 * that its other readers are gone. And a pipe without a reader is an error
 * rather than a wait.
 */
static int open_existing(const char *path, const char **why)
{
	int follow = is_descriptor(path) ? 0 : O_NOFOLLOW;
	int fd = open(
		path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow);
	struct stat found;

	if (fd < 0 && errno == ELOOP && follow != 0)
		*why = "is a symbolic link and is not followed; give the path "
		       "that it leads to";
	if (fd < 0 || follow == 0 || fstat(fd, &found) != 0 ||
		S_ISCHR(found.st_mode) || found.st_uid == geteuid())
		return fd;
	*why = "belongs to another user; remove it, or write to another file";
	return close_for(fd, EPERM);
}

/*
 * Opens our own log: exclusively created, or locked against other recorders so
 * that a parent and a child with the same CTPROF_OUT do not write to one file.
 */
static int open_log(const char *path, bool exclusive, const char **why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0 && errno == EEXIST && !exclusive)
		fd = open_existing(path, why);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return close_for(fd, EEXIST);
	if (ftruncate(fd, 0) != 0 && errno != EINVAL)
		return close_for(fd, errno);
	if (fcntl(fd, F_SETFL, 0) != 0)
		return close_for(fd, errno);
	return fd;
}

/*
 * Creates the empty log `path`. Creates a new one beside it, with the pid in
 * its name, if another recorder writes to it, if it exists and `exclusive` is
 * set, or for a forked `child`. `name`, OPTIONS_PATH_BYTES long, receives the
 * final name. A symbolic link is not followed, and another user's file is not
 * written to.
 *
 * Errors: -1, CTP_ERR_IO.
 */
static int make_log(const char *path, bool exclusive, bool child, char *name,
	struct ctp_error *err)
{
	const char *why = NULL;
	int fd = -1;

	(void)snprintf(name, OPTIONS_PATH_BYTES, "%s", path);
	errno = EEXIST;
	if (!child)
		fd = open_log(name, exclusive, &why);
	for (int i = 1; fd < 0 && errno == EEXIST && i < NAME_TRIES; i++) {
		options_other_name(
			name, OPTIONS_PATH_BYTES, path, (long)getpid(), i);
		fd = open_log(name, true, &why);
	}
	if (fd >= 0)
		return fd;
	if (why != NULL)
		errno = 0; /* its name adds nothing */
	(void)ctp_fail(err, CTP_ERR_IO, "cannot create %.*s%s%s",
		why == NULL ? INT_MAX : NAME_MOST, name,
		why == NULL ? "" : ": it ", why == NULL ? "" : why);
	return -1;
}

/* Makes `path` absolute, for use from other directories. */
static void make_absolute(char *out, size_t size, const char *path)
{
	size_t used = 0;

	if (path[0] != '/' && getcwd(out, size - 1) != NULL) {
		used = strlen(out);
		out[used++] = '/';
	}
	(void)snprintf(out + used, size - used, "%s", path);
}

/* `log` is the log's descriptor. */
static enum ctp_status open_spool(
	const struct clock_sync *start, int log, struct ctp_error *err)
{
	const struct file_id id = file_id_of(log);
	char *directory = realpath(session_state.options.spool, NULL);
	enum ctp_status status = spool_open(&session_state.spool,
		directory == NULL ? session_state.options.spool : directory,
		session_state.options.chunks, session_state.options.chunk_max,
		thread_any_may_store, err);
	struct spool_header *header = &session_state.spool.own;

	free(directory);
	if (status != CTP_OK)
		return status;
	header->clock =
		options_spool_clock(&session_state.options, session_state.tsc);
	header->start = *start;
	header->range_ps = clock_range_ps(session_state.tsc);
	header->rank = options_rank();
	make_absolute(
		header->log_path, sizeof(header->log_path), session_state.path);
	/* A repair must distinguish the log from other files of that name. */
	header->log_device = (uint64_t)id.device;
	header->log_inode = (uint64_t)id.inode;
	fill_facts(&header->facts);
	spool_publish(&session_state.spool);
	if (!registry_start(&session_state.spool))
		return ctp_fail(err, CTP_ERR_NOMEM,
			"more names than fit into the buffers");
	atomic_store(&session_state.spool.header->ready, 1);
	return CTP_OK;
}

/* Loads the filter of excluded functions. */
static enum ctp_status load_filter(struct ctp_error *err)
{
	enum ctp_status status;

	instrument_lock();
	status =
		function_filter_load(environment_find("CTPROF_FUNCTIONS"), err);
	instrument_unlock();
	if (status == CTP_OK)
		instrument_begin();
	return status;
}

static bool wants_devices(void)
{
	return session_state.options.gpu >= CTP_GPU_LIGHT;
}

/* The log's fact about devices until they are recorded. */
static void report_devices(void)
{
	char problem[DEVICE_PROBLEM_BYTES];

	if (device_is_forked())
		device_load_report(DEVICE_FORKED);
	else if (device_load_problem(problem, sizeof(problem)))
		device_load_report(problem);
	else
		device_load_report("the program has not used CUDA");
}

/* Removes the empty log, but not a pipe or device. */
static void remove_log(void)
{
	struct stat found;

	if (lstat(session_state.path, &found) == 0 && S_ISREG(found.st_mode))
		(void)unlink(session_state.path);
}

/*
 * A thread that a signal interrupted inside the recorder may hold any lock
 * here. Such a fork (e.g. of a handler that starts a debugger) is ignored, and
 * the child does not record.
 */
static void before_fork(void)
{
	if (thread_is_inside())
		return;
	device_lock(); /* its holder may begin a recording */
	(void)pthread_mutex_lock(&session.lock);
	instrument_lock();
	registry_lock(); /* its holder may wait for drained chunks */
	writer_thread_pause();
	session.forking = (uint32_t)getpid();
	fork_ranges_save(atomic_load(&session_state.current));
}

static void after_fork_parent(void)
{
	if (thread_is_inside())
		return;
	writer_thread_resume();
	registry_unlock();
	instrument_unlock();
	(void)pthread_mutex_unlock(&session.lock);
	device_unlock();
}

/* Detaches from the parent's recording, its spool and log. */
static void leave_parent(void)
{
	atomic_store(&session_state.current, 0);
	atomic_store(&session_state.open, 0);
	thread_forget_others();
	fork_ranges_adopt();
	writer_thread_forget();
	session_forget_failure();
	spool_leave(&session_state.spool);
}

/* A child may succeed in beginning a recording where its parent failed. */
static bool retry(void)
{
	const struct ctp_error none = {.status = CTP_OK};

	if (!session.refused)
		return false;
	session.refused = false;
	session_set_reason(&none);
	__atomic_store_n(&ctp_on, 1, __ATOMIC_SEQ_CST);
	return true;
}

static void after_fork_child(void)
{
	bool failed = session_has_failed();
	bool was_on = atomic_load(&session_state.current) != 0 && ctp_on != 0 &&
		      !failed;
	bool was_due = atomic_load(&session.due);

	session_mark_own();
	session_forget_reason();
	exit_watch_start();
	device_load_forget();
	device_child();
	if (thread_is_inside()) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		atomic_store(&session.due, false);
		session.refused = false;
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
	session_children_forked();
	if (failed)
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	session.child = was_on || was_due || retry();
	if (was_on) {
		session.parent = session.forking;
		session.forked = clock_sync_now(session_state.tsc);
	}
	atomic_store(&session.due, session.child);
}

/* Follows forks from now on. The lock is held. */
static void watch_forks(void)
{
	session_mark_own();
	if (!session.forks_watched)
		session.forks_watched =
			pthread_atfork(before_fork, after_fork_parent,
				after_fork_child) == 0;
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
	forward_start(session_state.options.emit);
	/* Keeps the log of the program that called exec in this process. */
	fd = make_log(session_state.options.out,
		session_state.options.exclusive,
		session.child ||
			(session.last == 0 &&
				!session_state.options.exclusive &&
				spool_was_left(session_state.options.spool)),
		session_state.path, err);
	if (fd < 0)
		return err->status;
	session_state.tsc = options_use_tsc(&session_state.options);
	clock_count_events(session_state.options.clock == CTP_CLOCK_EVENTS);
	start = session.parent != 0 ? session.forked
				    : clock_sync_now(session_state.tsc);
	session_children_begin();
	session_forget_failure();
	thread_forget_losses();
	status = open_spool(&start, fd, err);
	if (status == CTP_OK)
		status = writer_thread_start(&session_state.spool, fd,
			&session_state.options, &start, err);
	else
		(void)close(fd);
	if (status != CTP_OK) {
		registry_stop();
		spool_close(&session_state.spool, false);
		remove_log();
		return status;
	}
	watch_forks();
	session.refused = false;
	/* A recording that continues in a child keeps its number, so that hooks
	 * know that the thread's functions are still open. */
	if (session.parent == 0)
		session.last++;
	atomic_store(&session_state.open, session.last);
	fork_ranges_record(session.last, start.ticks);
	atomic_store(&session.due, false);
	atomic_store(&session_state.current, session.last);
	__atomic_store_n(&ctp_on, 1, __ATOMIC_SEQ_CST);
	if (wants_devices())
		report_devices();
	return CTP_OK;
}

/* Frees other state of a thread. */
static void end_thread(const struct thread *thread)
{
	instrument_thread_end();
	fork_ranges_forget(thread);
}

static void watch_dump_signal(void)
{
	if (session_state.options.last != 0)
		dump_signal_watch(session_state.options.dump_signal);
}

/*
 * The recording begins with the first event: the library may be preloaded into
 * every shell and linker of a build, most of which record nothing.
 */
static void read_environment(void)
{
	struct thread_hold before;
	struct ctp_error err;

	if (atomic_load(&session.environment_read))
		return;
	before = hold();
	thread_on_end(end_thread);
	if (atomic_load(&session.environment_read)) {
		/* Another thread did. */
	} else if (!options_in_environment()) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	} else if (options_fill(&session_state.options, NULL, &err) != CTP_OK) {
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
		session_set_reason(&err);
		session_print_reason(&err);
	} else {
		watch_forks();
		watch_dump_signal();
		atomic_store(&session.due, true);
		if (wants_devices())
			device_load_later();
	}
	atomic_store(&session.environment_read, true);
	release(before);
}

/* Once: each child of a process whose log cannot be made would leave one. */
static void leave_reason(const struct ctp_error *err)
{
	static bool done;

	if (!done && !session.child)
		spool_leave_reason(session_state.options.spool,
			clock_sync_now(false).realtime_ns, err->message);
	done = true;
}

/* Cancels a recording that was due but failed. Forked children try again from
 * the start. The lock is held. */
static void cancel_due(const struct ctp_error *err)
{
	session.refused = session.child;
	if (session.child)
		session_children_lose();
	session.parent = 0;
	fork_ranges_forget(NULL);
	atomic_store(&session.due, false);
	__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	session_set_reason(err);
	session_print_reason(err);
	leave_reason(err);
}

uint64_t session_current(void)
{
	struct ctp_error err;
	struct thread_hold before;

	read_environment();
	if (!atomic_load(&session.due))
		return atomic_load(&session_state.current);
	before = hold();
	if (atomic_load(&session.due) && begin(&err) != CTP_OK)
		cancel_due(&err);
	release(before);
	return atomic_load(&session_state.current);
}

enum ctp_status ctp_start(const struct ctp_options *options)
{
	struct ctp_error err = {.status = CTP_OK};
	enum ctp_status status = CTP_ERR_STATE;
	struct thread_hold before;

	read_environment();
	before = hold();
	if (atomic_load(&session_state.current) == 0 &&
		!atomic_load(&session.due)) {
		session_set_reason(&err);
		status = options_fill(&session_state.options, options, &err);
		if (status == CTP_OK)
			status = begin(&err);
		if (status == CTP_OK)
			watch_dump_signal();
		else
			session_set_reason(&err);
	}
	release(before);
	if (status == CTP_OK && wants_devices())
		device_load();
	return status;
}

/* Ends the recording. The lock is held. */
static enum ctp_status end(void)
{
	struct ctp_error err;
	enum ctp_status status;
	bool keep = false;

	__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	thread_stop_all();
	thread_rename_all();
	status = writer_thread_stop(&err);
	thread_release_all();
	session.lost = status == CTP_OK ? 0 : count_lost();
	if (status != CTP_OK) {
		session_publish_reason();
		/* The process that started us reads the reason from it. */
		keep = session_state.options.exclusive;
	}
	registry_stop();
	atomic_store(&session_state.current, 0);
	atomic_store(&session_state.open, 0);
	spool_close(&session_state.spool, keep);
	return status;
}

enum ctp_status ctp_stop(void)
{
	struct thread_hold before;
	enum ctp_status status = CTP_OK;

	if (!session_is_own())
		return CTP_ERR_STATE;
	device_stop();
	before = hold();
	if (atomic_exchange(&session.due, false))
		__atomic_store_n(&ctp_on, 0, __ATOMIC_SEQ_CST);
	if (atomic_load(&session_state.current) != 0)
		status = end();
	/* The next events of a forked child are not the parent's. */
	fork_ranges_forget(NULL);
	session.child = false;
	session.refused = false;
	session.parent = 0;
	release(before);
	return status;
}

enum ctp_status ctp_flush(void)
{
	struct thread_hold before;
	struct ctp_error err;
	enum ctp_status status = CTP_ERR_STATE;

	if (!session_is_own())
		return status;
	before = hold();
	if (atomic_load(&session_state.current) != 0)
		status = writer_thread_flush(&err);
	release(before);
	return status;
}

static void describe_recording(char *words, size_t size)
{
	char problem[DEVICE_PROBLEM_BYTES];
	char what[64] = "";
	bool has_problem = device_load_problem(problem, sizeof(problem));

	if (session_state.options.last != 0)
		(void)snprintf(what, sizeof(what),
			"the last %" PRIu64 " events ",
			session_state.options.last);
	(void)snprintf(words, size, "recording %sto %s%s%s%s%s", what,
		session_state.path,
		session_state.spool.fd < 0
			? " (without a spool: events not yet in the log are "
			  "lost if the program is killed)"
			: "",
		has_problem ? " (without GPUs: " : "", problem,
		has_problem ? ")" : "");
}

const char *ctp_status(void)
{
	static char words[OPTIONS_PATH_BYTES + 1024];
	const struct thread_hold before = hold();
	size_t used = (size_t)snprintf(words, sizeof(words), "stopped: ");

	if (describe_reason(words + used, sizeof(words) - used)) {
		release(before);
		return words;
	}
	if (atomic_load(&session.due))
		(void)snprintf(words, sizeof(words),
			"recording begins with the first event");
	else if (atomic_load(&session_state.current) == 0)
		(void)snprintf(words, sizeof(words), "off");
	else
		describe_recording(words, sizeof(words));
	release(before);
	return words;
}

__attribute__((constructor)) static void start_from_environment(void)
{
	exit_watch_start();
	read_environment();
}

static void stop_last(int status, void *argument)
{
	(void)status;
	(void)argument;
	(void)ctp_stop();
}

/* Other libraries' destructors may run after ours; handlers registered while
 * destructors run are called after the last of them. */
__attribute__((destructor)) static void stop_at_exit(void)
{
	if (on_exit(stop_last, NULL) != 0)
		(void)ctp_stop();
}
