/* SPDX-License-Identifier: MIT */
/*
 * The fake libcupti: subscriber, callbacks, and minor functions. FAKE_CUPTI
 * chooses the version: 11.8, 12.4, 13.0 (the default) or 99, an unknown future
 * one; FAKE_CUPTI_VERSION is the version that it reports. FAKE_CUPTI_SUBSCRIBE
 * is the result of subscribing, FAKE_CUPTI_OTHER another subscriber.
 */
#include "cupti.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cupti_buffer.h"
#include "cupti_names.h"
#include "cupti_record.h"

#define CBIDS 1024
#define DOMAINS 7

_Thread_local enum cupti_inside cupti_inside;

static const struct fake_driver *driver;
static pid_t owner;
static _Atomic(fake_callback *) subscriber_callback;
static void *subscriber_user;
static _Atomic bool callbacks[DOMAINS][CBIDS];
static int the_subscriber, the_context;
static _Atomic bool has_ended;

long cupti_setting(const char *variable, long otherwise)
{
	const char *text = getenv(variable);

	return text == NULL ? otherwise : strtol(text, NULL, 0);
}

int cupti_setting_of(const char *variable, uint32_t number)
{
	const char *text = getenv(variable);

	while (text != NULL) {
		char *end;
		unsigned long key = strtoul(text, &end, 0);

		if (*end == ':' && key == number)
			return atoi(end + 1);
		text = strchr(end, ',');
		text = text == NULL ? NULL : text + 1;
	}
	return 0;
}

/* The driver is loaded before us: callers look for it first. */
__attribute__((constructor)) static void loaded(void)
{
	__typeof__(&fake_connect) connect = NULL;
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	owner = getpid();
	cupti_record_choose(getenv("FAKE_CUPTI"));
	if (cuda != NULL)
		*(void **)&connect = dlsym(cuda, "fake_connect");
	if (connect == NULL)
		return;
	driver = connect(&cupti_tool);
	driver->tell("{\"what\":\"loaded\",\"library\":\"libcupti\"}");
}

/* The library's data are destroyed with the process. */
__attribute__((destructor)) static void ended(void)
{
	has_ended = true;
}

const struct fake_driver *cupti_driver(void)
{
	return driver != NULL && driver->is_up() ? driver : NULL;
}

int cupti_no_driver(void)
{
	return cupti_version() >= 130000 ? FAKE_UNKNOWN : FAKE_NOT_INITIALIZED;
}

void cupti_violation(const char *function, const char *what)
{
	fprintf(stderr, "fake libcupti: %s: %s\n", function, what);
	abort();
}

void cupti_enter(const char *function)
{
	if (getpid() != owner)
		cupti_violation(function, "called in a child, where it hangs");
	if (has_ended)
		cupti_violation(function, "called after its destructors");
	if (cupti_inside == CUPTI_IN_BUFFERS)
		cupti_violation(function, "called in a buffer's callback");
}

int cupti_told(const char *function, int64_t argument, int result)
{
	if (driver != NULL)
		driver->tell("{\"what\":\"cupti\",\"call\":\"%s\","
			     "\"argument\":%lld,\"result\":%d}",
			function, (long long)argument, result);
	return result;
}

uint32_t cupti_version(void)
{
	static const uint32_t versions[] = {18, 22, 130001, 990000};

	return (uint32_t)cupti_setting(
		"FAKE_CUPTI_VERSION", versions[cupti_record_layout()]);
}

int cuptiGetVersion(uint32_t *version)
{
	cupti_enter(__func__);
	*version = cupti_version();
	return FAKE_OK;
}

