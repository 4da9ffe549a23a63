/* SPDX-License-Identifier: MIT */
/*
 * One thread reads the records of all others. It is woken when a chunk is full,
 * and checks every tenth of a second. It makes threads replace old chunks
 * before their 44-bit times can wrap, and once a second packs the events of
 * quiet threads.
 *
 * The scale of the clock is measured at the start of the recording, here rather
 * than in ctp_start(): the header block is written when it is known.
 *
 * If only the last events are kept, full chunks stay in a window, and are packed
 * when a flush, the signal or the end of the recording asks for it.
 */
#include "recorder/writer_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "pack/pack.h"
#include "pack/window.h"
#include "recorder/dump_signal.h"
#include "recorder/exit_watch.h"
#include "recorder/registry.h"
#include "recorder/session_state.h"
#include "recorder/thread.h"

#define BEAT_NS INT64_C(100000000)
#define BEATS_PER_FLUSH 10
/* Minimum time for measuring the scale, unless the program ends earlier and
 * waits for us. */
#define SCALE_NS INT64_C(10000000)
#define SCALE_STOP_NS INT64_C(1000000)

enum writer_thread_order {
	WRITER_THREAD_NONE,
	WRITER_THREAD_FLUSH,
	WRITER_THREAD_STOP
};

static struct {
	struct spool *spool;
	const struct session_options *options;
	struct clock_sync start;
	struct clock_sync newest; /* last sync entry written */
	bool tsc;
	struct clock_scale scale;
	struct log_writer *writer;
	int spool_lock;        /* for a separate descriptor table; or -1 */
	struct packer *packer; /* NULL until the scale is known */
	struct {
		uint64_t bytes;
		uint64_t blocks;
		struct packer_lost lost;
	} committed;           /* of the log */
	uint64_t unwritten_at; /* its block for losses after an error; or 0 */
	struct packer_lost unwritten;
	struct window window;
	uint64_t earlier; /* events before the window; the log's count */
	pthread_t thread;
	sigset_t mask; /* of the starting thread */
	bool running;
	struct ctp_error error; /* the first; status CTP_OK: none */
	/* Orders from start, flush and stop, which wait for their execution. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum writer_thread_order order;
	bool started;            /* the thread is in its loop */
	pthread_mutex_t working; /* held during each round */
	pthread_mutex_t next;    /* held while waiting for its end */
} writer = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
	.working = PTHREAD_MUTEX_INITIALIZER,
	.next = PTHREAD_MUTEX_INITIALIZER,
};

static enum writer_thread_order read_order(void)
{
	enum writer_thread_order order;

	(void)pthread_mutex_lock(&writer.lock);
	order = writer.order;
	(void)pthread_mutex_unlock(&writer.lock);
	return order;
}

static enum ctp_status write_sync(
	const struct clock_sync *sync, struct ctp_error *err)
{
	writer.newest = *sync;
	return log_frame_sync(writer.writer, &writer.scale, sync, err);
}

/* Writes a sync entry if the last one is old. Called before events are packed,
 * so that it precedes newer events. */
static enum ctp_status sync_if_due(struct ctp_error *err)
{
	struct clock_sync now;

	if (clock_ns(&writer.scale, clock_ticks(writer.tsc)) -
			clock_ns(&writer.scale, writer.newest.ticks) <
		LOG_SYNC_NS)
		return CTP_OK;
	now = clock_sync_now(writer.tsc);
	return write_sync(&now, err);
}

/* Commits that the log has `consumed` words of the chunk; NULL: other data was
 * added. */
static void commit(struct chunk *chunk, uint32_t consumed)
{
	writer.committed.bytes = log_writer_bytes(writer.writer);
	writer.committed.blocks = log_writer_blocks(writer.writer);
	writer.committed.lost = packer_lost(writer.packer);
	spool_commit(writer.spool, chunk, consumed,
		(struct spool_extent){log_writer_bytes(writer.writer),
			packer_event_count(writer.packer),
			packer_newest_ns(writer.packer)});
}

