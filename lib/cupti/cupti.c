/* SPDX-License-Identifier: MIT */
/*
 * The start and the end of recording GPUs. Between them a thread reads the
 * records of CUPTI and hands them over to the log: about once a second, or
 * earlier if there are many.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <stddef.h>
#include <string.h>

#include "ctprof.h"
#include "base/environment.h"
#include "cupti/cupti_buffers.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_graph.h"
#include "cupti/cupti_load.h"
#include "cupti/cupti_record.h"
#include "cupti/cupti_session.h"
#include "recorder/device_link.h"
#include "recorder/instrument_abi.h"

/* ---- subscription ---- */

#define WORDS_BYTES 96

/* Minimum size required by CUPTI. */
#define TOOL_BYTES 128

/*
 * Kernels, copies and memsets are always requested together: otherwise, with
 * graphs, all versions up to 13.0 leak device memory. Source:
 * https://github.com/parcagpu/parcagpu issue 23.
 */
static const struct kind {
	enum cupti_kind kind;
	const char *name;
	enum ctp_gpu only;       /* only in this mode; CTP_GPU_DEFAULT: in
				  * all */
	enum cupti_kind instead; /* replacement if incompatible; 0: none */
} kinds[] = {
	{CUPTI_CONCURRENT_KERNEL, "CONCURRENT_KERNEL", CTP_GPU_DEFAULT,
		CUPTI_KERNEL},
	{CUPTI_MEMCPY, "MEMCPY", CTP_GPU_DEFAULT, 0},
	{CUPTI_MEMCPY2, "MEMCPY2", CTP_GPU_DEFAULT, 0},
	{CUPTI_MEMSET, "MEMSET", CTP_GPU_DEFAULT, 0},
	{CUPTI_SYNCHRONIZATION, "SYNCHRONIZATION", CTP_GPU_DEFAULT, 0},
	{CUPTI_OVERHEAD, "OVERHEAD", CTP_GPU_DEFAULT, 0},
	{CUPTI_CONTEXT, "CONTEXT", CTP_GPU_DEFAULT, 0},
	{CUPTI_GRAPH_TRACE, "GRAPH_TRACE", CTP_GPU_GRAPHS, 0},
	{CUPTI_RUNTIME_API, "RUNTIME", CTP_GPU_FULL, 0},
	{CUPTI_DRIVER_API, "DRIVER", CTP_GPU_FULL, 0},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct {
	void *subscriber;
	enum cupti_kind on[KINDS]; /* 0: not */
	uint32_t refused;          /* callbacks */
	bool is_lost;
} subscription;

static void report_error(const char *what, int result)
{
	char key[WORDS_BYTES];
	char words[WORDS_BYTES];

	(void)snprintf(key, sizeof(key), "gpu.error.%s", what);
	cupti_load_result(words, sizeof(words), result);
	cupti_session_fact(key, words);
}

/* Finds the current subscriber, if CUPTI reports it. */
static void find_subscriber(char *out, size_t size)
{
	char old[TOOL_BYTES] = "";
	struct cupti_subscriber_params params = {.size = sizeof(params),
		.name = "ctprof",
		.old_name = old,
		.old_size = sizeof(old)};
	void *subscriber = NULL;

	out[0] = '\0';
	if (cupti_library.cupti.cuptiSubscribe_v2 == NULL)
		return;
	/* It may have just ended. */
	if (cupti_library.cupti.cuptiSubscribe_v2(
		    &subscriber, cupti_callback, NULL, &params) == CUPTI_OK)
		subscription.subscriber = subscriber;
	else if (old[0] != '\0')
		(void)snprintf(out, size, " (%s)", old);
}

static bool subscribe(char *reason, size_t size)
{
	int result = cupti_library.cupti.cuptiSubscribe(
		&subscription.subscriber, cupti_callback, NULL);
	char words[WORDS_BYTES];
	char other[TOOL_BYTES + 4];

	if (result == CUPTI_OK)
		return true;
	subscription.subscriber = NULL;
	cupti_load_result(words, sizeof(words), result);
	if (result == CUPTI_MULTIPLE_SUBSCRIBERS) {
		find_subscriber(other, sizeof(other));
		if (subscription.subscriber != NULL)
			return true;
		(void)snprintf(reason, size, "another tool%s uses CUPTI: %s",
			other, words);
	} else if (result == CUPTI_INSUFFICIENT_PRIVILEGES) {
		(void)snprintf(reason, size,
			"this user may not profile the GPU: %s", words);
	} else if (result == CUPTI_NOT_INITIALIZED || result == CUPTI_UNKNOWN) {
		(void)snprintf(reason, size, "CUPTI finds no usable driver: %s",
			words);
	} else {
		(void)snprintf(reason, size, "cuptiSubscribe: %s", words);
	}
	return false;
}

static void set_attribute(int attribute, const char *name)
{
	uint8_t on = 1;
	size_t size = sizeof(on);
	int result = cupti_library.cupti.cuptiActivitySetAttribute(
		attribute, &size, &on);

	if (result != CUPTI_OK)
		report_error(name, result);
}

/* Ends the subscription, at the end of the process. */
static void cupti_subscribe_end(void)
{
	(void)cupti_library.cupti.cuptiUnsubscribe(subscription.subscriber);
}

static bool begin_callbacks(char *reason, size_t size)
{
	const struct cupti *cupti = &cupti_library.cupti;
	char words[WORDS_BYTES];
	int result;

	cupti_callback_init();
	if (!subscribe(reason, size))
		return false;
	if (cupti->cuptiSetThreadIdType != NULL) {
		result = cupti->cuptiSetThreadIdType(CUPTI_THREAD_ID_SYSTEM);
		if (result != CUPTI_OK)
			report_error("THREAD_ID_TYPE", result);
	}
	set_attribute(CUPTI_ATTRIBUTE_ZEROED_OUT, "ZEROED_OUT");
	/* Once for the whole session, and before the next call. */
	if ((cupti_library.quirks & CUPTI_QUIRK_NO_THREAD_BUFFERS) == 0)
		set_attribute(CUPTI_ATTRIBUTE_PER_THREAD, "PER_THREAD");
	result = cupti->cuptiActivityRegisterCallbacks(
		cupti_buffers_request, cupti_buffers_complete);
	if (result != CUPTI_OK) {
		cupti_load_result(words, sizeof(words), result);
		(void)snprintf(reason, size,
			"cuptiActivityRegisterCallbacks: %s", words);
		cupti_subscribe_end();
		return false;
	}
	return true;
}

/*
 * Becomes CUPTI's subscriber, with buffers for records. On a thread that holds
 * no lock.
 *
 * Errors: false, with `reason`, such as an existing subscriber.
 */
static bool cupti_subscribe(char *reason, size_t size)
{
	char name[16] = "";
	bool good;

	/* CUPTI may create threads here. */
	ctp_private_device_name(name);
	good = begin_callbacks(reason, size);
	ctp_private_own_name(name);
	return good;
}

/* CUPTI writes a record when a context is created, and records of earlier
 * contexts on request. */
static int switch_on(enum cupti_kind kind)
{
	const struct cupti *cupti = &cupti_library.cupti;

	return kind == CUPTI_CONTEXT && ctp_private_device_late() &&
			       cupti->cuptiActivityEnableAndDump != NULL
		       ? cupti->cuptiActivityEnableAndDump(kind)
		       : cupti->cuptiActivityEnable(kind);
}

/* Switches the kind on, or one of its replacements, and returns the one that
 * worked. */
static enum cupti_kind enable(const struct kind *kind)
{
	int result = switch_on(kind->kind);

	if (result == CUPTI_OK)
		return kind->kind;
	report_error(kind->name, result);
	if (result == CUPTI_NOT_COMPATIBLE && kind->instead != 0 &&
		cupti_library.cupti.cuptiActivityEnable(kind->instead) ==
			CUPTI_OK)
		return kind->instead;
	return 0;
}

/* Otherwise every unfinished query of an event would be a record. */
static void leave_out_queries(void)
{
	if (cupti_library.cupti.cuptiActivityEnableAllSyncRecords != NULL)
		(void)cupti_library.cupti.cuptiActivityEnableAllSyncRecords(0);
}

/* If supported, CUPTI does not record what would be ignored anyway. */
static void leave_out_noise(void)
{
	const struct cupti *cupti = &cupti_library.cupti;

	for (uint32_t cbid = 1; cbid < CUPTI_CALLBACK_FUNCTIONS; cbid++) {
		if (cupti->cuptiActivityEnableDriverApi != NULL &&
			cupti_callback_is_noise(CUPTI_DRIVER, cbid))
			(void)cupti->cuptiActivityEnableDriverApi(cbid, 0);
		if (cupti->cuptiActivityEnableRuntimeApi != NULL &&
			cupti_callback_is_noise(CUPTI_RUNTIME, cbid))
			(void)cupti->cuptiActivityEnableRuntimeApi(cbid, 0);
	}
}

static void enable_kinds(enum ctp_gpu mode)
{
	char names[256] = "";

	for (size_t i = 0; i < KINDS; i++) {
		size_t used = strlen(names);

		if (kinds[i].only != CTP_GPU_DEFAULT && kinds[i].only != mode)
			continue;
		if (kinds[i].kind == CUPTI_SYNCHRONIZATION)
			leave_out_queries();
		if (subscription.on[i] == 0)
			subscription.on[i] = enable(&kinds[i]);
		if (subscription.on[i] != 0)
			(void)snprintf(names + used, sizeof(names) - used,
				"%s%s", used == 0 ? "" : " ",
				subscription.on[i] == kinds[i].kind
					? kinds[i].name
					: "KERNEL");
	}
	if (mode == CTP_GPU_FULL)
		leave_out_noise();
	cupti_session_fact("gpu.kinds", names);
}

static void disable_kinds(void)
{
	if ((cupti_library.quirks & CUPTI_QUIRK_NEVER_DISABLE) != 0)
		return;
	for (size_t i = 0; i < KINDS; i++) {
		if (subscription.on[i] != 0)
			(void)cupti_library.cupti.cuptiActivityDisable(
				subscription.on[i]);
		subscription.on[i] = 0;
	}
}

/* Switches on the kinds of records and the callbacks of this mode, or all off:
 * CTP_GPU_OFF. A refusal of CUPTI becomes a fact of the log. */
static void cupti_subscribe_enable(enum ctp_gpu mode)
{
	const bool on = mode != CTP_GPU_OFF;
	uint32_t refused;

	if (on)
		enable_kinds(mode);
	cupti_callback_active(on);
	refused = cupti_callback_enable(subscription.subscriber, on);
	if (!on) {
		/* CUPTI refuses all requests of an unknown subscriber. */
		subscription.is_lost = refused > subscription.refused;
		disable_kinds();
		return;
	}
	subscription.refused = refused;
	if (refused != 0)
		cupti_session_number("gpu.callbacks_refused", refused);
}

/* Whether CUPTI had lost all requests when everything was switched off. */
static bool cupti_subscribe_is_lost(void)
{
	return subscription.is_lost;
}

/* Room for the reason why there is no recording. */
#define REASON_BYTES 512

/* Size of a kernel's record in CUDA 12.0: in earlier versions, graphs created
 * before CUPTI was loaded crash the program. Its version does not distinguish
 * 12.0 from 11.8.
 * Source: https://github.com/pytorch/pytorch issue 75504. */
#define LATE_KERNEL_BYTES 208

/* Time after which a buffer is requested back from CUPTI. */
#define FLUSH_NS INT64_C(1000000000)

/* Longest wait of a stop without progress. */
#define STOP_S 8

/* Readings of both clocks, of which the closest counts. */
#define READINGS 25

/*
 * The state of recording GPUs, from the first use of CUDA in a process until
 * its end. CUPTI is subscribed to once: numbers of calls would restart, and
 * some versions get them wrong the second time.
 */
enum state {
	STATE_IDLE = 0, /* not asked for yet */
	STATE_ON,       /* CUPTI is subscribed to */
	STATE_OFF,      /* it could not be */
	STATE_DEAD,     /* it failed: do not call it again */
	STATE_OVER,     /* the process ends */
	STATE_CHILD,    /* forked: CUDA is the parent's */
};

static _Atomic enum state current;

enum count { FOREIGN, LEFT_OUT, COUNTS };

static struct {
	pthread_mutex_t lock; /* protects the next; not held in CUPTI */
	pthread_cond_t done;
	uint32_t asked; /* stops */
	uint32_t served;
	bool last;
	_Atomic uint32_t progress; /* buffers read */
	_Atomic bool is_wanted;    /* what CUPTI gives back */
	uint64_t session;          /* last recording written to */
	bool has_clock;
	uint64_t counts[COUNTS]; /* as facts have them */
} drain = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
	pid_t pid;     /* process of the subscription */
	bool is_stuck; /* the drain's thread hangs in CUPTI */
	atomic_flag busy;
} cupti = {.busy = ATOMIC_FLAG_INIT};

