/* SPDX-License-Identifier: MIT */
/*
 * The fake libcupti's declarations of CUPTI's binary interface, written
 * independently of lib/cupti/cupti_abi.h. So an error in one is found by the
 * other, and by cupti_abi_check.c if NVIDIA's header is installed.
 */
#ifndef FAKE_ABI_H
#define FAKE_ABI_H

#include <stdint.h>

/* Results. */
enum {
	FAKE_OK = 0,
	FAKE_INVALID_PARAMETER = 1,
	FAKE_INVALID_OPERATION = 7,
	FAKE_SIZE_NOT_SUFFICIENT = 10,
	FAKE_MAX_LIMIT_REACHED = 12,
	FAKE_NOT_COMPATIBLE = 14,
	FAKE_NOT_INITIALIZED = 15,
	FAKE_INVALID_KIND = 21,
	FAKE_INSUFFICIENT_PRIVILEGES = 35,
	FAKE_MULTIPLE_SUBSCRIBERS = 39,
	FAKE_UNKNOWN = 999,
};

/* Domains of callbacks, and callbacks of resources and of the state. */
enum {
	FAKE_DRIVER_API = 1,
	FAKE_RUNTIME_API = 2,
	FAKE_RESOURCE = 3,
	FAKE_STATE = 6,

	FAKE_CONTEXT_CREATED = 1,
	FAKE_CONTEXT_DESTROY_STARTING = 2,
	FAKE_GRAPHNODE_CREATED = 13,
	FAKE_GRAPHNODE_CLONED = 20,

	FAKE_FATAL_ERROR = 1,
};

/* Attributes of the activities. */
enum {
	FAKE_ATTRIBUTE_ZEROED = 5,
	FAKE_ATTRIBUTE_PER_THREAD = 9,
};

/* Kinds of activities, and the sizes of their records in CUPTI 11.8, 12.4 and
 * 13.0. */
/* clang-format off */
#define FAKE_KINDS(X) \
	X(MEMCPY, 1, 88, 88, 96) \
	X(MEMSET, 2, 88, 88, 88) \
	X(KERNEL, 3, 200, 208, 216) \
	X(DRIVER, 4, 40, 40, 40) \
	X(RUNTIME, 5, 40, 40, 40) \
	X(DEVICE, 8, 176, 184, 184) \
	X(CONTEXT, 9, 16, 24, 32) \
	X(CONCURRENT_KERNEL, 10, 200, 208, 216) \
	X(OVERHEAD, 17, 40, 56, 56) \
	X(MEMCPY2, 22, 96, 96, 96) \
	X(CUDA_EVENT, 36, 24, 24, 56) \
	X(STREAM, 37, 24, 24, 24) \
	X(SYNCHRONIZATION, 38, 40, 40, 56) \
	X(EXTERNAL_CORRELATION, 39, 24, 24, 24) \
	X(INTERNAL_LAUNCH_API, 48, 40, 40, 40) \
	X(GRAPH_TRACE, 51, 48, 56, 56)
/* clang-format on */

enum fake_kind {
#define FAKE_KIND(name, number, ...) FAKE_##name = number,
	FAKE_KINDS(FAKE_KIND)
#undef FAKE_KIND
		FAKE_KIND_LIMIT = 64,
	/* For the future version. */
	FAKE_FUTURE_KIND = 63,
};

/* The argument of a callback about a call. */
struct fake_callback_data {
	int32_t site; /* 0: the call begins; 1: it returns */
	const char *function;
	const void *params;
	void *return_value;
	const char *symbol;
	void *context;
	uint32_t context_uid;
	uint64_t *slot; /* kept from the call's begin to its return */
	uint32_t correlation;
};

/* The same about a resource; with `descriptor` if it is a graph. */
struct fake_resource_data {
	void *context;
	void *handle;
	const void *descriptor;
};

struct fake_graph_data {
	void *graph;
	void *original_graph;
	void *node;
	void *original_node;
	int32_t node_type;
	void *dependency;
	void *graph_exec;
};

/* The names that cuptiSubscribe_v2() gives to two competing subscribers. */
struct fake_subscriber_params {
	size_t size;
	const char *name;
	char *old_name;
	size_t old_size;
};

