/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_drain.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ctprof.h"
#include "recorder/device_link.h"
#include "cupti/cupti_buffers.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_graph.h"
#include "cupti/cupti_load.h"
#include "cupti/cupti_record.h"
#include "cupti/cupti_session.h"
#include "cupti/cupti_state.h"
#include "cupti/cupti_subscribe.h"
#include "recorder/instrument_abi.h"

/* How long CUPTI may have a buffer until it is asked for it. */
#define FLUSH_NS INT64_C(1000000000)

/* How long a stop waits while nothing is read. */
#define STOP_S 8

/* Readings of both clocks, the closest of which counts. */
#define READINGS 25

enum count { FOREIGN, LEFT_OUT, COUNTS };

static struct {
	pthread_mutex_t lock; /* over the next; not held in CUPTI */
	pthread_cond_t done;
	uint32_t asked; /* stops */
	uint32_t served;
	bool last;
	_Atomic uint32_t progress; /* buffers read */
	_Atomic bool is_wanted;    /* what CUPTI gives back */
	uint64_t session; /* the recording that was drained into last */
	bool has_clock;
	uint64_t counts[COUNTS]; /* as facts have them */
} drain = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* One instant on CUPTI's clock and the recorder's. */
static void sync_clocks(void)
{
	uint64_t least = UINT64_MAX;
	uint64_t ticks = 0;
	uint64_t ns = 0;
	struct timespec time;

	for (int i = 0; i < READINGS; i++) {
		uint64_t device_ns;
		uint64_t before = ctp_private_ticks();
		int result = cupti_library.cupti.cuptiGetTimestamp(&device_ns);
		uint64_t width = ctp_private_ticks() - before;

		if (result != CUPTI_OK || width >= least)
			continue;
		least = width;
		ticks = before + width / 2;
		ns = device_ns;
	}
	if (least == UINT64_MAX)
		return;
	(void)ctp_private_device_sync(ticks, (int64_t)ns);
	cupti_record_now((int64_t)ns);
	if (drain.has_clock)
		return;
	drain.has_clock = true;
	(void)clock_gettime(CLOCK_REALTIME, &time);
	cupti_session_number("gpu.clock_offset_ns",
		(int64_t)ns -
			((int64_t)time.tv_sec * 1000000000 + time.tv_nsec));
}

/* CUPTI's own size, since it knows kinds whose size it does not tell us. A
 * record that it cannot read ends the buffer, because its length is unknown. */
static const uint8_t *ask_next(
	const struct cupti_buffer *buffer, const uint8_t *record)
{
	void *next = (void *)(uintptr_t)record;
	int result = cupti_library.cupti.cuptiActivityGetNextRecord(
		buffer->bytes, buffer->valid, &next);

	if (result == CUPTI_OK)
		return next;
	if (result != CUPTI_MAX_LIMIT_REACHED)
		cupti_session_lose(CUPTI_LOSS_UNKNOWN, 1);
	return NULL;
}

/* The next record of the buffer; NULL: there is none. */
static const uint8_t *next_record(
	const struct cupti_buffer *buffer, const uint8_t *record)
{
	uint8_t *bytes = buffer->bytes;
	size_t at = record == NULL ? 0 : (size_t)(record - bytes);

	if (cupti_state() != CUPTI_STATE_DEAD)
		return ask_next(buffer, record);
	if (record != NULL)
		at += cupti_load_size(record, buffer->valid - at);
	return cupti_load_size(bytes + at, buffer->valid - at) != 0 &&
			       bytes + at != record
		       ? bytes + at
		       : NULL;
}

static void read_buffer(const struct cupti_buffer *buffer)
{
	const uint8_t *bytes = buffer->bytes;
	const uint8_t *record = NULL;
	size_t dropped = 0;

	while ((record = next_record(buffer, record)) != NULL)
		cupti_record(record,
			cupti_load_size(record,
				buffer->valid - (size_t)(record - bytes)));
	if (cupti_state() != CUPTI_STATE_DEAD &&
		cupti_library.cupti.cuptiActivityGetNumDroppedRecords(
			buffer->context, buffer->stream, &dropped) == CUPTI_OK)
		cupti_session_lose(CUPTI_LOSS_DROPPED, dropped);
}

static void release_all(struct cupti_buffer *buffer)
{
	struct cupti_buffer *next;

	for (; buffer != NULL; buffer = next) {
		next = cupti_buffers_next(buffer);
		cupti_buffers_release(buffer);
	}
}

/* The calls are in the log before what they caused. */
static void read_all(struct cupti_buffer *buffer)
{
	struct cupti_buffer *next;

	(void)ctp_flush();
	if (cupti_state() != CUPTI_STATE_DEAD)
		sync_clocks();
	for (; buffer != NULL; buffer = next) {
		next = cupti_buffers_next(buffer);
		read_buffer(buffer);
		atomic_fetch_add(&drain.progress, 1);
		cupti_buffers_release(buffer);
	}
	cupti_record_put();
}

/* A fact once it is not 0, and when it changes. */
static void report_count(enum count count, uint64_t value)
{
	static const char *const names[COUNTS] = {
		[FOREIGN] = "gpu.foreign_buffers",
		[LEFT_OUT] = "gpu.graph_nodes_left_out",
	};

	if (drain.counts[count] == value)
		return;
	drain.counts[count] = value;
	cupti_session_number(names[count], (int64_t)value);
}

/* The records that CUPTI gave back go into the recording that wants them, if
 * there is one. */
