/* SPDX-License-Identifier: MIT */
/*
 * Compiled, never run: NVIDIA's own header, of any version, declares CUPTI's
 * types as lib/cupti/cupti_abi.h and fake/fake_abi.h do.
 */
#include <cupti.h>

#include "cupti/cupti_abi.h"
#include "fake/fake_abi.h"

/* clang-format off */
#define SAME(a, b) \
	_Static_assert((long long)(a) == (long long)(b), #a " is not " #b)

/* The newest records of each version; an unlisted version has those of the one
 * before it. */
#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityKernel13 kernel_record;
#elif CUPTI_API_VERSION >= 130100
typedef CUpti_ActivityKernel11 kernel_record;
#elif CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel_record;
#elif CUPTI_API_VERSION >= 19
typedef CUpti_ActivityKernel9 kernel_record;
#else
typedef CUpti_ActivityKernel8 kernel_record;
#endif
#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityContext4 context_record;
typedef CUpti_ActivityCudaEvent3 event_record;
#elif CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityContext3 context_record;
typedef CUpti_ActivityCudaEvent2 event_record;
#else
typedef CUpti_ActivityContext context_record;
#endif
#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityMemcpy7 memcpy_record;
typedef CUpti_ActivitySynchronization2 sync_record;
#elif CUPTI_API_VERSION >= 26
typedef CUpti_ActivityMemcpy6 memcpy_record;
typedef CUpti_ActivitySynchronization2 sync_record;
#else
typedef CUpti_ActivityMemcpy5 memcpy_record;
typedef CUpti_ActivitySynchronization sync_record;
#endif
#if CUPTI_API_VERSION >= 22
typedef CUpti_ActivityOverhead3 overhead_record;
#else
typedef CUpti_ActivityOverhead overhead_record;
#endif
typedef CUpti_ActivityMemcpyPtoP4 memcpy2_record;
#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityMemset5 memset_record;
#else
typedef CUpti_ActivityMemset4 memset_record;
#endif
typedef CUpti_ActivityAPI api_record;

/* The column of the fake's table for this version. */
#if CUPTI_API_VERSION >= 130000 && CUPTI_API_VERSION < 130100
#define SIZE(of_11_8, of_12_4, of_13_0) of_13_0
#elif CUPTI_API_VERSION == 22
#define SIZE(of_11_8, of_12_4, of_13_0) of_12_4
#elif CUPTI_API_VERSION == 18
#define SIZE(of_11_8, of_12_4, of_13_0) of_11_8
#endif
#ifdef SIZE
enum {
#define SIZE_OF(name, number, ...) SIZE_##name = SIZE(__VA_ARGS__),
	FAKE_KINDS(SIZE_OF)
#undef SIZE_OF
};
SAME(sizeof(kernel_record), SIZE_CONCURRENT_KERNEL);
SAME(sizeof(kernel_record), SIZE_KERNEL);
SAME(sizeof(memcpy_record), SIZE_MEMCPY);
SAME(sizeof(memcpy2_record), SIZE_MEMCPY2);
SAME(sizeof(memset_record), SIZE_MEMSET);
SAME(sizeof(sync_record), SIZE_SYNCHRONIZATION);
SAME(sizeof(api_record), SIZE_RUNTIME);
SAME(sizeof(api_record), SIZE_DRIVER);
SAME(sizeof(api_record), SIZE_INTERNAL_LAUNCH_API);
SAME(sizeof(overhead_record), SIZE_OVERHEAD);
SAME(sizeof(CUpti_ActivityStream), SIZE_STREAM);
SAME(sizeof(CUpti_ActivityExternalCorrelation), SIZE_EXTERNAL_CORRELATION);
#if CUPTI_API_VERSION >= 130000
SAME(sizeof(context_record), SIZE_CONTEXT);
SAME(sizeof(event_record), SIZE_CUDA_EVENT);
#endif
#endif

/* Numbers. */
SAME(CUPTI_SUCCESS, FAKE_OK);
SAME(CUPTI_ERROR_INVALID_PARAMETER, FAKE_INVALID_PARAMETER);
SAME(CUPTI_ERROR_INVALID_OPERATION, FAKE_INVALID_OPERATION);
SAME(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, FAKE_SIZE_NOT_SUFFICIENT);
SAME(CUPTI_ERROR_INVALID_KIND, FAKE_INVALID_KIND);
#define RESULT(theirs, name) \
	SAME(theirs, CUPTI_##name); \
	SAME(theirs, FAKE_##name)
RESULT(CUPTI_SUCCESS, OK);
RESULT(CUPTI_ERROR_MAX_LIMIT_REACHED, MAX_LIMIT_REACHED);
RESULT(CUPTI_ERROR_NOT_COMPATIBLE, NOT_COMPATIBLE);
RESULT(CUPTI_ERROR_NOT_INITIALIZED, NOT_INITIALIZED);
RESULT(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, INSUFFICIENT_PRIVILEGES);
RESULT(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, MULTIPLE_SUBSCRIBERS);
RESULT(CUPTI_ERROR_UNKNOWN, UNKNOWN);
RESULT(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CONTEXT_CREATED);
RESULT(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, GRAPHNODE_CREATED);
RESULT(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, GRAPHNODE_CLONED);
SAME(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
	FAKE_CONTEXT_DESTROY_STARTING);
SAME(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER);
SAME(CUPTI_CB_DOMAIN_DRIVER_API, FAKE_DRIVER_API);
SAME(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME);
SAME(CUPTI_CB_DOMAIN_RUNTIME_API, FAKE_RUNTIME_API);
RESULT(CUPTI_CB_DOMAIN_RESOURCE, RESOURCE);
SAME(CUPTI_API_ENTER, CUPTI_ENTER);
SAME(CUPTI_API_EXIT, CUPTI_EXIT);
SAME(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
	CUPTI_ATTRIBUTE_ZEROED_OUT);
SAME(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, FAKE_ATTRIBUTE_ZEROED);
SAME(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, CUPTI_FLUSH_FORCED);
SAME(CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC, CUPTI_FLAG_ASYNC);
/* New in 12.3. */
#if CUPTI_API_VERSION >= 21
RESULT(CUPTI_CB_DOMAIN_STATE, STATE);
RESULT(CUPTI_CBID_STATE_FATAL_ERROR, FATAL_ERROR);
SAME(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER,
	CUPTI_ATTRIBUTE_PER_THREAD);
SAME(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER,
	FAKE_ATTRIBUTE_PER_THREAD);
SAME(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM, CUPTI_THREAD_ID_SYSTEM);
#endif
#define KIND(name, ours) \
	SAME(CUPTI_ACTIVITY_KIND_##name, CUPTI_##ours); \
	SAME(CUPTI_ACTIVITY_KIND_##name, FAKE_##name)
KIND(MEMCPY, MEMCPY);
KIND(MEMSET, MEMSET);
KIND(KERNEL, KERNEL);
KIND(DRIVER, DRIVER_API);
KIND(RUNTIME, RUNTIME_API);
KIND(CONTEXT, CONTEXT);
KIND(CONCURRENT_KERNEL, CONCURRENT_KERNEL);
KIND(OVERHEAD, OVERHEAD);
KIND(MEMCPY2, MEMCPY2);
KIND(SYNCHRONIZATION, SYNCHRONIZATION);
SAME(CUPTI_ACTIVITY_KIND_DEVICE, FAKE_DEVICE);
SAME(CUPTI_ACTIVITY_KIND_CUDA_EVENT, FAKE_CUDA_EVENT);
SAME(CUPTI_ACTIVITY_KIND_STREAM, FAKE_STREAM);
SAME(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, FAKE_EXTERNAL_CORRELATION);
SAME(CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, FAKE_INTERNAL_LAUNCH_API);
KIND(GRAPH_TRACE, GRAPH_TRACE);

/* The arguments of callbacks: NVIDIA's, and both of ours. */
#define CALL(their_member, our_member, fake_member) \
	SAME(offsetof(CUpti_CallbackData, their_member), \
		offsetof(struct cupti_callback_data, our_member)); \
	SAME(offsetof(CUpti_CallbackData, their_member), \
		offsetof(struct fake_callback_data, fake_member))
CALL(callbackSite, site, site);
CALL(functionName, function, function);
CALL(functionParams, params, params);
CALL(functionReturnValue, result, return_value);
CALL(symbolName, symbol, symbol);
CALL(context, context, context);
CALL(contextUid, context_uid, context_uid);
CALL(correlationData, slot, slot);
CALL(correlationId, correlation, correlation);
#define RESOURCE(their_member, member) \
	SAME(offsetof(CUpti_ResourceData, their_member), \
		offsetof(struct cupti_resource_data, member)); \
	SAME(offsetof(CUpti_ResourceData, their_member), \
		offsetof(struct fake_resource_data, member))
RESOURCE(context, context);
RESOURCE(resourceHandle, handle);
RESOURCE(resourceDescriptor, descriptor);
#define GRAPH(their_member, member) \
	SAME(offsetof(CUpti_GraphData, their_member), \
		offsetof(struct cupti_graph_data, member)); \
	SAME(offsetof(CUpti_GraphData, their_member), \
		offsetof(struct fake_graph_data, member))
GRAPH(graph, graph);
GRAPH(originalGraph, original_graph);
GRAPH(node, node);
GRAPH(originalNode, original_node);
GRAPH(nodeType, node_type);
GRAPH(dependency, dependency);
GRAPH(graphExec, graph_exec);
#if CUPTI_API_VERSION >= 130000
#define SUBSCRIBER(their_member, member) \
	SAME(offsetof(CUpti_SubscriberParams, their_member), \
		offsetof(struct cupti_subscriber_params, member)); \
	SAME(offsetof(CUpti_SubscriberParams, their_member), \
		offsetof(struct fake_subscriber_params, member))
SUBSCRIBER(structSize, size);
SUBSCRIBER(subscriberName, name);
SUBSCRIBER(oldSubscriberName, old_name);
SUBSCRIBER(oldSubscriberSize, old_size);
/* It holds its own size: later members were added at its end. */
_Static_assert(CUpti_SubscriberParams_STRUCT_SIZE >=
	sizeof(struct cupti_subscriber_params), "a shorter structure");
#endif

/* Offsets and sizes of the fields of records. */
#define FIELD(record, their_member, ours, our_member, at) \
	SAME(offsetof(record##_record, their_member), \
		offsetof(struct cupti_##ours, our_member)); \
	SAME(sizeof(((record##_record *)0)->their_member), \
		sizeof(((struct cupti_##ours *)0)->our_member)); \
	SAME(offsetof(record##_record, their_member), FAKE_##at)
#define KERNEL(their_member, our_member, at) \
	FIELD(kernel, their_member, kernel, our_member, KERNEL_##at)
KERNEL(registersPerThread, registers, REGISTERS);
KERNEL(start, start, START);
KERNEL(end, end, END);
KERNEL(deviceId, device, DEVICE);
KERNEL(contextId, context, CONTEXT);
KERNEL(streamId, stream, STREAM);
KERNEL(gridX, grid[0], GRID);
KERNEL(blockX, block[0], BLOCK);
KERNEL(staticSharedMemory, static_shared, STATIC_SHARED);
KERNEL(dynamicSharedMemory, dynamic_shared, DYNAMIC_SHARED);
KERNEL(localMemoryPerThread, local_per_thread, LOCAL);
KERNEL(correlationId, correlation, CORRELATION);
KERNEL(gridId, grid_id, GRID_ID);
KERNEL(name, name, NAME);
KERNEL(launchType, launch_type, LAUNCH_TYPE);
KERNEL(sharedMemoryExecuted, shared_executed, SHARED_EXECUTED);
KERNEL(graphNodeId, node, NODE);
KERNEL(graphId, graph, GRAPH);
KERNEL(channelID, channel, CHANNEL);
KERNEL(channelType, channel_type, CHANNEL_TYPE);
KERNEL(clusterX, cluster[0], CLUSTER);
KERNEL(localMemoryTotal_v2, local_total, LOCAL_TOTAL);
#if CUPTI_API_VERSION >= 130000
KERNEL(isDeviceLaunched, device_launched, DEVICE_LAUNCHED);
#endif
#if CUPTI_API_VERSION >= 130100
KERNEL(priority, priority, PRIORITY);
#endif

#define MEMCPY(their_member, our_member, at) \
	FIELD(memcpy, their_member, memcpy, our_member, MEMCPY_##at)
MEMCPY(copyKind, copy_kind, KIND);
MEMCPY(srcKind, source, SOURCE);
MEMCPY(dstKind, target, TARGET);
MEMCPY(flags, flags, FLAGS);
MEMCPY(bytes, bytes, BYTES);
MEMCPY(start, start, START);
MEMCPY(end, end, END);
MEMCPY(deviceId, device, DEVICE);
MEMCPY(contextId, context, CONTEXT);
MEMCPY(streamId, stream, STREAM);
MEMCPY(correlationId, correlation, CORRELATION);
MEMCPY(graphNodeId, node, NODE);
MEMCPY(graphId, graph, GRAPH);
MEMCPY(channelID, channel, CHANNEL);
#if CUPTI_API_VERSION >= 26
MEMCPY(copyCount, copy_count, COUNT);
#endif

#define MEMCPY2(their_member, our_member, at) \
	FIELD(memcpy2, their_member, memcpy2, our_member, at)
MEMCPY2(copyKind, copy_kind, MEMCPY_KIND);
MEMCPY2(srcKind, source, MEMCPY_SOURCE);
MEMCPY2(dstKind, target, MEMCPY_TARGET);
MEMCPY2(flags, flags, MEMCPY_FLAGS);
MEMCPY2(bytes, bytes, MEMCPY_BYTES);
MEMCPY2(start, start, MEMCPY_START);
MEMCPY2(end, end, MEMCPY_END);
MEMCPY2(deviceId, device, MEMCPY_DEVICE);
MEMCPY2(contextId, context, MEMCPY_CONTEXT);
MEMCPY2(streamId, stream, MEMCPY_STREAM);
MEMCPY2(srcDeviceId, source_device, MEMCPY2_SOURCE_DEVICE);
MEMCPY2(dstDeviceId, target_device, MEMCPY2_TARGET_DEVICE);
MEMCPY2(srcContextId, source_context, MEMCPY2_SOURCE_CONTEXT);
MEMCPY2(dstContextId, target_context, MEMCPY2_TARGET_CONTEXT);
MEMCPY2(correlationId, correlation, MEMCPY2_CORRELATION);
MEMCPY2(graphNodeId, node, MEMCPY2_NODE);
MEMCPY2(graphId, graph, MEMCPY2_GRAPH);

#define MEMSET(their_member, our_member, at) \
	FIELD(memset, their_member, memset, our_member, MEMSET_##at)
MEMSET(value, value, VALUE);
MEMSET(bytes, bytes, BYTES);
MEMSET(start, start, START);
MEMSET(end, end, END);
MEMSET(deviceId, device, DEVICE);
MEMSET(contextId, context, CONTEXT);
MEMSET(streamId, stream, STREAM);
MEMSET(correlationId, correlation, CORRELATION);
MEMSET(flags, flags, FLAGS);
MEMSET(memoryKind, memory, MEMORY);
MEMSET(graphNodeId, node, NODE);
MEMSET(graphId, graph, GRAPH);
MEMSET(channelID, channel, CHANNEL);

#define SYNC(their_member, our_member, at) \
	FIELD(sync, their_member, synchronization, our_member, SYNC_##at)
SYNC(type, type, TYPE);
SYNC(start, start, START);
SYNC(end, end, END);
SYNC(correlationId, correlation, CORRELATION);
SYNC(contextId, context, CONTEXT);
SYNC(streamId, stream, STREAM);
SYNC(cudaEventId, event, EVENT);
#if CUPTI_API_VERSION >= 26
SYNC(cudaEventSyncId, event_sync_id, ID);
SYNC(returnValue, result, RETURN);
#endif

#define API(their_member, our_member, at) \
	FIELD(api, their_member, api, our_member, API_##at)
API(cbid, cbid, CBID);
API(start, start, START);
API(end, end, END);
API(processId, process, PROCESS);
API(threadId, thread, THREAD);
API(correlationId, correlation, CORRELATION);
API(returnValue, result, RETURN);

/* New in 11.7, and longer from 12.3 on. */
#if CUPTI_API_VERSION >= 21
typedef CUpti_ActivityGraphTrace2 graph_record;
#else
typedef CUpti_ActivityGraphTrace graph_record;
#endif
#define TRACE(their_member, our_member, at) \
	FIELD(graph, their_member, graph_trace, our_member, GRAPH_##at)
TRACE(correlationId, correlation, CORRELATION);
TRACE(start, start, START);
TRACE(end, end, END);
TRACE(deviceId, device, DEVICE);
TRACE(graphId, graph, ID);
TRACE(contextId, context, CONTEXT);
TRACE(streamId, stream, STREAM);

#define OVERHEAD(their_member, our_member, at) \
	FIELD(overhead, their_member, overhead, our_member, OVERHEAD_##at)
OVERHEAD(overheadKind, what, WHAT);
OVERHEAD(objectKind, object, OBJECT);
OVERHEAD(start, start, START);
OVERHEAD(end, end, END);
SAME(offsetof(overhead_record, objectId), FAKE_OVERHEAD_PROCESS);
SAME(offsetof(overhead_record, objectId),
	offsetof(struct cupti_overhead, ids));

/* Members that only one of ours has. */
SAME(offsetof(memcpy2_record, channelID),
	offsetof(struct cupti_memcpy2, channel));
SAME(offsetof(memcpy2_record, channelType),
	offsetof(struct cupti_memcpy2, channel_type));
SAME(offsetof(memcpy_record, channelType),
	offsetof(struct cupti_memcpy, channel_type));
SAME(offsetof(memset_record, channelType),
	offsetof(struct cupti_memset, channel_type));
#if CUPTI_API_VERSION >= 22
SAME(offsetof(overhead_record, correlationId),
	offsetof(struct cupti_overhead, correlation));
#endif
SAME((uint32_t)CUPTI_SYNCHRONIZATION_INVALID_VALUE, CUPTI_NO_STREAM);
SAME(CUPTI_ACTIVITY_OBJECT_PROCESS, CUPTI_OBJECT_PROCESS);
SAME(CUPTI_ACTIVITY_OBJECT_THREAD, CUPTI_OBJECT_THREAD);
SAME(offsetof(CUpti_ActivityObjectKindId, pt.processId), 0);
SAME(offsetof(CUpti_ActivityObjectKindId, pt.threadId), 4);
SAME(offsetof(CUpti_ActivityObjectKindId, dcs.deviceId), 0);
SAME(offsetof(CUpti_ActivityObjectKindId, dcs.contextId), 4);
SAME(offsetof(CUpti_ActivityObjectKindId, dcs.streamId), 8);

SAME(offsetof(context_record, contextId), FAKE_CONTEXT_ID);
SAME(offsetof(context_record, contextId),
	offsetof(struct cupti_context, context));
SAME(offsetof(context_record, deviceId), FAKE_CONTEXT_DEVICE);
SAME(offsetof(context_record, deviceId),
	offsetof(struct cupti_context, device));
SAME(offsetof(context_record, nullStreamId), FAKE_CONTEXT_NULL_STREAM);
SAME(offsetof(context_record, nullStreamId),
	offsetof(struct cupti_context, null_stream));

/* Functions: lib/cupti/cupti_abi.h's declarations, in the header's own types.
 * Each of these is passed as the type that we have in its place. */
#define FUNCTION(name, ...) \
	_Static_assert(__builtin_types_compatible_p( \
			       __typeof__(name), CUptiResult(__VA_ARGS__)), \
		#name " has other parameters")
SAME(sizeof(CUptiResult), sizeof(int));
SAME(sizeof(CUpti_ActivityKind), sizeof(enum cupti_kind));
SAME(sizeof(CUpti_ActivityAttribute), sizeof(int));
SAME(sizeof(CUpti_CallbackDomain), sizeof(int));
SAME(sizeof(CUpti_CallbackId), sizeof(uint32_t));
SAME(sizeof(CUpti_SubscriberHandle), sizeof(void *));
SAME(sizeof(CUcontext), sizeof(void *));
SAME(sizeof(CUgraphNode), sizeof(void *));
FUNCTION(cuptiGetVersion, uint32_t *);
FUNCTION(cuptiGetResultString, CUptiResult, const char **);
FUNCTION(cuptiSubscribe, CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
FUNCTION(cuptiUnsubscribe, CUpti_SubscriberHandle);
FUNCTION(cuptiEnableCallback, uint32_t, CUpti_SubscriberHandle,
	CUpti_CallbackDomain, CUpti_CallbackId);
FUNCTION(cuptiActivityRegisterCallbacks, CUpti_BuffersCallbackRequestFunc,
	CUpti_BuffersCallbackCompleteFunc);
FUNCTION(cuptiActivityEnable, CUpti_ActivityKind);
FUNCTION(cuptiActivityEnableAndDump, CUpti_ActivityKind);
FUNCTION(cuptiActivityDisable, CUpti_ActivityKind);
FUNCTION(cuptiActivityGetNextRecord, uint8_t *, size_t, CUpti_Activity **);
FUNCTION(cuptiActivityFlushAll, uint32_t);
FUNCTION(cuptiActivityGetNumDroppedRecords, CUcontext, uint32_t, size_t *);
FUNCTION(cuptiActivitySetAttribute, CUpti_ActivityAttribute, size_t *, void *);
FUNCTION(cuptiGetTimestamp, uint64_t *);
FUNCTION(cuptiGetCallbackName, CUpti_CallbackDomain, uint32_t, const char **);
FUNCTION(cuptiGetContextId, CUcontext, uint32_t *);
FUNCTION(cuptiGetDeviceId, CUcontext, uint32_t *);
FUNCTION(cuptiGetGraphNodeId, CUgraphNode, uint64_t *);
#if CUPTI_API_VERSION >= 21
SAME(sizeof(CUpti_ActivityThreadIdType), sizeof(int));
FUNCTION(cuptiSetThreadIdType, CUpti_ActivityThreadIdType);
#endif
#if CUPTI_API_VERSION >= 23
FUNCTION(cuptiActivityEnableRuntimeApi, CUpti_CallbackId, uint8_t);
FUNCTION(cuptiActivityEnableDriverApi, CUpti_CallbackId, uint8_t);
#endif
#if CUPTI_API_VERSION >= 130000
FUNCTION(cuptiActivityEnableAllSyncRecords, uint8_t);
FUNCTION(cuptiSubscribe_v2, CUpti_SubscriberHandle *, CUpti_CallbackFunc,
	void *, CUpti_SubscriberParams *);
#endif
SAME(__builtin_types_compatible_p(CUpti_BuffersCallbackRequestFunc,
	     cupti_request_function *), 1);
SAME(__builtin_types_compatible_p(CUpti_BuffersCallbackCompleteFunc,
	     void (*)(CUcontext, uint32_t, uint8_t *, size_t, size_t)), 1);
SAME(__builtin_types_compatible_p(CUpti_CallbackFunc,
	     void (*)(void *, CUpti_CallbackDomain, CUpti_CallbackId,
		     const void *)), 1);
