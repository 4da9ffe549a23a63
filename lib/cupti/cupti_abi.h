/* SPDX-License-Identifier: MIT */
/*
 * The part of CUPTI's binary interface that we use, so that the build needs
 * neither CUDA nor its headers. Records only grow at their end, so these are
 * the newest known forms. Fields missing in an older library's records read as
 * 0; see cupti_record.c. tests/lib/cupti/cupti_abi_check.c compares all of it
 * with NVIDIA's headers if they are installed.
 *
 * Source: CUPTI's headers of 11.8 to 13.5.
 */
#ifndef CUPTI_ABI_H
#define CUPTI_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Results. */
enum {
	CUPTI_OK = 0,
	CUPTI_MAX_LIMIT_REACHED = 12, /* no more records */
	CUPTI_NOT_COMPATIBLE = 14,
	CUPTI_NOT_INITIALIZED = 15,
	CUPTI_INSUFFICIENT_PRIVILEGES = 35,
	CUPTI_MULTIPLE_SUBSCRIBERS = 39,
	CUPTI_UNKNOWN = 999,
};

/* Domains of callbacks. */
enum cupti_domain {
	CUPTI_DRIVER = 1,
	CUPTI_RUNTIME = 2,
	CUPTI_RESOURCE = 3,
	CUPTI_STATE = 6,
};

/* Callbacks of the last two domains. */
enum {
	CUPTI_CONTEXT_CREATED = 1,
	CUPTI_GRAPHNODE_CREATED = 13,
	CUPTI_GRAPHNODE_CLONED = 20,
	CUPTI_FATAL_ERROR = 1,
};

enum { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };

/* Attributes; the values are one byte each. */
enum {
	CUPTI_ATTRIBUTE_ZEROED_OUT = 5,
	CUPTI_ATTRIBUTE_PER_THREAD = 9,
};

enum { CUPTI_THREAD_ID_SYSTEM = 1 };

/* Kinds of records. */
enum cupti_kind {
	CUPTI_MEMCPY = 1,
	CUPTI_MEMSET = 2,
	CUPTI_KERNEL = 3,
	CUPTI_DRIVER_API = 4,
	CUPTI_RUNTIME_API = 5,
	CUPTI_CONTEXT = 9,
	CUPTI_CONCURRENT_KERNEL = 10,
	CUPTI_OVERHEAD = 17,
	CUPTI_MEMCPY2 = 22,
	CUPTI_SYNCHRONIZATION = 38,
	CUPTI_GRAPH_TRACE = 51,
	/* Above those of any known version. */
	CUPTI_KIND_LIMIT = 128,
};

struct cupti_callback_data {
	int32_t site;
	const char *function;
	const void *params;
	const void *result; /* at EXIT: to an int */
	const char *symbol;
	void *context;
	uint32_t context_uid;
	uint64_t *slot; /* one word kept from a call's ENTER to its EXIT */
	uint32_t correlation;
};
static_assert(offsetof(struct cupti_callback_data, slot) == 56, "ABI");
static_assert(offsetof(struct cupti_callback_data, correlation) == 64, "ABI");

struct cupti_resource_data {
	void *context;
	void *handle;
	void *descriptor; /* for a graph's node: a struct cupti_graph_data */
};

struct cupti_graph_data {
	void *graph;
	void *original_graph;
	void *node;
	void *original_node;
	int32_t node_type;
	void *dependency;
	void *graph_exec;
};

struct cupti_state_data {
	int32_t result;
	const char *message;
};

struct cupti_subscriber_params {
	size_t size;
	const char *name;
	char *old_name; /* out: the existing subscriber */
	size_t old_size;
};

struct cupti_kernel {
	uint32_t kind;
	uint8_t cache_config, shared_config;
	uint16_t registers;
	uint32_t partitioned[2];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3];
	int32_t static_shared, dynamic_shared;
	uint32_t local_per_thread, local_total_32;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;
	void *reserved;
	uint64_t queued, submitted;
	uint8_t launch_type, carveout_requested, carveout;
	uint32_t shared_executed;
	uint64_t node;
	uint32_t shared_limit;
	uint32_t graph;
	void *access_window;
	uint32_t channel, channel_type; /* from 11.4 on */
	uint32_t cluster[3];            /* from 11.8 on */
	uint32_t cluster_policy;
	uint64_t local_total;
	uint32_t cluster_most, clusters_active; /* from 12.0 on */
	uint8_t device_launched;                /* from 13.0 on */
	uint8_t padding[7];
	int32_t priority; /* from 13.1 on */
};
static_assert(sizeof(struct cupti_kernel) == 224, "ABI");
static_assert(offsetof(struct cupti_kernel, name) == 104, "ABI");
static_assert(offsetof(struct cupti_kernel, graph) == 156, "ABI");
static_assert(offsetof(struct cupti_kernel, device_launched) == 208, "ABI");
static_assert(offsetof(struct cupti_kernel, priority) == 216, "ABI");

/* Records shorter than this are older than 11.1. */
#define CUPTI_KERNEL_LEAST 160

struct cupti_memcpy {
	uint32_t kind;
	uint8_t copy_kind, source, target, flags;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t correlation, runtime_correlation;
	void *reserved;
	uint64_t node;
	uint32_t graph;
	uint32_t channel, channel_type;
	uint64_t copy_count; /* from 12.8 on */
};
static_assert(sizeof(struct cupti_memcpy) == 96, "ABI");
static_assert(offsetof(struct cupti_memcpy, node) == 64, "ABI");