static enum state state(void)
{
	return atomic_load(&current);
}

static void set_state(enum state next)
{
	atomic_store(&current, next);
}

/* Reports in the log why there is no recording. */
static void report_off(const char *why)
{
	char text[REASON_BYTES + 8];

	(void)snprintf(text, sizeof(text), "off: %s", why);
	cupti_session_fact("gpu.state", text);
}

/* Records that CUPTI cannot be used any more. Threads: any, including
 * callbacks. */
static void mark_dead(const char *why)
{
	enum state on = STATE_ON;

	if (!atomic_compare_exchange_strong(&current, &on, STATE_DEAD))
		return;
	cupti_callback_active(false);
	report_off(why);
	cupti_buffers_wake(); /* there will be no more */
}

/* Records simultaneous times of CUPTI's clock and the recorder's. */
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

/* Finds the next record with CUPTI's own function, which knows the size of more
 * kinds than it reports. A record that it cannot read ends the buffer, because
 * its length is unknown. */
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

/* The next record of the buffer; NULL if there is none. */
static const uint8_t *next_record(
	const struct cupti_buffer *buffer, const uint8_t *record)
{
	uint8_t *bytes = buffer->bytes;
	size_t at = record == NULL ? 0 : (size_t)(record - bytes);

	if (state() != STATE_DEAD)
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
	if (state() != STATE_DEAD &&
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

/* Calls are written to the log before their activities. */
static void read_all(struct cupti_buffer *buffer)
{
	struct cupti_buffer *next;

	(void)ctp_flush();
	if (state() != STATE_DEAD)
		sync_clocks();
	for (; buffer != NULL; buffer = next) {
		next = cupti_buffers_next(buffer);
		read_buffer(buffer);
		atomic_fetch_add(&drain.progress, 1);
		cupti_buffers_release(buffer);
	}
	cupti_record_flush();
}

/* Reports a fact when it is not 0 or changes. */
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

/* Writes the returned records to the current recording, if any. */
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
	if (state() == STATE_ON)
		(void)cupti_library.cupti.cuptiActivityFlushAll(flag);
}

static void make_round(void)
{
	if (cupti_buffers_out() != 0)
		flush(0);
	hand_over();
}

/*
 * Requests all buffers. False if CUPTI has some but returned none: its
 * callbacks have been replaced, since the last registration wins.
 */
static bool flush_all(void)
{
	const uint32_t returned = cupti_buffers_returned();
	const bool has_some = cupti_buffers_out() != 0;

	flush(CUPTI_FLUSH_FORCED);
	return state() != STATE_ON || !has_some || cupti_buffers_out() == 0 ||
	       cupti_buffers_returned() != returned;
}

/* The reason why CUPTI reports no activities; NULL if it does. */
static const char *why_silent(bool is_ours)
{
	if (!is_ours)
		return "off: CUPTI returned no buffer: another tool has "
		       "probably taken over its callbacks";
	if (state() == STATE_ON && !cupti_record_has_work() &&
		cupti_callback_has_launched())
		return "off: CUPTI reports no launches: another tool has its "
		       "callbacks, or it is too old for this GPU";
	return NULL;
}

static void end_recording(bool last)
{
	const char *why;
	bool is_ours;

	if (state() == STATE_ON)
		cupti_subscribe_enable(CTP_GPU_OFF);
	is_ours = flush_all();
	hand_over();
	if (state() == STATE_ON && cupti_subscribe_is_lost()) {
		mark_dead("CUPTI no longer knows ctprof: another tool has "
			  "probably shut it down (cuptiFinalize)");
		hand_over();
	} else if ((why = why_silent(is_ours)) != NULL) {
		cupti_session_fact("gpu.state", why);
		hand_over();
	}
	atomic_store(&drain.is_wanted, false);
	if (last && state() == STATE_ON)
		cupti_subscribe_end();
}

/* Begins a recording. Drops records since the last one, of kinds that cannot be
 * disabled. */
static void drain_begin(void)
{
	if ((cupti_library.quirks & CUPTI_QUIRK_NEVER_DISABLE) != 0) {
		/* Not within cuInit(), when there are none. */
		if (cupti_buffers_out() != 0)
			flush(CUPTI_FLUSH_FORCED);
		release_all(cupti_buffers_collect());
		(void)cupti_buffers_discarded();
	}
	atomic_store(&drain.is_wanted, true);
}

/* Records the first of two clock pairs early, in case the program is short. */
static void begin_burst(void)
{
	if (state() == STATE_ON && atomic_load(&drain.is_wanted) &&
		ctp_private_device_session() != 0)
		sync_clocks();
}

static void serve(uint32_t asked, bool last)
{
	end_recording(last);
	(void)pthread_mutex_lock(&drain.lock);
	drain.served = asked;
	(void)pthread_cond_broadcast(&drain.done);
	(void)pthread_mutex_unlock(&drain.lock);
}

static void *read_records(void *argument)
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

/* Starts the thread. False if there cannot be another one. */
static bool drain_start(void)
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
	started = pthread_create(&thread, NULL, read_records, NULL) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		(void)pthread_detach(thread);
	return started;
}

