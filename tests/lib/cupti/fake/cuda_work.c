/* SPDX-License-Identifier: MIT */
/*
 * Kernels are those of the tests' PTX, tests/gpu/driver.c: the spinning one
 * takes its requested time, others 1 us. An event measures the work of its
 * stream up to then: on a busy machine, delays of the program in between are
 * not part of the device's time. Objects are never freed.
 */
#include "cuda_work.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

#define FIRST_CREATED 3 /* contexts: 1 and 2 are the devices' own */
#define DEFAULT_STREAM 7
#define FIRST_STREAM 13
#define KERNEL_NS 1000
#define BLOCK_MAX 1024
#define SHARED_MAX 49152
#define MEMORY ((size_t)80 << 30)

enum {
	WORK_INVALID_VALUE = 1,
	WORK_OUT_OF_MEMORY = 2,
	WORK_INVALID_CONTEXT = 201,
	WORK_INVALID_HANDLE = 400,
	WORK_NOT_FOUND = 500,
};

struct work_context {
	uint32_t number;
	_Atomic uint32_t streams;
};

struct work_module {
	work_context context;
	const char *image;
};

struct work_function {
	work_context context;
	const struct kernel *kernel;
};

struct work_stream {
	work_context context;
	uint32_t number;
	uint64_t worked_ns;
};

struct work_event {
	work_stream stream;
	uint64_t worked_ns;
};

static const struct kernel {
	const char *name;
	uint16_t registers;
	int32_t static_shared, local;
} kernels[] = {
	{"empty_k", 4, 0, 0}, {"spin_ns_k", 8, 0, 0}, {"axpy_k", 10, 0, 0}};

static struct work_context primary = {.number = 1};
static _Atomic uint32_t created;
static _Thread_local work_context current;

int cuGetErrorName(int error, const char **name)
{
	static _Thread_local char text[32];

	(void)snprintf(text, sizeof(text), "CUDA_ERROR_%d", error);
	*name = text;
	return 0;
}

int cuCtxSetCurrent(work_context context)
{
	current = context;
	fake_calls.call_by(true, context == NULL ? 0 : context->number);
	return 0;
}

int cuDevicePrimaryCtxRetain(work_context *context, int device)
{
	*context = &primary;
	return device == 0 ? 0 : WORK_INVALID_VALUE;
}

int cuDevicePrimaryCtxReset_v2(int device)
{
	if (device == 0)
		fake_calls.reset();
	return device == 0 ? 0 : WORK_INVALID_VALUE;
}

static int made(const void *object)
{
	return object == NULL ? WORK_OUT_OF_MEMORY : 0;
}

int cuCtxCreate_v2(work_context *context, unsigned flags, int device)
{
	if (flags != 0 || device != 0)
		return WORK_INVALID_VALUE;
	*context = calloc(1, sizeof(**context));
	if (*context == NULL)
		return WORK_OUT_OF_MEMORY;
	(*context)->number = FIRST_CREATED + atomic_fetch_add(&created, 1);
	return cuCtxSetCurrent(*context);
}

int cuCtxDestroy_v2(work_context context)
{
	if (context == NULL || context == &primary)
		return WORK_INVALID_CONTEXT;
	fake_calls.destroy_context();
	return context == current ? cuCtxSetCurrent(NULL) : 0;
}

int cuCtxSynchronize(void)
{
	if (current == NULL)
		return WORK_INVALID_CONTEXT;
	fake_calls.wait(FAKE_WAIT_CONTEXT, 0);
	return 0;
}

int cuModuleLoadData(work_module *module, const void *image)
{
	if (current == NULL)
		return WORK_INVALID_CONTEXT;
	*module = calloc(1, sizeof(**module));
	if (*module != NULL)
		**module = (struct work_module){current, image};
	return made(*module);
}

/* It is in the module, and its effect is known. */
int cuModuleGetFunction(
	work_function *function, work_module module, const char *name)
{
	char entry[64];

	(void)snprintf(entry, sizeof(entry), ".entry %s(", name);
	if (strstr(module->image, entry) == NULL)
		return WORK_NOT_FOUND;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		if (strcmp(kernels[i].name, name) != 0)
			continue;
		*function = calloc(1, sizeof(**function));
		if (*function != NULL)
			**function = (struct work_function){
				module->context, &kernels[i]};
		return made(*function);
	}
	return WORK_NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, work_function function)
{
	const struct kernel *kernel = function->kernel;

	if (attribute != 1 && attribute != 3 && attribute != 4)
		return WORK_INVALID_VALUE;
	*value = attribute == 1   ? kernel->static_shared
		 : attribute == 3 ? kernel->local
				  : kernel->registers;
	return 0;
}

/* The stream is of this context, and gets this much more work. */
static int work_on(work_stream stream, uint64_t ns)
{
	if (stream == NULL)
		return current == NULL ? WORK_INVALID_CONTEXT : 0;
	if (stream->context != current)
		return WORK_INVALID_HANDLE;
	stream->worked_ns += ns;
	return 0;
}

static uint32_t number_of(work_stream stream)
{
	return stream == NULL ? DEFAULT_STREAM : stream->number;
}