/* Measures the clock, once. */
static void measure_scale(void)
{
	struct clock_sync now = clock_sync_now(writer.tsc);
	int64_t elapsed = now.raw_ns - writer.start.raw_ns;
	int64_t least =
		read_order() == WRITER_THREAD_STOP ? SCALE_STOP_NS : SCALE_NS;

	if (writer.scale.ns_per_tick != 0)
		return;
	if (elapsed < least) {
		struct timespec rest = {0, least - elapsed};

		(void)nanosleep(&rest, NULL);
		now = clock_sync_now(writer.tsc);
	}
	writer.scale = clock_scale_between(&writer.start, &now, writer.tsc);
	writer.spool->own.scale = writer.scale;
	writer.spool->header->scale = writer.scale;
}

/* Writes the header and the first sync entry. */
static enum ctp_status begin_log(struct ctp_error *err)
{
	enum ctp_status status;

	if (writer.packer != NULL)
		return CTP_OK;
	measure_scale();
	writer.packer =
		packer_new(writer.writer, writer.scale, writer.options->min_ns);
	if (writer.packer == NULL)
		return ctp_no_memory(err);
	status = log_frame_header(
		writer.writer, &writer.spool->own, writer.spool->path, err);
	if (status == CTP_OK)
		status = write_sync(&writer.start, err);
	if (status == CTP_OK)
		status = log_frame_reserve(
			writer.writer, &writer.unwritten_at, err);
	if (status != CTP_OK)
		return status;
	writer.spool->header->unwritten_at = writer.unwritten_at;
	commit(NULL, 0);
	return CTP_OK;
}

/* Sites and tracks first: events refer to them. */
static enum ctp_status pack_registry(struct ctp_error *err)
{
	for (;;) {
		bool last;
		struct chunk *chunk = registry_chunk(&last);
		const uint32_t before = spool_consumed(writer.spool, chunk);
		uint32_t consumed = before;
		enum ctp_status status;

		spool_restore_label(writer.spool, chunk);
		status = packer_write_registry(
			writer.packer, chunk, &consumed, err);
		if (status != CTP_OK)
			return status;
		if (consumed != before)
			commit(chunk, consumed);
		if (last)
			return CTP_OK;
		registry_pass();
	}
}

/* A thread may be using its chunk: its sites are registered, and the clocks
 * compared, after its progress is read and before those events are in the log.
 * None of the `used` words is read later. */
static enum ctp_status pack_events(
	struct chunk *chunk, uint32_t used, struct ctp_error *err)
{
	const struct chunk_losses losses = spool_losses(writer.spool, chunk);
	uint32_t consumed = spool_consumed(writer.spool, chunk);
	enum ctp_status status;

	spool_restore_label(writer.spool, chunk);
	status = packer_read_events(writer.packer, chunk, &consumed, err);
	if (consumed < used)
		packer_count_lost(writer.packer, used - consumed);
	if (status == CTP_OK)
		status = pack_registry(err);
	if (status == CTP_OK)
		status = sync_if_due(err);
	if (status == CTP_OK)
		status = packer_write_events(writer.packer, &losses, err);
	if (status == CTP_OK)
		commit(chunk, consumed);
	return status;
}

static bool has_window(void)
{
	return writer.window.events_min != 0;
}

static bool has_thread(uint32_t track)
{
	for (const struct thread *thread = thread_first(); thread != NULL;
		thread = thread->next)
		if (atomic_load(&thread->alive) &&
			session_is(atomic_load(&thread->session)) &&
			atomic_load(&thread->track) == track)
			return true;
	return false;
}

/* Adds full chunks to the window, whose edge shows times in nanoseconds; with
 * `tracks`, forgets threads that have ended, which leave their last chunk
 * before. */
static enum ctp_status keep_window(bool tracks, struct ctp_error *err)
{
	enum ctp_status status;

