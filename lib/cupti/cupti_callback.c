/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_callback.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "ctprof.h"
#include "recorder/device_link.h"
#include "cupti/cupti_device.h"
#include "cupti/cupti_graph.h"
#include "cupti/cupti_load.h"

#define NAME_BYTES 128

/* Upper half of a call's slot between its ENTER and EXIT, above the depth of
 * the call: other values are not ours. */
#define MARK (UINT64_C(0x63747072) << 32)

/* Prefix or suffix of a name, in any version. All launches of kernels and
 * graphs go through the driver, and each subscribed function has a cost, so the
 * runtime's are omitted there. Copies may not all go through public functions
 * of the driver, so both are included. */
struct pattern {
	enum cupti_domain domain;
	const char *start;
	const char *end;
};

static const struct pattern wanted[] = {
	{CUPTI_DRIVER, "cuLaunch", ""},
	{CUPTI_DRIVER, "cuGraphLaunch", ""},
	{CUPTI_DRIVER, "cuMemcpy", ""},
	{CUPTI_DRIVER, "cuMemset", ""},
	{CUPTI_DRIVER, "cu", "Synchronize"},
	{CUPTI_DRIVER, "cuStreamWaitEvent", ""},
	{CUPTI_RUNTIME, "cudaMemcpy", ""},
	{CUPTI_RUNTIME, "cudaMemset", ""},
	{CUPTI_RUNTIME, "cuda", "Synchronize"},
	{CUPTI_RUNTIME, "cudaStreamWaitEvent", ""},
};

/* These calls probably mark the end of recorded work, or of the objects that
 * have its records. We request only finished work, because other contexts
 * continue. */
static const struct pattern flushing[] = {
	{CUPTI_DRIVER, "cuCtxDestroy", ""},
	{CUPTI_DRIVER, "cuProfilerStop", ""},
	{CUPTI_RUNTIME, "cudaProfilerStop", ""},
};

/* After these calls, CUPTI does not report the work that they end. So we
 * request everything before, even unfinished work. */
static const struct pattern resetting[] = {
	{CUPTI_DRIVER, "cuDevicePrimaryCtxReset", ""},
	{CUPTI_RUNTIME, "cudaDeviceReset", ""},
};

/* After these calls, unless they are captured in a graph, CUPTI has work to
 * report. */
static const struct pattern launching[] = {
	{CUPTI_DRIVER, "cuLaunchKernel", ""},
	{CUPTI_DRIVER, "cuLaunchCooperativeKernel", ""},
};