int cuptiGetResultString(int result, const char **text)
{
	static const struct {
		int result;
		const char *text;
	} texts[] = {{FAKE_OK, "CUPTI_SUCCESS"},
		{FAKE_NOT_COMPATIBLE, "CUPTI_ERROR_NOT_COMPATIBLE"},
		{FAKE_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED"},
		{FAKE_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
		{FAKE_INSUFFICIENT_PRIVILEGES,
			"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
		{FAKE_MULTIPLE_SUBSCRIBERS,
			"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
		{FAKE_UNKNOWN, "CUPTI_ERROR_UNKNOWN"}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (texts[i].result != result)
			continue;
		*text = texts[i].text;
		return FAKE_OK;
	}
	return FAKE_INVALID_PARAMETER;
}

static int subscribe(void **subscriber, fake_callback *callback, void *user)
{
	int result = (int)cupti_setting("FAKE_CUPTI_SUBSCRIBE", FAKE_OK);

	if (cupti_driver() == NULL)
		return cupti_no_driver();
	if (result != FAKE_OK)
		return result;
	if (atomic_load(&subscriber_callback) != NULL)
		return FAKE_MULTIPLE_SUBSCRIBERS;
	subscriber_user = user;
	atomic_store(&subscriber_callback, callback);
	*subscriber = &the_subscriber;
	return FAKE_OK;
}

int cuptiSubscribe(void **subscriber, fake_callback *callback, void *user)
{
	cupti_enter(__func__);
	return cupti_told(__func__, 0, subscribe(subscriber, callback, user));
}

int cuptiSubscribe_v2(void **subscriber, fake_callback *callback, void *user,
	struct fake_subscriber_params *params)
{
	const char *other = getenv("FAKE_CUPTI_OTHER");
	int result;

	cupti_enter(__func__);
	result = subscribe(subscriber, callback, user);
	if (params != NULL && params->size < 32)
		result = FAKE_INVALID_PARAMETER;
	else if (result == FAKE_MULTIPLE_SUBSCRIBERS && params != NULL &&
		 other != NULL && params->old_name != NULL)
		(void)snprintf(params->old_name, params->old_size, "%s", other);
	return cupti_told(__func__, 0, result);
}

int cuptiUnsubscribe(void *subscriber)
{
	cupti_enter(__func__);
	if (subscriber != &the_subscriber)
		return cupti_told(__func__, 0, FAKE_INVALID_PARAMETER);
	atomic_store(&subscriber_callback, NULL);
	return cupti_told(__func__, 0, FAKE_OK);
}

int cuptiEnableCallback(
	uint32_t enable, void *subscriber, int32_t domain, uint32_t cbid)
{
	cupti_enter(__func__);
	if (subscriber != &the_subscriber ||
		atomic_load(&subscriber_callback) == NULL || domain < 1 ||
		domain >= DOMAINS || cbid >= CBIDS)
		return FAKE_INVALID_PARAMETER;
	atomic_store(&callbacks[domain][cbid], enable != 0);
	return FAKE_OK;
}

int cuptiEnableDomain(uint32_t enable, void *subscriber, int32_t domain)
{
	cupti_enter(__func__);
	if (subscriber != &the_subscriber || domain < 1 || domain >= DOMAINS)
		return cupti_told(__func__, domain, FAKE_INVALID_PARAMETER);
	for (size_t i = 0; i < CBIDS; i++)
		atomic_store(&callbacks[domain][i], enable != 0);
	return cupti_told(__func__, domain, FAKE_OK);
}

int cuptiGetCallbackName(int32_t domain, uint32_t cbid, const char **name)
{
	cupti_enter(__func__);
	*name = cupti_name(domain, cbid);
	return *name == NULL ? FAKE_INVALID_PARAMETER : FAKE_OK;
}

/* The clock works without a driver, too. */
int cuptiGetTimestamp(uint64_t *now)
{
	struct timespec day;

	cupti_enter(__func__);
	if (driver != NULL) {
		*now = (uint64_t)driver->now_ns();
		return FAKE_OK;
	}
	(void)clock_gettime(CLOCK_REALTIME, &day);
	*now = (uint64_t)day.tv_sec * 1000000000 + (uint64_t)day.tv_nsec;
	return FAKE_OK;
}

int cuptiGetGraphId(void *graph, uint32_t *id)
{
	cupti_enter(__func__);
	*id = (uint32_t)(uintptr_t)graph;
	return FAKE_OK;
}

int cuptiGetGraphExecId(void *graph, uint32_t *id)
{
	return cuptiGetGraphId(graph, id);
}

/* A node is a pointer to the driver's data of it. */
int cuptiGetGraphNodeId(void *node, uint64_t *id)
{
	cupti_enter(__func__);
	if (node == NULL)
		return FAKE_INVALID_PARAMETER;
	*id = *(const uint64_t *)node;
	return FAKE_OK;
}

int cuptiGetContextId(void *context, uint32_t *id)
{
	cupti_enter(__func__);
	if (context != &the_context)
		return FAKE_INVALID_PARAMETER;
	*id = 1;
	return FAKE_OK;
}

int cuptiGetDeviceId(void *context, uint32_t *id)
{
	cupti_enter(__func__);
	if (context != &the_context)
		return FAKE_INVALID_PARAMETER;
	*id = 0;
	return FAKE_OK;
}

int cuptiGetStreamIdEx(
	void *context, void *stream, uint8_t per_thread, uint32_t *id)
{
	cupti_enter(__func__);
	(void)per_thread;
	if (context != &the_context)
		return FAKE_INVALID_PARAMETER;
	*id = (uint32_t)(uintptr_t)stream;
	return FAKE_OK;
}

/* The call ends the work of all subscribers. */
static void finalize(void)
{
	atomic_store(&subscriber_callback, NULL);
	cupti_buffer_die();
}

int cuptiFinalize(void)
{
	cupti_enter(__func__);
	finalize();
	return cupti_told(__func__, 0, FAKE_OK);
}

static void call(struct fake_call *made, bool returns)
{
	fake_callback *callback = atomic_load(&subscriber_callback);
	struct fake_callback_data data = {
		.site = returns,
		.function = cupti_name((int32_t)made->domain, made->cbid),
		.return_value = returns ? &made->result : NULL,
		.context = &the_context,
		.context_uid = 1,
		.slot = &made->slot,
		.correlation = made->correlation,
	};

	if (callback != NULL &&
		atomic_load(&callbacks[made->domain][made->cbid]))
		callback(subscriber_user, (int32_t)made->domain, made->cbid,
			&data);
}

/* CUPTI's own locks are held meanwhile. */
static void resource(uint32_t cbid, const struct fake_node *node)
{
	fake_callback *callback = atomic_load(&subscriber_callback);
	struct fake_node copy = node == NULL ? (struct fake_node){0} : *node;
	struct fake_graph_data graph = {
		.node = &copy.id,
		.original_node = copy.original == 0 ? NULL : &copy.original,
	};
	struct fake_resource_data data = {
		.context = &the_context,
		.descriptor = node == NULL ? NULL : &graph,
	};

	if (callback == NULL || !atomic_load(&callbacks[FAKE_RESOURCE][cbid]))
		return;
	cupti_inside = CUPTI_IN_RESOURCES;
	callback(subscriber_user, FAKE_RESOURCE, cbid, &data);
	cupti_inside = CUPTI_OUTSIDE;
}

/* A fatal error: CUPTI's records are lost. */
static void state(uint32_t cbid)
{
	struct {
		int32_t result;
		const char *message;
	} data = {FAKE_UNKNOWN, "the fake driver gave up"};
	fake_callback *callback = atomic_load(&subscriber_callback);

	if (callback != NULL && atomic_load(&callbacks[FAKE_STATE][cbid]))
		callback(subscriber_user, FAKE_STATE, cbid, &data);
	finalize();
}

const struct fake_tool cupti_tool = {
	.call = call,
	.resource = resource,
	.state = state,
	.finalize = finalize,
	.activity = cupti_buffer_add,
	.finish = cupti_buffer_finish,
	.settle = cupti_buffer_settle,
	.stall = cupti_buffer_stall,
};
