/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver for the tests: found at run time, and declared here, so that
 * they build without CUDA. Source: NVIDIA's documentation of the CUDA driver
 * API.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef struct driver_context *driver_context;
typedef struct driver_module *driver_module;
typedef struct driver_function *driver_function;
typedef struct driver_stream *driver_stream;
typedef struct driver_event *driver_event;
typedef struct driver_graph *driver_graph;
typedef struct driver_graph_exec *driver_graph_exec;
typedef uint64_t driver_address;

/* Numbers of cuFuncGetAttribute(). */
enum driver_function_attribute {
	DRIVER_SHARED_BYTES = 1,
	DRIVER_LOCAL_BYTES = 3,
	DRIVER_REGISTERS = 4,
};

#define DRIVER_STREAM_NON_BLOCKING 1U
#define DRIVER_CAPTURE_THREAD_LOCAL 1
#define DRIVER_NO_DEVICE 100

/* clang-format off */
#define DRIVER_CALLS(X) \
	X(init, "cuInit", (unsigned flags)) \
	X(version, "cuDriverGetVersion", (int *version)) \
	X(device_count, "cuDeviceGetCount", (int *count)) \
	X(device_get, "cuDeviceGet", (int *device, int number)) \
	X(device_name, "cuDeviceGetName", (char *name, int size, int device)) \
	X(error_name, "cuGetErrorName", (int error, const char **name)) \
	X(context_retain, "cuDevicePrimaryCtxRetain", \
		(driver_context *context, int device)) \
	X(context_reset, "cuDevicePrimaryCtxReset_v2", (int device)) \
	X(context_set, "cuCtxSetCurrent", (driver_context context)) \
	X(context_create, "cuCtxCreate_v2", \
		(driver_context *context, unsigned flags, int device)) \
	X(context_destroy, "cuCtxDestroy_v2", (driver_context context)) \
	X(context_synchronize, "cuCtxSynchronize", (void)) \
	X(module_load, "cuModuleLoadData", \
		(driver_module *module, const void *image)) \
	X(module_function, "cuModuleGetFunction", \
		(driver_function *function, driver_module module, \
			const char *name)) \
	X(function_attribute, "cuFuncGetAttribute", \
		(int *value, int attribute, driver_function function)) \
	X(launch, "cuLaunchKernel", \
		(driver_function function, unsigned grid_x, unsigned grid_y, \
			unsigned grid_z, unsigned block_x, unsigned block_y, \
			unsigned block_z, unsigned shared_bytes, \
			driver_stream stream, void **parameters, void **extra)) \
	X(stream_create, "cuStreamCreate", \
		(driver_stream *stream, unsigned flags)) \
	X(stream_synchronize, "cuStreamSynchronize", (driver_stream stream)) \
	X(event_create, "cuEventCreate", (driver_event *event, unsigned flags)) \
	X(event_record, "cuEventRecord", \
		(driver_event event, driver_stream stream)) \
	X(event_synchronize, "cuEventSynchronize", (driver_event event)) \
	X(event_elapsed, "cuEventElapsedTime", \
		(float *ms, driver_event from, driver_event to)) \
	X(memory_alloc, "cuMemAlloc_v2", (driver_address *at, size_t bytes)) \
	X(memory_info, "cuMemGetInfo_v2", (size_t *unused, size_t *total)) \
	X(host_alloc, "cuMemHostAlloc", \
		(void **at, size_t bytes, unsigned flags)) \
	X(copy_to_device, "cuMemcpyHtoDAsync_v2", \
		(driver_address to, const void *from, size_t bytes, \
			driver_stream stream)) \
	X(copy_to_host, "cuMemcpyDtoHAsync_v2", \
		(void *to, driver_address from, size_t bytes, \
			driver_stream stream)) \
	X(copy_on_device, "cuMemcpyDtoDAsync_v2", \
		(driver_address to, driver_address from, size_t bytes, \
			driver_stream stream)) \
	X(fill_bytes, "cuMemsetD8Async", \
		(driver_address at, unsigned char value, size_t count, \
			driver_stream stream)) \
	X(capture_begin, "cuStreamBeginCapture_v2", \
		(driver_stream stream, int mode)) \
	X(capture_end, "cuStreamEndCapture", \
		(driver_stream stream, driver_graph *graph)) \
	X(graph_instantiate, "cuGraphInstantiateWithFlags", \
		(driver_graph_exec *exec, driver_graph graph, \
			unsigned long long flags)) \
	X(graph_launch, "cuGraphLaunch", \
		(driver_graph_exec exec, driver_stream stream))
/* clang-format on */

struct driver {
#define DRIVER_FIELD(name, symbol, arguments) int(*name) arguments;
	DRIVER_CALLS(DRIVER_FIELD)
#undef DRIVER_FIELD
};

/* Filled in by driver_open(). */
extern struct driver driver;

/* Loads the driver and initialises it; NULL, or the reason why there is no
 * GPU. */
const char *driver_open(void);

/* Ends the program with a message if a call failed. */
void driver_must(int result, const char *call);

#define MUST(call) driver_must((call), #call)

/* The tests' kernels, and the context of their module. */
struct driver_kernels {
	driver_function empty;
	driver_function spin; /* (uint64_t nanoseconds) */
	driver_function axpy; /* (x, y, float a, uint32_t count): y += a x */
};

/* Makes device 0's context current and loads the kernels into it. */
void driver_begin(struct driver_kernels *kernels);
void driver_load(struct driver_kernels *kernels);

#endif