static void hand_over(void)
{
	const uint64_t session = atomic_load(&drain.is_wanted)
					 ? ctp_private_device_session()
					 : 0;
	struct cupti_buffer *full = cupti_buffers_collect();
	const uint64_t discarded = cupti_buffers_discarded();

	if (session == 0) {
		release_all(full);
		return;
	}
	if (drain.session != session) {
		drain.session = session;
		cupti_record_restart();
	}
	report_count(FOREIGN, cupti_buffers_foreign());
	report_count(LEFT_OUT, cupti_graph_left_out());
	cupti_session_write(session);
	cupti_session_lose(CUPTI_LOSS_DISCARDED, discarded);
	if (full != NULL)
		read_all(full);
	cupti_session_write(session);
}

static void flush(uint32_t flag)
{
	if (cupti_state() == CUPTI_STATE_ON)
		(void)cupti_library.cupti.cuptiActivityFlushAll(flag);
}

static void make_round(void)
{
	if (cupti_buffers_out() != 0)
		flush(0);
	hand_over();
}

/*
 * Asks for all buffers. False if CUPTI has some, and gave none back: it has
 * other callbacks now, since whoever registers last replaces those of all.
 */
static bool flush_all(void)
{
	const uint32_t returned = cupti_buffers_returned();
	const bool has_some = cupti_buffers_out() != 0;

	flush(CUPTI_FLUSH_FORCED);
	return cupti_state() != CUPTI_STATE_ON || !has_some ||
	       cupti_buffers_out() == 0 || cupti_buffers_returned() != returned;
}

/* Why nothing is known of what the device did, if CUPTI is there and says
 * nothing; NULL: it does. */
static const char *why_silent(bool is_ours)
{
	if (!is_ours)
		return "off: CUPTI gave no buffer back: another tool has "
		       "probably taken over its callbacks";
	if (cupti_state() == CUPTI_STATE_ON && !cupti_record_has_work() &&
		cupti_callback_has_launched())
		return "off: CUPTI tells nothing of what is launched: another "
		       "tool has its callbacks, or it is too old for this GPU";
	return NULL;
}

static void stop(bool last)
{
	const char *why;
	bool is_ours;

	if (cupti_state() == CUPTI_STATE_ON)
		cupti_subscribe_enable(CTP_GPU_OFF);
	is_ours = flush_all();
	hand_over();
	if (cupti_state() == CUPTI_STATE_ON && cupti_subscribe_is_lost()) {
		cupti_state_die(
			"CUPTI does not know us any more: another tool has "
			"probably ended its work (cuptiFinalize)");
		hand_over();
	} else if ((why = why_silent(is_ours)) != NULL) {
		cupti_session_fact("gpu.state", why);
		hand_over();
	}
	atomic_store(&drain.is_wanted, false);
	if (last && cupti_state() == CUPTI_STATE_ON)
		cupti_subscribe_end();
}

void cupti_drain_begin(void)
{
	if ((cupti_library.quirks & CUPTI_QUIRK_NEVER_DISABLE) != 0) {
		/* Not within cuInit(), where there are none. */
		if (cupti_buffers_out() != 0)
			flush(CUPTI_FLUSH_FORCED);
		release_all(cupti_buffers_collect());
		(void)cupti_buffers_discarded();
	}
	atomic_store(&drain.is_wanted, true);
}

/* The first of two instants to go by, if all is over soon. */
static void begin_burst(void)
{
	if (cupti_state() == CUPTI_STATE_ON && atomic_load(&drain.is_wanted) &&
		ctp_private_device_session() != 0)
		sync_clocks();
}

static void serve(uint32_t asked, bool last)
{
	stop(last);
	(void)pthread_mutex_lock(&drain.lock);
	drain.served = asked;
	(void)pthread_cond_broadcast(&drain.done);
	(void)pthread_mutex_unlock(&drain.lock);
}

static void *run(void *argument)
{
	ctp_private_mute();
	(void)prctl(PR_SET_NAME, DEVICE_THREAD);
	cupti_record_ignore((uint32_t)syscall(SYS_gettid));
	for (;;) {
		const enum cupti_buffers_why why = cupti_buffers_wait(FLUSH_NS);
		uint32_t asked;
		uint32_t served;
		bool last;

		(void)pthread_mutex_lock(&drain.lock);
		asked = drain.asked;
		served = drain.served;
		last = drain.last;
		(void)pthread_mutex_unlock(&drain.lock);
		if (asked != served)
			serve(asked, last);
		else if (why == CUPTI_BUFFERS_FIRST)
			begin_burst();
		else
			make_round();
	}
	return argument;
}

bool cupti_drain_start(void)
{
	pthread_condattr_t attributes;
	pthread_t thread;
	sigset_t all;
	sigset_t before;
	bool started;

	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&drain.done, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&thread, NULL, run, NULL) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		(void)pthread_detach(thread);
	return started;
}

/* Waits until `stops` stops are served, as long as there is progress. The lock
 * is held. */
static bool wait_served(uint32_t asked)
{
	uint32_t progress = atomic_load(&drain.progress);
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_S;
	while ((int32_t)(drain.served - asked) < 0) {
		if (pthread_cond_timedwait(&drain.done, &drain.lock, &until) ==
			0)
			continue;
		if (atomic_load(&drain.progress) == progress)
			return false;
		progress = atomic_load(&drain.progress);
		until.tv_sec += STOP_S;
	}
	return true;
}

bool cupti_drain_stop(bool last)
{
	bool done;

	(void)pthread_mutex_lock(&drain.lock);
	drain.asked++;
	drain.last = drain.last || last;
	cupti_buffers_wake();
	done = wait_served(drain.asked);
	(void)pthread_mutex_unlock(&drain.lock);
	return done;
}