	measure_scale();
	status = window_add(&writer.window, err);
	for (uint32_t i = 0; tracks && i < writer.window.track_room; i++)
		if (window_has_track(&writer.window, i) && !has_thread(i) &&
			atomic_load(&writer.spool->full_head) == 0)
			window_end_track(&writer.window, i);
	return status;
}

/* A chunk that cannot be packed stays in the spool, for the repair of the
 * log. */
static enum ctp_status pack_full(struct ctp_error *err)
{
	enum ctp_status status =
		has_window() ? keep_window(false, err) : CTP_OK;
	struct chunk *chunk = has_window() ? window_take(&writer.window)
					   : spool_pop_full(writer.spool);
	bool few; /* names: they fit the registry's last chunk */

	(void)registry_chunk(&few);
	if (status == CTP_OK && chunk == NULL && few)
		return CTP_OK;
	if (status == CTP_OK)
		status = begin_log(err);
	if (status == CTP_OK && !few)
		status = pack_registry(err);
	while (status == CTP_OK && chunk != NULL) {
		struct chunk *next = spool_next(writer.spool, chunk);

		status = pack_events(
			chunk, spool_used(writer.spool, chunk), err);
		if (status == CTP_OK)
			session_return_chunk(chunk);
		chunk = next;
	}
	return status;
}

/* Whether a live chunk has data that is not in the log. */
static bool has_news(const struct chunk *chunk)
{
	uint32_t consumed = spool_consumed(writer.spool, chunk);

	return consumed < CHUNK_WORDS &&
	       __atomic_load_n(&chunk->words[consumed], __ATOMIC_ACQUIRE) != 0;
}

/*
 * Packs the live chunks' data so far. A thread may fill its chunk and take the
 * next one meanwhile. Packing that one first would reverse the order, so full
 * chunks are packed first, until none became full after the check. A flush must
 * be complete, since its caller delivers later events next.
 */
static enum ctp_status pack_live(struct ctp_error *err)
{
	enum ctp_status status = begin_log(err);

	for (struct thread *thread = thread_first();
		status == CTP_OK && thread != NULL; thread = thread->next) {
		struct chunk *chunk;

		/* A hanging thread may have a chunk of another recording. */
		if (!session_is(atomic_load(&thread->session)))
			continue;
		do {
			status = pack_full(err);
			chunk = atomic_load(&thread->live);
		} while (status == CTP_OK && chunk != NULL &&
			 (atomic_load(&writer.spool->full_head) != 0 ||
				 atomic_load(&thread->live) != chunk));
		if (status == CTP_OK && chunk != NULL && has_news(chunk))
			status = pack_events(chunk, 0, err);
	}
	return status;
}

/* Packs everything; repeated, since stopping threads push their last chunks
 * while we pack. */
static enum ctp_status pack_all(struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK && atomic_load(&writer.spool->full_head) != 0)
		status = pack_full(err);
	if (status == CTP_OK)
		status = pack_live(err);
	if (status == CTP_OK)
		status = pack_registry(err);
	return status;
}

/* Writes how many events were not kept, if there are more. */
static enum ctp_status write_earlier(struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (window_earlier(&writer.window) == writer.earlier)
		return CTP_OK;
	writer.earlier = window_earlier(&writer.window);
	status = packer_write_earlier(writer.packer, writer.earlier, err);
	/* A chunk that was packed in part may become a prefix, which is not in
	 * the log. */
	if (status == CTP_OK)
		commit(NULL, 0);
	return status;
}

/* Packs the window, too. */
static enum ctp_status dump(struct ctp_error *err)
{
	enum ctp_status status = pack_all(err);

	if (status == CTP_OK && has_window()) {
		commit(NULL, 0);
		status = write_earlier(err);
	}
	return status;
}

/* Records the pending events of threads, since recording has stopped and chunks
 * are free again. */
static enum ctp_status pack_pending(struct ctp_error *err)
{
	enum ctp_status status = pack_all(err);

	for (struct thread *thread = thread_first();
		status == CTP_OK && thread != NULL; thread = thread->next)
		if (thread_is_pending(thread) && !thread_flush_pending(thread))
			atomic_fetch_add(&thread->dropped_events,
				thread->pending.end_count);
	return status == CTP_OK ? pack_all(err) : status;
}

