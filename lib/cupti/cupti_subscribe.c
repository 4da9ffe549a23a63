/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_subscribe.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "recorder/device_link.h"
#include "cupti/cupti_buffers.h"
#include "cupti/cupti_callback.h"
#include "cupti/cupti_load.h"
#include "cupti/cupti_session.h"

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

static bool begin(char *reason, size_t size)
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

bool cupti_subscribe(char *reason, size_t size)
{
	char name[16] = "";
	bool good;

	/* CUPTI may create threads here. */
	ctp_private_device_name(name);
	good = begin(reason, size);
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

void cupti_subscribe_enable(enum ctp_gpu mode)
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

bool cupti_subscribe_is_lost(void)
{
	return subscription.is_lost;
}

void cupti_subscribe_end(void)
{
	(void)cupti_library.cupti.cuptiUnsubscribe(subscription.subscriber);
}