static const struct pattern noise[] = {
	{CUPTI_DRIVER, "cuCtxGetCurrent", ""},
	{CUPTI_DRIVER, "cuDevicePrimaryCtxGetState", ""},
	{CUPTI_DRIVER, "cuKernelGetAttribute", ""},
	{CUPTI_DRIVER, "cuPointerGetAttribute", ""},
	{CUPTI_RUNTIME, "cudaEventCreate", ""},
	{CUPTI_RUNTIME, "cudaEventDestroy", ""},
	{CUPTI_RUNTIME, "cudaGetDevice", "cudaGetDevice"},
	{CUPTI_RUNTIME, "cudaGetLastError", ""},
	{CUPTI_RUNTIME, "cudaPeekAtLastError", ""},
	{CUPTI_RUNTIME, "cudaSetDevice", "cudaSetDevice"},
	{CUPTI_RUNTIME, "cudaStreamIsCapturing", ""},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct function {
	struct ctp_site *site; /* NULL: no such function */
	bool is_wanted, is_flushing, is_resetting, is_launching, is_noise;
	_Atomic bool is_seen;
	/* More than recording is necessary: always, or the first time. */
	_Atomic bool is_special;
};

static struct {
	struct function
		functions[2][CUPTI_CALLBACK_FUNCTIONS]; /* driver and runtime */
	/* Number of activations and deactivations: odd while active. */
	_Atomic uint32_t turns;
	void (*on_fatal)(const char *why);
} callbacks;

/* The calling thread's active calls. */
static _Thread_local struct {
	uint32_t turn;
	uint32_t depth;
	uint32_t correlation;
	bool is_open;     /* the outermost call has a range */
	bool is_captured; /* it creates a node of a graph */
} self __attribute__((tls_model("initial-exec")));

/* Length of the name without "_v2". */
static size_t stem_size(const char *name)
{
	const char *at = strstr(name, "_v");

	return at != NULL && at[2 + strspn(at + 2, "0123456789")] == '\0'
		       ? (size_t)(at - name)
		       : strlen(name);
}

static bool matches(const struct pattern *patterns, size_t count,
	enum cupti_domain domain, const char *name)
{
	size_t size = stem_size(name);

	for (size_t i = 0; i < count; i++) {
		size_t end = strlen(patterns[i].end);

		if (patterns[i].domain == domain &&
			strncmp(name, patterns[i].start,
				strlen(patterns[i].start)) == 0 &&
			size >= end &&
			strncmp(name + size - end, patterns[i].end, end) == 0)
			return true;
	}
	return false;
}

/* The name without "_v3020" and "_ptsz", which distinguish versions of a
 * function; "_v2" is part of it. */
static void plain_name(char *out, const char *name)
{
	char *at;

	(void)snprintf(out, NAME_BYTES, "%s", name);
	at = strstr(out, "_v");
	while (at != NULL && strspn(at + 2, "0123456789") < 4)
		at = strstr(at + 2, "_v");
	if (at != NULL)
		*at = '\0';
	at = strstr(out, "_ptsz");
	if (at == NULL)
		at = strstr(out, "_ptds");
	if (at != NULL)
		*at = '\0';
}

static void add(enum cupti_domain domain, uint32_t cbid, const char *name)
{
	struct function *function = &callbacks.functions[domain - 1][cbid];
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	char plain[NAME_BYTES];

	plain_name(plain, name);
	function->is_flushing =
		matches(flushing, COUNT(flushing), domain, plain);
	function->is_resetting =
		matches(resetting, COUNT(resetting), domain, plain);
	function->is_launching =
		matches(launching, COUNT(launching), domain, plain);
	function->is_noise = matches(noise, COUNT(noise), domain, plain);
	function->is_wanted = function->is_flushing || function->is_resetting ||
			      matches(wanted, COUNT(wanted), domain, plain);
	atomic_init(&function->is_special, true);
	info.name = plain;
	info.category = domain == CUPTI_DRIVER ? "cuda_driver" : "cuda_runtime";
	function->site = ctp_site_intern_info(&info);
}

void cupti_callback_init(void)
{
	for (int domain = CUPTI_DRIVER; domain <= CUPTI_RUNTIME; domain++) {
		for (uint32_t cbid = 1; cbid < CUPTI_CALLBACK_FUNCTIONS;
			cbid++) {
			const char *name = NULL;

			if (cupti_library.cupti.cuptiGetCallbackName(
				    domain, cbid, &name) == CUPTI_OK &&
				name != NULL)
				add((enum cupti_domain)domain, cbid, name);
		}
	}
}

static struct function *function_of(enum cupti_domain domain, uint32_t cbid)
{
	static struct function none;

	return (domain == CUPTI_DRIVER || domain == CUPTI_RUNTIME) &&
			       cbid < CUPTI_CALLBACK_FUNCTIONS
		       ? &callbacks.functions[domain - 1][cbid]
		       : &none;
}

/*
 * Handles a call within a call. Usually it is the driver's function called by
 * the runtime's, with the same number; if it has its own, activities may refer
 * to that one.
 */
static void nested(const struct cupti_callback_data *data)
{
	if (self.is_open && data->correlation != self.correlation) {
		self.correlation = data->correlation;
		ctp_private_correlate(data->correlation);
	}
}

/* 0 is success in both domains. */
static int32_t result_of(const struct cupti_callback_data *data)
{
	int32_t result = 0;

	if (data->result != NULL)
		memcpy(&result, data->result, sizeof(result));
	return result;
}

static void call_special(struct function *function)
{
	self.is_captured = false;
	if (function->is_flushing || function->is_resetting)
		(void)cupti_library.cupti.cuptiActivityFlushAll(
			function->is_resetting ? CUPTI_FLUSH_FORCED : 0);
	else if (!function->is_launching)
		atomic_store(&function->is_special, false);
}

/* Handles the end of a launch, which is special until the first one was
 * seen. */
static void end_special(
	struct function *function, const struct cupti_callback_data *data)
{
	if (!function->is_launching || self.is_captured || result_of(data) != 0)
		return;
	atomic_store(&function->is_seen, true);
	atomic_store(&function->is_special, false);
}

static void enter(
	struct function *function, const struct cupti_callback_data *data)
{
	/* The function's description was set before this thread needed it. */
	const uint32_t turn =
		atomic_load_explicit(&callbacks.turns, memory_order_acquire);

	if (turn % 2 == 0)
		return;
	/* A call that began in an earlier turn may have ended unnoticed. */
	if (self.turn != turn) {
		self.turn = turn;
		self.depth = 0;
	}
	*data->slot = MARK | self.depth;
	if (self.depth++ != 0) {
		nested(data);
		return;
	}
	if (atomic_load_explicit(&function->is_special, memory_order_relaxed))
		call_special(function);
	self.correlation = data->correlation;
	self.is_open =
		ctp_private_begin_call(function->site, data->correlation);
}

static void end_call(const struct cupti_callback_data *data)
{
	const int32_t result = result_of(data);

	if (result != 0)
		ctp_arg_int("return", result);
	ctp_end();
}

static void leave(
	struct function *function, const struct cupti_callback_data *data)
{
	const uint64_t slot = *data->slot;
	const uint32_t turn =
		atomic_load_explicit(&callbacks.turns, memory_order_relaxed);

	if ((slot & ~(uint64_t)UINT32_MAX) != MARK)
		return;
	*data->slot = 0;
	/* A range of an earlier recording has ended with it. */
	if (self.turn != turn && self.turn + 1 != turn)
		return;
	self.depth = (uint32_t)slot;
	if (self.depth != 0)
		return;
	if (atomic_load_explicit(&function->is_special, memory_order_relaxed))
		end_special(function, data);
	if (self.is_open)
		end_call(data);
}

/* Rare resource callbacks. CUPTI may be called here, but not flushed. */

static void node_created(const struct cupti_graph_data *data)
{
	uint64_t node;

	self.is_captured = true;
	if (cupti_library.cupti.cuptiGetGraphNodeId(data->node, &node) !=
		CUPTI_OK)
		return;
	cupti_graph_created(node);
	ctp_arg_int("captured graph node", (int64_t)node);
}

static void node_cloned(const struct cupti_graph_data *data)
{
	uint64_t node;
	uint64_t original;

	if (cupti_library.cupti.cuptiGetGraphNodeId(data->node, &node) ==
			CUPTI_OK &&
		cupti_library.cupti.cuptiGetGraphNodeId(
			data->original_node, &original) == CUPTI_OK)
		cupti_graph_cloned(node, original);
}

static void context_created(void *context)
{
	uint32_t number;
	uint32_t device;

	if (cupti_library.cupti.cuptiGetContextId(context, &number) ==
			CUPTI_OK &&
		cupti_library.cupti.cuptiGetDeviceId(context, &device) ==
			CUPTI_OK)
		cupti_device_context(
			(struct device_place){device, number}, CUPTI_NO_STREAM);
}

static void resource(uint32_t cbid, const struct cupti_resource_data *data)
{
	if (cbid == CUPTI_CONTEXT_CREATED)
		context_created(data->context);
	else if (cbid == CUPTI_GRAPHNODE_CREATED && data->descriptor != NULL)
		node_created(data->descriptor);
	else if (cbid == CUPTI_GRAPHNODE_CLONED && data->descriptor != NULL)
		node_cloned(data->descriptor);
}

void cupti_callback_on_fatal(void (*function)(const char *why))
{
	callbacks.on_fatal = function;
}

void cupti_callback(void *user, int domain, uint32_t cbid, const void *data)
{
	const struct cupti_callback_data *call = data;

	(void)user;
	if (domain == CUPTI_DRIVER || domain == CUPTI_RUNTIME) {
		struct function *function =
			function_of((enum cupti_domain)domain, cbid);

		if (call->site == CUPTI_EXIT)
			leave(function, call);
		else if (function->site != NULL)
			enter(function, call);
	} else if (!cupti_callback_is_active()) {
		return;
	} else if (domain == CUPTI_RESOURCE) {
		resource(cbid, data);
	} else if (domain == CUPTI_STATE && cbid == CUPTI_FATAL_ERROR) {
		callbacks.on_fatal("CUPTI stopped after a fatal driver error");
	}
}

void cupti_callback_active(bool on)
{
	if (cupti_callback_is_active() != on)
		atomic_fetch_add(&callbacks.turns, 1);
}

bool cupti_callback_is_active(void)
{
	return atomic_load(&callbacks.turns) % 2 != 0;
}

static bool set(void *subscriber, bool on, int domain, uint32_t cbid)
{
	return cupti_library.cupti.cuptiEnableCallback(
		       on, subscriber, domain, cbid) == CUPTI_OK;
}

static uint32_t set_rare(void *subscriber, bool on)
{
	const struct cupti *cupti = &cupti_library.cupti;
	uint32_t refused = 0;

	refused += !set(subscriber, on, CUPTI_STATE, CUPTI_FATAL_ERROR);
	if (cupti->cuptiGetContextId != NULL && cupti->cuptiGetDeviceId != NULL)
		refused += !set(
			subscriber, on, CUPTI_RESOURCE, CUPTI_CONTEXT_CREATED);
	if (cupti->cuptiGetGraphNodeId != NULL) {
		refused += !set(subscriber, on, CUPTI_RESOURCE,
			CUPTI_GRAPHNODE_CREATED);
		refused += !set(
			subscriber, on, CUPTI_RESOURCE, CUPTI_GRAPHNODE_CLONED);
	}
	return refused;
}

uint32_t cupti_callback_enable(void *subscriber, bool on)
{
	uint32_t refused = set_rare(subscriber, on);

	for (int domain = CUPTI_DRIVER; domain <= CUPTI_RUNTIME; domain++)
		for (uint32_t cbid = 1; cbid < CUPTI_CALLBACK_FUNCTIONS; cbid++)
			if (function_of((enum cupti_domain)domain, cbid)
					->is_wanted)
				refused += !set(subscriber, on, domain, cbid);
	return refused;
}

struct ctp_site *cupti_callback_site(enum cupti_domain domain, uint32_t cbid)
{
	return function_of(domain, cbid)->site;
}

bool cupti_callback_has_launched(void)
{
	for (uint32_t cbid = 1; cbid < CUPTI_CALLBACK_FUNCTIONS; cbid++) {
		const struct function *function =
			function_of(CUPTI_DRIVER, cbid);

		if (function->is_launching && atomic_load(&function->is_seen))
			return true;
	}
	return false;
}

bool cupti_callback_is_noise(enum cupti_domain domain, uint32_t cbid)
{
	return function_of(domain, cbid)->is_noise;
}