/* From one device to another. */
struct cupti_memcpy2 {
	uint32_t kind;
	uint8_t copy_kind, source, target, flags;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t source_device, source_context;
	uint32_t target_device, target_context;
	uint32_t correlation;
	void *reserved;
	uint64_t node;
	uint32_t graph;
	uint32_t channel, channel_type;
};
static_assert(sizeof(struct cupti_memcpy2) == 96, "ABI");
static_assert(offsetof(struct cupti_memcpy2, node) == 72, "ABI");

/* Flags of memcpy2, memcpy and memset. */
enum { CUPTI_FLAG_ASYNC = 1 };

struct cupti_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t correlation;
	uint16_t flags, memory;
	void *reserved;
	uint64_t node;
	uint32_t graph;
	uint32_t channel, channel_type;
};
static_assert(sizeof(struct cupti_memset) == 88, "ABI");
static_assert(offsetof(struct cupti_memset, node) == 64, "ABI");

#define CUPTI_NO_STREAM UINT32_MAX

struct cupti_synchronization {
	uint32_t kind;
	uint32_t type;
	uint64_t start, end;
	uint32_t correlation, context, stream;
	uint32_t event;
	uint64_t event_sync_id; /* from 12.8 on */
	uint32_t result;
};
static_assert(sizeof(struct cupti_synchronization) == 56, "ABI");
static_assert(offsetof(struct cupti_synchronization, event) == 36, "ABI");

struct cupti_api {
	uint32_t kind;
	uint32_t cbid;
	uint64_t start, end;
	uint32_t process, thread;
	uint32_t correlation;
	uint32_t result;
};
static_assert(sizeof(struct cupti_api) == 40, "ABI");

/* A launch of a graph, in place of its nodes. */
struct cupti_graph_trace {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
	void *reserved;
};
static_assert(sizeof(struct cupti_graph_trace) == 48, "ABI");
static_assert(offsetof(struct cupti_graph_trace, stream) == 36, "ABI");

enum { CUPTI_OBJECT_PROCESS = 1, CUPTI_OBJECT_THREAD = 2 };

struct cupti_overhead {
	uint32_t kind;
	uint32_t what;
	uint32_t object;
	uint32_t ids[3]; /* process and thread, or device, context, stream */
	uint64_t start, end;
	uint32_t correlation; /* from 12.3 on */
	void *data;           /* from 12.4 on */
};
static_assert(sizeof(struct cupti_overhead) == 56, "ABI");

struct cupti_context {
	uint32_t kind;
	uint32_t context;
	uint32_t device;
	uint16_t api;
	uint16_t null_stream;
};
static_assert(sizeof(struct cupti_context) == 16, "ABI");

typedef void cupti_callback_function(
	void *user, int domain, uint32_t cbid, const void *data);
typedef void cupti_request_function(
	uint8_t **buffer, size_t *size, size_t *records);
typedef void cupti_complete_function(void *context, uint32_t stream,
	uint8_t *buffer, size_t size, size_t valid);

/*
 * Every function that we call; all return a result. To use another one, add a
 * line here. NEED: required; MAY: added in a later version.
 */
/* clang-format off */
#define CUPTI_FUNCTIONS(NEED, MAY) \
	NEED(cuptiGetVersion, (uint32_t *version)) \
	NEED(cuptiGetResultString, (int result, const char **text)) \
	NEED(cuptiSubscribe, (void **subscriber, \
		cupti_callback_function *callback, void *user)) \
	NEED(cuptiUnsubscribe, (void *subscriber)) \
	NEED(cuptiEnableCallback, (uint32_t enable, void *subscriber, \
		int domain, uint32_t cbid)) \
	NEED(cuptiActivityRegisterCallbacks, (cupti_request_function *request, \
		cupti_complete_function *complete)) \
	NEED(cuptiActivityEnable, (enum cupti_kind kind)) \
	NEED(cuptiActivityDisable, (enum cupti_kind kind)) \
	NEED(cuptiActivityGetNextRecord, (uint8_t *buffer, size_t valid, \
		void **record)) \
	NEED(cuptiActivityFlushAll, (uint32_t flag)) \
	NEED(cuptiActivityGetNumDroppedRecords, (void *context, \
		uint32_t stream, size_t *dropped)) \
	NEED(cuptiActivitySetAttribute, (int attribute, size_t *size, \
		void *value)) \
	NEED(cuptiGetTimestamp, (uint64_t *ns)) \
	NEED(cuptiGetCallbackName, (int domain, uint32_t cbid, \
		const char **name)) \
	MAY(cuptiSubscribe_v2, (void **subscriber, \
		cupti_callback_function *callback, void *user, \
		struct cupti_subscriber_params *params)) \
	MAY(cuptiSetThreadIdType, (int type)) \
	MAY(cuptiActivityEnableAndDump, (enum cupti_kind kind)) \
	MAY(cuptiActivityEnableRuntimeApi, (uint32_t cbid, uint8_t enable)) \
	MAY(cuptiActivityEnableDriverApi, (uint32_t cbid, uint8_t enable)) \
	MAY(cuptiActivityEnableAllSyncRecords, (uint8_t enable)) \
	MAY(cuptiGetContextId, (void *context, uint32_t *id)) \
	MAY(cuptiGetDeviceId, (void *context, uint32_t *id)) \
	MAY(cuptiGetGraphNodeId, (void *node, uint64_t *id))

#define CUPTI_MEMBER(function, parameters) int(*function) parameters;
struct cupti {
	CUPTI_FUNCTIONS(CUPTI_MEMBER, CUPTI_MEMBER)
};
#undef CUPTI_MEMBER
/* clang-format on */

enum { CUPTI_FLUSH_FORCED = 1 };

#endif
