/* SPDX-License-Identifier: MIT */
#include "cupti/cupti.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctprof.h"
#include "recorder/device_link.h"
#include "base/environment.h"
#include "cupti/cupti_buffers.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_drain.h"
#include "cupti/cupti_load.h"
#include "cupti/cupti_session.h"
#include "cupti/cupti_subscribe.h"

#define REASON_BYTES 512

/* A kernel's record in CUDA 12.0: before it, graphs that were made before CUPTI
 * came crash the program. By its version 12.0 cannot be told from 11.8.
 * Source: https://github.com/pytorch/pytorch issue 75504. */
#define LATE_KERNEL_BYTES 208

static struct {
	_Atomic enum cupti_state state;
	pid_t pid;     /* of the process that CUPTI is subscribed to in */
	bool is_stuck; /* the drain's thread, in CUPTI */
	atomic_flag busy;
} gpu = {.busy = ATOMIC_FLAG_INIT};

/* Called by libcuda when it is initialised; see lib/markers/inject.map. */
CTP_API int InitializeInjection(void);

enum cupti_state cupti_state(void)
{
	return atomic_load(&gpu.state);
}

static void say_off(const char *why)
{
	char text[REASON_BYTES + 8];

	(void)snprintf(text, sizeof(text), "off: %s", why);
	cupti_session_fact("gpu.state", text);
}

void cupti_die(const char *why)
{
	enum cupti_state on = CUPTI_STATE_ON;

	if (!atomic_compare_exchange_strong(&gpu.state, &on, CUPTI_STATE_DEAD))
		return;
	cupti_callback_active(false);
	say_off(why);
	cupti_buffers_wake(); /* there will be no more */
}

/* The end of a recording, or of the process. What CUPTI handed over before it
 * died is still to be read, and that it died to be told. */
static void stop(bool last)
{
	if ((cupti_state() != CUPTI_STATE_ON &&
		    cupti_state() != CUPTI_STATE_DEAD) ||
		gpu.is_stuck || getpid() != gpu.pid)
		return;
	if (!cupti_drain_stop(last)) {
		gpu.is_stuck = true;
		cupti_die(
			"CUPTI does not return from handing over its records");
		cupti_session_tell(ctp_private_device_session());
	} else if (last) {
		atomic_store(&gpu.state, CUPTI_STATE_OVER);
	}
}

static void stop_recording(void)
{
	if (cupti_state() != CUPTI_STATE_CHILD &&
		ctp_private_device_session() != 0)
		stop(false);
}

static void stop_at_exit(void)
{
	stop(true);
}

void cupti_watch_exit(void)
{
	(void)atexit(stop_at_exit);
}

/* CUDA does not work in a child, and CUPTI hangs there. */
static void forked(void)
{
	cupti_session_child();
	if (cupti_state() == CUPTI_STATE_IDLE)
		return;
	atomic_store(&gpu.state, CUPTI_STATE_CHILD);
	cupti_callback_active(false);
	say_off(DEVICE_FORKED);
}

static const struct device_calls calls = {
	.stop = stop_recording,
	.lock = cupti_session_lock,
	.unlock = cupti_session_unlock,
	.child = forked,
};

static void say_what_is_loaded(void)
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
	say_what_is_loaded();
	if (cupti_library.sizes[CUPTI_CONCURRENT_KERNEL] < LATE_KERNEL_BYTES &&
		ctp_private_device_late()) {
		(void)snprintf(reason, size,
			"CUDA was in use already, which CUPTI can join from "
			"CUDA 12.0 on only");
		return false;
	}
	if (!cupti_subscribe(reason, size))
		return false;
	if (!cupti_drain_start()) {
		cupti_subscribe_end();
		(void)snprintf(reason, size, "there cannot be another thread");
		return false;
	}
	gpu.pid = getpid();
	atomic_store(&gpu.state, CUPTI_STATE_ON);
	cupti_watch_exit();
	cupti_drain_begin();
	cupti_subscribe_enable(mode);
	cupti_session_fact("gpu.state", "recording");
	return true;
}

/* A recording begins that wants to know of GPUs: the first one, or another. */
static void begin(uint64_t session, enum ctp_gpu mode)
{
	static const char *const names[] = {[CTP_GPU_LIGHT] = "light",
		[CTP_GPU_FULL] = "full",
		[CTP_GPU_GRAPHS] = "graphs"};
	char reason[REASON_BYTES] = "";

	cupti_session_fact("gpu.mode", names[mode]);
	if (cupti_state() == CUPTI_STATE_IDLE) {
		if (!start(mode, reason, sizeof(reason))) {
			atomic_store(&gpu.state, CUPTI_STATE_OFF);
			say_off(reason);
		}
		ctp_private_devices(&calls);
	} else if (cupti_state() == CUPTI_STATE_ON &&
		   !cupti_callback_is_active()) {
		cupti_drain_begin();
		cupti_subscribe_enable(mode);
		/* Whatever became of the last one. */
		cupti_session_fact("gpu.state", "recording");
	}
	cupti_session_tell(session);
}

int InitializeInjection(void)
{
	const enum ctp_gpu mode =
		environment_is_refused() ? CTP_GPU_OFF : ctp_private_gpu();
	const uint64_t session =
		mode >= CTP_GPU_LIGHT ? ctp_private_device_session() : 0;

	if (session != 0 && !atomic_flag_test_and_set(&gpu.busy)) {
		begin(session, mode);
		atomic_flag_clear(&gpu.busy);
	}
	return 1;
}
