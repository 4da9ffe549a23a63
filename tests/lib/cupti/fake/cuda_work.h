/* SPDX-License-Identifier: MIT */
/* Further exports of the fake libcuda: the driver's functions by which programs
 * give work to a GPU. */
#ifndef CUDA_WORK_H
#define CUDA_WORK_H

#include "fake.h"

typedef struct work_context *work_context;
typedef struct work_module *work_module;
typedef struct work_function *work_function;
typedef struct work_stream *work_stream;
typedef struct work_event *work_event;
typedef struct work_graph *work_graph;

FAKE_API int cuGetErrorName(int error, const char **name);
FAKE_API int cuDevicePrimaryCtxRetain(work_context *context, int device);
FAKE_API int cuDevicePrimaryCtxReset_v2(int device);
FAKE_API int cuCtxCreate_v2(work_context *context, unsigned flags, int device);
FAKE_API int cuCtxDestroy_v2(work_context context);
FAKE_API int cuCtxSetCurrent(work_context context);
FAKE_API int cuCtxSynchronize(void);
FAKE_API int cuModuleLoadData(work_module *module, const void *image);
FAKE_API int cuModuleGetFunction(
	work_function *function, work_module module, const char *name);
FAKE_API int cuFuncGetAttribute(
	int *value, int attribute, work_function function);
FAKE_API int cuLaunchKernel(work_function function, unsigned grid_x,
	unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
	unsigned block_z, unsigned shared_bytes, work_stream stream,
	void **parameters, void **extra);
FAKE_API int cuStreamCreate(work_stream *stream, unsigned flags);
FAKE_API int cuStreamSynchronize(work_stream stream);
FAKE_API int cuEventCreate(work_event *event, unsigned flags);
FAKE_API int cuEventRecord(work_event event, work_stream stream);
FAKE_API int cuEventSynchronize(work_event event);
FAKE_API int cuEventElapsedTime(float *ms, work_event from, work_event to);
FAKE_API int cuMemAlloc_v2(uint64_t *at, size_t bytes);
FAKE_API int cuMemGetInfo_v2(size_t *unused, size_t *total);
FAKE_API int cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
FAKE_API int cuMemcpyHtoDAsync_v2(
	uint64_t to, const void *from, size_t bytes, work_stream stream);
FAKE_API int cuMemcpyDtoHAsync_v2(
	void *to, uint64_t from, size_t bytes, work_stream stream);
FAKE_API int cuMemcpyDtoDAsync_v2(
	uint64_t to, uint64_t from, size_t bytes, work_stream stream);
FAKE_API int cuMemsetD8Async(
	uint64_t at, unsigned char value, size_t count, work_stream stream);
FAKE_API int cuStreamBeginCapture_v2(work_stream stream, int mode);
FAKE_API int cuStreamEndCapture(work_stream stream, work_graph *graph);
FAKE_API int cuGraphInstantiateWithFlags(
	work_graph *exec, work_graph graph, unsigned long long flags);
FAKE_API int cuGraphLaunch(work_graph exec, work_stream stream);

#endif
