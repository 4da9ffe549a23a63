/* SPDX-License-Identifier: MIT */
/* The start and the end of recording GPUs. */
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
#include "cupti/cupti_state.h"
#include "cupti/cupti_subscribe.h"

/* A kernel's record in CUDA 12.0: before it, graphs that were made before CUPTI
 * came crash the program. Its version does not distinguish 12.0 from 11.8.
 * Source: https://github.com/pytorch/pytorch issue 75504. */
#define LATE_KERNEL_BYTES 208

static struct {
	pid_t pid;     /* of the process that CUPTI is subscribed to in */
	bool is_stuck; /* the drain's thread, in CUPTI */
	atomic_flag busy;
} cupti = {.busy = ATOMIC_FLAG_INIT};

/* Called by libcuda when it is initialised; see lib/markers/inject.map. */
CTP_API int InitializeInjection(void);

/* The end of a recording, or of the process. The records that CUPTI handed over
 * before it died are still to be read, and its death is to be reported. */
static void stop(bool last)
{
	if ((cupti_state() != CUPTI_STATE_ON &&
		    cupti_state() != CUPTI_STATE_DEAD) ||
		cupti.is_stuck || getpid() != cupti.pid)
		return;
	if (!cupti_drain_stop(last)) {
		cupti.is_stuck = true;
		cupti_state_die(
			"CUPTI does not return from handing over its records");
		cupti_session_write(ctp_private_device_session());
	} else if (last) {
		cupti_state_set(CUPTI_STATE_OVER);
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

/* At exit, the device's records must be handed over before the handlers that
 * exist already: those of CUPTI, which must not be called after them, and, once
 * CUDA is up, those of CUDA. Threads: any. */
static void watch_exit(void)
{
	(void)atexit(stop_at_exit);
}

/* CUDA does not work in a child, and CUPTI hangs there. */
static void forked(void)
{
	cupti_session_child();
	if (cupti_state() == CUPTI_STATE_IDLE)
		return;
	cupti_state_set(CUPTI_STATE_CHILD);
	cupti_callback_active(false);
	cupti_state_report(DEVICE_FORKED);
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
			"CUDA was in use already, which CUPTI can join from "
			"CUDA 12.0 on only");
		return false;
	}
	cupti_buffers_on_first(watch_exit);
	cupti_callback_on_fatal(cupti_state_die);
	if (!cupti_subscribe(reason, size))
		return false;
	if (!cupti_drain_start()) {
		cupti_subscribe_end();
		(void)snprintf(reason, size, "there cannot be another thread");
		return false;
	}
	cupti.pid = getpid();
	cupti_state_set(CUPTI_STATE_ON);
	watch_exit();
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
	char reason[CUPTI_REASON_BYTES] = "";

	cupti_session_fact("gpu.mode", names[mode]);
	if (cupti_state() == CUPTI_STATE_IDLE) {
		if (!start(mode, reason, sizeof(reason))) {
			cupti_state_set(CUPTI_STATE_OFF);
			cupti_state_report(reason);
		}
		ctp_private_devices(&calls);
	} else if (cupti_state() == CUPTI_STATE_ON &&
		   !cupti_callback_is_active()) {
		cupti_drain_begin();
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