/* Waits until the stop `asked` is served, as long as there is progress. The
 * lock is held. */
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

/*
 * Switches recording off and writes all activities until now; `last`: also ends
 * the use of CUPTI. False if CUPTI does not return within some seconds.
 */
static bool drain_stop(bool last)
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

/* Called by libcuda when it is initialised; see lib/markers/inject.map. */
CTP_API int InitializeInjection(void);

/* Ends a recording, or (`last`) all use at the end of the process. Records that
 * CUPTI delivered before it died are still read, and its death is reported. */
static void stop(bool last)
{
	if ((state() != STATE_ON && state() != STATE_DEAD) || cupti.is_stuck ||
		getpid() != cupti.pid)
		return;
	if (!drain_stop(last)) {
		cupti.is_stuck = true;
		mark_dead("CUPTI hangs while handing over its records");
		cupti_session_write(ctp_private_device_session());
	} else if (last) {
		set_state(STATE_OVER);
	}
}

static void stop_recording(void)
{
	if (state() != STATE_CHILD && ctp_private_device_session() != 0)
		stop(false);
}

static void stop_at_exit(void)
{
	stop(true);
}

/* At exit, the device's records must be delivered before the existing handlers
 * run: CUPTI's, after which it must not be called, and, once CUDA is
 * initialized, CUDA's. Threads: any. */