/* Offsets of the fields of records. */
enum {
	FAKE_KERNEL_REGISTERS = 6,
	FAKE_KERNEL_START = 16,
	FAKE_KERNEL_END = 24,
	FAKE_KERNEL_DEVICE = 40,
	FAKE_KERNEL_CONTEXT = 44,
	FAKE_KERNEL_STREAM = 48,
	FAKE_KERNEL_GRID = 52,
	FAKE_KERNEL_BLOCK = 64,
	FAKE_KERNEL_STATIC_SHARED = 76,
	FAKE_KERNEL_DYNAMIC_SHARED = 80,
	FAKE_KERNEL_LOCAL = 84,
	FAKE_KERNEL_CORRELATION = 92,
	FAKE_KERNEL_GRID_ID = 96,
	FAKE_KERNEL_NAME = 104,
	FAKE_KERNEL_LAUNCH_TYPE = 136,
	FAKE_KERNEL_SHARED_EXECUTED = 140,
	FAKE_KERNEL_NODE = 144,
	FAKE_KERNEL_GRAPH = 156,
	FAKE_KERNEL_CHANNEL = 168,
	FAKE_KERNEL_CHANNEL_TYPE = 172,
	FAKE_KERNEL_CLUSTER = 176,
	FAKE_KERNEL_LOCAL_TOTAL = 192,
	FAKE_KERNEL_DEVICE_LAUNCHED = 208,
	FAKE_KERNEL_PRIORITY = 216,

	FAKE_MEMCPY_KIND = 4,
	FAKE_MEMCPY_SOURCE = 5,
	FAKE_MEMCPY_TARGET = 6,
	FAKE_MEMCPY_FLAGS = 7,
	FAKE_MEMCPY_BYTES = 8,
	FAKE_MEMCPY_START = 16,
	FAKE_MEMCPY_END = 24,
	FAKE_MEMCPY_DEVICE = 32,
	FAKE_MEMCPY_CONTEXT = 36,
	FAKE_MEMCPY_STREAM = 40,
	FAKE_MEMCPY_CORRELATION = 44,
	FAKE_MEMCPY_NODE = 64,
	FAKE_MEMCPY_GRAPH = 72,
	FAKE_MEMCPY_CHANNEL = 76,
	FAKE_MEMCPY_COUNT = 88,

	FAKE_MEMCPY2_SOURCE_DEVICE = 44,
	FAKE_MEMCPY2_SOURCE_CONTEXT = 48,
	FAKE_MEMCPY2_TARGET_DEVICE = 52,
	FAKE_MEMCPY2_TARGET_CONTEXT = 56,
	FAKE_MEMCPY2_CORRELATION = 60,
	FAKE_MEMCPY2_NODE = 72,
	FAKE_MEMCPY2_GRAPH = 80,

	FAKE_MEMSET_VALUE = 4,
	FAKE_MEMSET_BYTES = 8,
	FAKE_MEMSET_START = 16,
	FAKE_MEMSET_END = 24,
	FAKE_MEMSET_DEVICE = 32,
	FAKE_MEMSET_CONTEXT = 36,
	FAKE_MEMSET_STREAM = 40,
	FAKE_MEMSET_CORRELATION = 44,
	FAKE_MEMSET_FLAGS = 48,
	FAKE_MEMSET_MEMORY = 50,
	FAKE_MEMSET_NODE = 64,
	FAKE_MEMSET_GRAPH = 72,
	FAKE_MEMSET_CHANNEL = 76,

	FAKE_SYNC_TYPE = 4,
	FAKE_SYNC_START = 8,
	FAKE_SYNC_END = 16,
	FAKE_SYNC_CORRELATION = 24,
	FAKE_SYNC_CONTEXT = 28,
	FAKE_SYNC_STREAM = 32,
	FAKE_SYNC_EVENT = 36,
	FAKE_SYNC_ID = 40,
	FAKE_SYNC_RETURN = 48,

	FAKE_API_CBID = 4,
	FAKE_API_START = 8,
	FAKE_API_END = 16,
	FAKE_API_PROCESS = 24,
	FAKE_API_THREAD = 28,
	FAKE_API_CORRELATION = 32,
	FAKE_API_RETURN = 36,

	FAKE_GRAPH_CORRELATION = 4,
	FAKE_GRAPH_START = 8,
	FAKE_GRAPH_END = 16,
	FAKE_GRAPH_DEVICE = 24,
	FAKE_GRAPH_ID = 28,
	FAKE_GRAPH_CONTEXT = 32,
	FAKE_GRAPH_STREAM = 36,

	FAKE_CONTEXT_ID = 4,
	FAKE_CONTEXT_DEVICE = 8,
	FAKE_CONTEXT_NULL_STREAM = 14,

	FAKE_OVERHEAD_WHAT = 4,
	FAKE_OVERHEAD_OBJECT = 8,
	FAKE_OVERHEAD_PROCESS = 12,
	FAKE_OVERHEAD_THREAD = 16,
	FAKE_OVERHEAD_START = 24,
	FAKE_OVERHEAD_END = 32,
};

#endif