/* After packing, counts as lost the words that a thread stored in a damaged
 * live chunk. */
static enum ctp_status lose_unreadable(struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (struct thread *thread = thread_first();
		status == CTP_OK && thread != NULL; thread = thread->next) {
		struct chunk *chunk = atomic_load(&thread->live);
		uint32_t used = chunk == NULL ? 0 : thread_used(thread, chunk);

		if (chunk != NULL &&
			session_is(atomic_load(&thread->session)) &&
			spool_consumed(writer.spool, chunk) < used)
			status = pack_events(chunk, used, err);
	}
	return status;
}

/* Writes each thread's losses, and all that is packed; adds the number and time
 * of threads' waits to the totals. */
static enum ctp_status write_losses(struct packer *packer,
	struct log_frame_totals *totals, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	totals->unrecorded = session_children_lost();
	for (const struct thread *thread = thread_first();
		status == CTP_OK && thread != NULL; thread = thread->next) {
		struct chunk_losses losses = thread_losses(thread);

		if (!session_is(atomic_load(&thread->session)))
			continue;
		totals->stalls += atomic_load(&thread->stalls);
		totals->stall_ns += atomic_load(&thread->stall_ns);
		losses.dropped_ranges += thread->pending.begin_count +
					 thread->pending.deep +
					 thread->timeline_dropped;
		status = packer_write_losses(
			packer, atomic_load(&thread->track), &losses, err);
	}
	if (status == CTP_OK)
		status = packer_finish(packer, err);
	return status;
}

/* Packs the rest and completes the log. */
static enum ctp_status end_log(struct ctp_error *err)
{
	struct clock_sync stop = clock_sync_now(writer.tsc);
	struct log_frame_totals totals = {0};
	enum ctp_status status = pack_pending(err);