static void watch_exit(void)
{
	(void)atexit(stop_at_exit);
}

/* CUDA does not work in a child, and CUPTI hangs there. */
static void forked(void)
{
	cupti_session_child();
	if (state() == STATE_IDLE)
		return;
	set_state(STATE_CHILD);
	cupti_callback_active(false);
	report_off(DEVICE_FORKED);
}

static const struct device_calls calls = {
	.stop = stop_recording,
	.lock = cupti_session_lock,
	.unlock = cupti_session_unlock,
	.child = forked,
};

static void report_library(void)
{
	const char *visible = environment_find("CUDA_VISIBLE_DEVICES");
	char quirks[256];

	cupti_session_fact("gpu.cupti", cupti_library.path);
	cupti_session_number("gpu.cupti_version", cupti_library.version);
	cupti_session_number("gpu.driver_version", cupti_load_driver_version());
	cupti_load_quirks(quirks, sizeof(quirks));
	if (quirks[0] != '\0')
		cupti_session_fact("gpu.quirks", quirks);
	if (visible != NULL)
		cupti_session_fact("gpu.visible_devices", visible);
}

static bool start(enum ctp_gpu mode, char *reason, size_t size)
{
	if (!cupti_load(reason, size))
		return false;
	report_library();
	if (cupti_library.sizes[CUPTI_CONCURRENT_KERNEL] < LATE_KERNEL_BYTES &&
		ctp_private_device_late()) {
		(void)snprintf(reason, size,
			"CUDA was already in use: CUPTI can attach to it only "
			"from CUDA 12.0 on");
		return false;
	}
	cupti_buffers_on_first(watch_exit);
	cupti_callback_on_fatal(mark_dead);
	if (!cupti_subscribe(reason, size))
		return false;
	if (!drain_start()) {
		cupti_subscribe_end();
		(void)snprintf(reason, size, "cannot create a thread");
		return false;
	}
	cupti.pid = getpid();
	set_state(STATE_ON);
	watch_exit();
	drain_begin();
	cupti_subscribe_enable(mode);
	cupti_session_fact("gpu.state", "recording");
	return true;
}