int cuLaunchKernel(work_function function, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
	unsigned shared_bytes, work_stream stream, void **parameters,
	void **extra)
{
	struct fake_kernel kernel = {
		.name = function->kernel->name,
		.stream = number_of(stream),
		.grid = {(int32_t)grid_x, (int32_t)grid_y, (int32_t)grid_z},
		.block = {(int32_t)block_x, (int32_t)block_y, (int32_t)block_z},
		.registers = function->kernel->registers,
		.static_shared = function->kernel->static_shared,
		.dynamic_shared = (int32_t)shared_bytes,
		.dur_ns = KERNEL_NS,
	};
	uint64_t threads = (uint64_t)block_x * block_y * block_z;
	int result;

	if (extra != NULL || threads == 0 || threads > BLOCK_MAX ||
		(uint64_t)grid_x * grid_y * grid_z == 0 ||
		shared_bytes > SHARED_MAX)
		return WORK_INVALID_VALUE;
	if (strcmp(kernel.name, "spin_ns_k") == 0)
		memcpy(&kernel.dur_ns, parameters[0], sizeof(kernel.dur_ns));
	result = function->context == current ? work_on(stream, kernel.dur_ns)
					      : WORK_INVALID_HANDLE;
	if (result == 0)
		fake_calls.launch(&kernel);
	return result;
}

int cuStreamCreate(work_stream *stream, unsigned flags)
{
	if (current == NULL || flags > 1)
		return WORK_INVALID_CONTEXT;
	*stream = calloc(1, sizeof(**stream));
	if (*stream == NULL)
		return WORK_OUT_OF_MEMORY;
	(*stream)->context = current;
	(*stream)->number =
		FIRST_STREAM + atomic_fetch_add(&current->streams, 1);
	return 0;
}

int cuStreamSynchronize(work_stream stream)
{
	int result = work_on(stream, 0);

	if (result == 0)
		fake_calls.wait(FAKE_WAIT_STREAM, number_of(stream));
	return result;
}

int cuEventCreate(work_event *event, unsigned flags)
{
	*event = calloc(1, sizeof(**event));
	return flags != 0 ? WORK_INVALID_VALUE : made(*event);
}

int cuEventRecord(work_event event, work_stream stream)
{
	int result = stream == NULL ? WORK_INVALID_HANDLE : work_on(stream, 0);

	if (result == 0)
		*event = (struct work_event){stream, stream->worked_ns};
	return result;
}

int cuEventSynchronize(work_event event)
{
	if (event->stream == NULL)
		return WORK_INVALID_HANDLE;
	fake_calls.wait(FAKE_WAIT_EVENT, event->stream->number);
	return 0;
}

int cuEventElapsedTime(float *ms, work_event from, work_event to)
{
	if (from->stream == NULL || from->stream != to->stream)
		return WORK_INVALID_HANDLE;
	*ms = (float)(to->worked_ns - from->worked_ns) / 1000000;
	return 0;
}

int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
	void *memory = malloc(bytes);

	*at = (uintptr_t)memory;
	return made(memory);
}

int cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
	*at = malloc(bytes);
	return flags != 0 ? WORK_INVALID_VALUE : made(*at);
}

int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
	*unused = MEMORY - ((size_t)1 << 30);
	*total = MEMORY;
	return 0;
}

/* Copies take no time for events: no test has copies between two events. */
static int copy(struct fake_copy copied, work_stream stream, size_t bytes)
{
	int result = work_on(stream, 0);

	copied.async = true;
	copied.stream = number_of(stream);
	copied.bytes = bytes;
	if (result == 0)
		fake_calls.copy(&copied);
	return result;
}

int cuMemcpyHtoDAsync_v2(
	uint64_t to, const void *from, size_t bytes, work_stream stream)
{
	const struct fake_copy copied = {.kind = 1, .source = 2, .target = 3};

	return to == 0 || from == NULL ? WORK_INVALID_VALUE
				       : copy(copied, stream, bytes);
}

int cuMemcpyDtoHAsync_v2(
	void *to, uint64_t from, size_t bytes, work_stream stream)
{
	const struct fake_copy copied = {.kind = 2, .source = 3, .target = 2};

	return to == NULL || from == 0 ? WORK_INVALID_VALUE
				       : copy(copied, stream, bytes);
}

int cuMemcpyDtoDAsync_v2(
	uint64_t to, uint64_t from, size_t bytes, work_stream stream)
{
	const struct fake_copy copied = {.kind = 8, .source = 3, .target = 3};

	return to == 0 || from == 0 ? WORK_INVALID_VALUE
				    : copy(copied, stream, bytes);
}

int cuMemsetD8Async(
	uint64_t at, unsigned char value, size_t count, work_stream stream)
{
	int result = at == 0 ? WORK_INVALID_VALUE : work_on(stream, 0);

	if (result == 0)
		fake_calls.set(number_of(stream), value, count);
	return result;
}

int cuStreamBeginCapture_v2(work_stream stream, int mode)
{
	int result = mode == 1 ? work_on(stream, 0) : WORK_INVALID_VALUE;

	if (result == 0)
		fake_calls.capture();
	return result;
}

/* A graph is represented by its number. */
int cuStreamEndCapture(work_stream stream, work_graph *graph)
{
	int result = work_on(stream, 0);

	if (result == 0)
		*graph = (work_graph)(uintptr_t)fake_calls.capture_end();
	return result;
}

/* Our nodes were cloned at the end of the capture. */
int cuGraphInstantiateWithFlags(
	work_graph *exec, work_graph graph, unsigned long long flags)
{
	*exec = graph;
	return flags == 0 ? 0 : WORK_INVALID_VALUE;
}

int cuGraphLaunch(work_graph exec, work_stream stream)
{
	int result = work_on(stream, 0);

	if (result == 0)
		fake_calls.graph((uint32_t)(uintptr_t)exec, number_of(stream));
	return result;
}