	if (status == CTP_OK)
		status = lose_unreadable(err);
	if (status == CTP_OK)
		status = write_losses(writer.packer, &totals, err);
	if (status == CTP_OK)
		status = write_earlier(err);
	if (status == CTP_OK) {
		commit(NULL, 0); /* these counts are stored nowhere else */
		status = write_sync(&stop, err);
	}
	if (status != CTP_OK)
		return status;
	totals.log_ns = clock_ns(&writer.scale, stop.ticks);
	totals.events = packer_event_count(writer.packer);
	status = log_frame_end(writer.writer, &totals, err);
	if (status == CTP_OK)
		commit(NULL, 0);
	if (status == CTP_OK && log_writer_is_removed(writer.writer)) {
		errno = 0;
		status = ctp_fail(err, CTP_ERR_IO,
			"%s was removed while it was written", session_log());
	}
	return status;
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* After an error: how much is neither in the log nor in a chunk; and, once
 * threads have `stopped`, how much is not in the log. */
static void count_unwritten(bool stopped)
{
	const struct chunk_losses all = thread_all_losses(stopped);
	struct spool_header *header = writer.spool->header;
	struct packer_lost lost = {
		less(all.dropped_ranges, writer.committed.lost.ranges),
		less(all.dropped_events, writer.committed.lost.events)};
	struct spool_left left;

	writer.unwritten = lost;
	header->unwritten_ranges = lost.ranges;
	header->unwritten_events = lost.events;
	if (!stopped || writer.unwritten_at == 0)
		return;
	left = spool_left(writer.spool);
	lost.ranges += left.ranges;
	lost.events += left.others;
	(void)log_frame_set_unwritten(
		writer.writer, writer.unwritten_at, &lost);
}

/* An error ends the recording, so that no thread waits for a chunk. The log
 * has no events that are still in a chunk. */
static void set_error(enum ctp_status status, const struct ctp_error *err)
{
	if (status == CTP_OK || writer.error.status != CTP_OK)
		return;
	writer.error = *err;
	if (writer.unwritten_at != 0)
		log_writer_cut(writer.writer, writer.committed.bytes,
			writer.committed.blocks);
	session_fail(err);
}

/* The program may close descriptors that are not its own, as daemons do. The
 * spool needs its lock, which the mapping keeps on most file systems, but not
 * on overlays; and the program may still have the spool open. */
static void regain_files(void)
{
	if (log_writer_regain(writer.writer) &&
		!file_id_is(&writer.spool->id, writer.spool_lock))
		writer.spool_lock =
			file_id_open(&writer.spool->id, writer.spool->path);
}

/* The system closes the thread's own descriptors shortly after it reports the
 * thread's end, when the next recording may already need the log. */
static void leave_files(void)
{
	log_writer_leave(writer.writer);
	file_id_close(&writer.spool->id, writer.spool_lock);
}

static void beat(enum writer_thread_order order, unsigned beats)
{
	struct ctp_error err;
	enum ctp_status status;

	writer.spool->header->unrecorded = session_children_lost();
	if (writer.error.status != CTP_OK) {
		count_unwritten(order == WRITER_THREAD_STOP);
		return;
	}
	regain_files();
	status = has_window() && order == WRITER_THREAD_NONE
			 ? keep_window(beats % BEATS_PER_FLUSH ==
					       BEATS_PER_FLUSH - 1,
				   &err)
			 : pack_full(&err);
	if (status == CTP_OK && order == WRITER_THREAD_STOP)
		status = end_log(&err);
	else if (status == CTP_OK && order == WRITER_THREAD_FLUSH)
		status = dump(&err);
	else if (status == CTP_OK && !has_window() &&
		 beats % BEATS_PER_FLUSH == BEATS_PER_FLUSH - 1)
		status = pack_live(&err);
	set_error(status, &err);
	if (status != CTP_OK && order == WRITER_THREAD_STOP)
		count_unwritten(true);
}

static void *run(void *argument)
{
	int64_t next_beat = clock_raw_ns() + BEAT_NS;
	enum writer_thread_order order = WRITER_THREAD_NONE;
	unsigned beats = 0;

	thread_mute();
	/* Another thread could set the name only through /proc, which may be
	 * read-only. */
	(void)pthread_setname_np(pthread_self(), "ctprof");
	(void)pthread_mutex_lock(&writer.lock);
	writer.started = true;
	(void)pthread_cond_broadcast(&writer.changed);
	(void)pthread_mutex_unlock(&writer.lock);
	while (order != WRITER_THREAD_STOP) {
		uint32_t seen = atomic_load(&writer.spool->full_event);
		int64_t now_ns = clock_raw_ns();
		bool due = now_ns >= next_beat;

		order = read_order();
		if (due) {
			next_beat = now_ns + BEAT_NS;
			thread_rotate_old(clock_ticks(writer.tsc));
			exit_watch_check(&writer.mask);
		}
		writer_thread_pause();
		beat(order == WRITER_THREAD_NONE && dump_signal_take()
				? WRITER_THREAD_FLUSH
				: order,
			due ? ++beats : 0);
		if (due)
			session_reclaim();
		writer_thread_resume();
		if (order != WRITER_THREAD_NONE) {
			(void)pthread_mutex_lock(&writer.lock);
			writer.order = WRITER_THREAD_NONE;
			(void)pthread_cond_broadcast(&writer.changed);
			(void)pthread_mutex_unlock(&writer.lock);
		} else { /* returns immediately if woken since `seen` */
			spool_wait_full(writer.spool, seen, BEAT_NS);
		}
	}
	leave_files();
	return argument;
}

/* Blocks signals, which are for the program's own threads. */
static int make_thread(void)
{
	sigset_t all;
	int result;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &writer.mask);
	result = pthread_create(&writer.thread, NULL, run, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &writer.mask, NULL);
	return result;
}