/* Begins the recording of GPUs in a new recording. */
static void begin(uint64_t session, enum ctp_gpu mode)
{
	static const char *const names[] = {[CTP_GPU_LIGHT] = "light",
		[CTP_GPU_FULL] = "full",
		[CTP_GPU_GRAPHS] = "graphs"};
	char reason[REASON_BYTES] = "";

	cupti_session_fact("gpu.mode", names[mode]);
	if (state() == STATE_IDLE) {
		if (!start(mode, reason, sizeof(reason))) {
			set_state(STATE_OFF);
			report_off(reason);
		}
		ctp_private_devices(&calls);
	} else if (state() == STATE_ON && !cupti_callback_is_active()) {
		drain_begin();
		cupti_subscribe_enable(mode);
		/* Regardless of the last one's result. */
		cupti_session_fact("gpu.state", "recording");
	}
	cupti_session_write(session);
}

int InitializeInjection(void)
{
	const enum ctp_gpu mode =
		environment_is_refused() ? CTP_GPU_OFF : ctp_private_gpu();
	const uint64_t session =
		mode >= CTP_GPU_LIGHT ? ctp_private_device_session() : 0;

	if (session != 0 && !atomic_flag_test_and_set(&cupti.busy)) {
		begin(session, mode);
		atomic_flag_clear(&cupti.busy);
	}
	return 1;
}