enum ctp_status writer_thread_start(struct spool *spool, int fd,
	const struct session_options *options, const struct clock_sync *start,
	struct ctp_error *err)
{
	writer.spool = spool;
	writer.options = options;
	writer.start = *start;
	writer.newest = *start;
	writer.tsc = spool->own.clock == SPOOL_CLOCK_TSC;
	writer.scale = (struct clock_scale){start->ticks, 0};
	writer.packer = NULL;
	writer.unwritten_at = 0;
	writer.unwritten = (struct packer_lost){0};
	writer.earlier = 0;
	writer.spool_lock = -1;
	writer.error.status = CTP_OK;
	writer.order = WRITER_THREAD_NONE;
	writer.started = false;
	writer.writer = log_writer_new(fd, options->level);
	if (writer.writer == NULL) {
		(void)close(fd);
		return ctp_no_memory(err);
	}
	log_writer_follow(writer.writer, spool->own.log_path);
	if (window_init(&writer.window, spool, options->last, err) != CTP_OK) {
		log_writer_free(writer.writer);
		return err->status;
	}
	(void)dump_signal_take();
	if (make_thread() != 0) {
		window_clear(&writer.window);
		log_writer_free(writer.writer);
		return ctp_fail(err, CTP_ERR_NOMEM,
			"cannot create the background thread");
	}
	/* A fork now would catch it anywhere between creation and its loop. */
	(void)pthread_mutex_lock(&writer.lock);
	while (!writer.started)
		(void)pthread_cond_wait(&writer.changed, &writer.lock);
	(void)pthread_mutex_unlock(&writer.lock);
	writer.running = true;
	return CTP_OK;
}

/* Gives an order and waits for its execution. */
static enum ctp_status command(
	enum writer_thread_order order, struct ctp_error *err)
{
	if (!writer.running)
		return CTP_OK;
	(void)pthread_mutex_lock(&writer.lock);
	writer.order = order;
	spool_wake(writer.spool);
	while (writer.order != WRITER_THREAD_NONE)
		(void)pthread_cond_wait(&writer.changed, &writer.lock);
	(void)pthread_mutex_unlock(&writer.lock);
	*err = writer.error;
	return writer.error.status;
}

enum ctp_status writer_thread_flush(struct ctp_error *err)
{
	return command(WRITER_THREAD_FLUSH, err);
}

enum ctp_status writer_thread_stop(struct ctp_error *err)
{
	enum ctp_status status = command(WRITER_THREAD_STOP, err);

	if (!writer.running)
		return status;
	(void)pthread_join(writer.thread, NULL);
	packer_free(writer.packer);
	log_writer_free(writer.writer);
	window_clear(&writer.window);
	writer.packer = NULL;
	writer.writer = NULL;
	writer.running = false;
	return status;
}

struct packer_lost writer_thread_unwritten(void)
{
	struct packer_lost lost;

	writer_thread_pause();
	lost = writer.unwritten;
	writer_thread_resume();
	return lost;
}

const struct packer *writer_thread_packer(void)
{
	return writer.packer;
}

const struct window *writer_thread_window(void)
{
	return has_window() ? &writer.window : NULL;
}

void writer_thread_pause(void)
{
	/* Without this, a busy background thread would repeatedly begin its
	 * next round before we are awake. */
	(void)pthread_mutex_lock(&writer.next);
	(void)pthread_mutex_lock(&writer.working);
	(void)pthread_mutex_unlock(&writer.next);
}

void writer_thread_resume(void)
{
	(void)pthread_mutex_unlock(&writer.working);
}

void writer_thread_forget(void)
{
	/* The log belongs to the parent, and is locked while anyone has it
	 * open. */
	if (writer.running)
		log_writer_leave(writer.writer);
	/* The thread's allocations are lost; its state may be inconsistent. */
	writer.running = false;
	writer.packer = NULL;
	writer.writer = NULL;
	writer.window = (struct window){0};
	writer.order = WRITER_THREAD_NONE;
	(void)pthread_mutex_init(&writer.lock, NULL);
	(void)pthread_mutex_init(&writer.working, NULL);
	(void)pthread_mutex_init(&writer.next, NULL);
	(void)pthread_cond_init(&writer.changed, NULL);
}
