/* SPDX-License-Identifier: MIT */
#include "cupti_record.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cupti.h"

#define LAYOUTS 3
/* The additional size of records in the unknown version. */
#define GROWTH 64
#define FUTURE_SIZE 72
#define OLD_KERNEL 144

static const uint16_t sizes[FAKE_KIND_LIMIT][LAYOUTS] = {
#define SIZES(name, number, ...) [number] = {__VA_ARGS__},
	FAKE_KINDS(SIZES)
#undef SIZES
};

static unsigned layout = 2;
static bool is_old;

void cupti_record_choose(const char *name)
{
	static const char *const names[] = {"11.8", "12.4", "13.0", "99"};

	for (unsigned i = 0; name != NULL && i < 4; i++)
		if (strcmp(names[i], name) == 0)
			layout = i;
	/* Older than the oldest version that is read. */
	if (name != NULL && strcmp(name, "10.2") == 0) {
		layout = 0;
		is_old = true;
	}
}

unsigned cupti_record_layout(void)
{
	return layout;
}

size_t cupti_record_size(uint32_t kind)
{
	if (kind == FAKE_FUTURE_KIND && layout == LAYOUTS)
		return FUTURE_SIZE;
	if (is_old && (kind == FAKE_KERNEL || kind == FAKE_CONCURRENT_KERNEL))
		return OLD_KERNEL;
	if (kind >= FAKE_KIND_LIMIT || sizes[kind][0] == 0)
		return 0;
	return layout < LAYOUTS ? sizes[kind][layout]
				: (size_t)sizes[kind][LAYOUTS - 1] + GROWTH;
}

size_t cupti_record_end(enum fake_kind kind)
{
	switch (kind) {
	case FAKE_SYNCHRONIZATION:
		return FAKE_SYNC_END;
	case FAKE_DRIVER:
	case FAKE_RUNTIME:
		return FAKE_API_END;
	case FAKE_OVERHEAD:
		return FAKE_OVERHEAD_END;
	case FAKE_GRAPH_TRACE:
		return FAKE_GRAPH_END;
	default:
		return FAKE_KERNEL_END; /* and of copies and memsets */
	}
}

static void put(uint8_t *record, size_t offset, size_t size, uint64_t value)
{
	/* Little-endian, as all machines with CUPTI. */
	memcpy(record + offset, &value, size);
}

static void put_triple(uint8_t *record, size_t offset, const int32_t *values)
{
	memcpy(record + offset, values, 3 * sizeof(*values));
}

static void put_kernel(uint8_t *record, const struct fake_activity *activity)
{
	const struct fake_kernel *kernel = activity->kernel;

	put(record, FAKE_KERNEL_REGISTERS, 2, kernel->registers);
	put(record, FAKE_KERNEL_DEVICE, 4, activity->device);
	put(record, FAKE_KERNEL_CONTEXT, 4, activity->context);
	put(record, FAKE_KERNEL_STREAM, 4, activity->stream);
	put_triple(record, FAKE_KERNEL_GRID, kernel->grid);
	put_triple(record, FAKE_KERNEL_BLOCK, kernel->block);
	put(record, FAKE_KERNEL_STATIC_SHARED, 4,
		(uint64_t)kernel->static_shared);
	put(record, FAKE_KERNEL_DYNAMIC_SHARED, 4,
		(uint64_t)kernel->dynamic_shared);
	put(record, FAKE_KERNEL_CORRELATION, 4, activity->correlation);
	put(record, FAKE_KERNEL_GRID_ID, 8, activity->correlation);
	put(record, FAKE_KERNEL_NAME, 8, (uintptr_t)activity->name);
	put(record, FAKE_KERNEL_SHARED_EXECUTED, 4, 32768);
	put(record, FAKE_KERNEL_NODE, 8, activity->node);
	put(record, FAKE_KERNEL_GRAPH, 4, activity->graph);
	put_triple(record, FAKE_KERNEL_CLUSTER, kernel->cluster);
	put(record, FAKE_KERNEL_LOCAL_TOTAL, 8, FAKE_LOCAL_TOTAL);
	if (cupti_record_size(FAKE_KERNEL) > FAKE_KERNEL_PRIORITY)
		put(record, FAKE_KERNEL_PRIORITY, 4, (uint64_t)FAKE_PRIORITY);
}

static void put_memcpy(uint8_t *record, const struct fake_activity *activity)
{
	const struct fake_copy *copy = activity->copy;

	put(record, FAKE_MEMCPY_KIND, 1, copy->kind);
	put(record, FAKE_MEMCPY_SOURCE, 1, copy->source);
	put(record, FAKE_MEMCPY_TARGET, 1, copy->target);
	put(record, FAKE_MEMCPY_FLAGS, 1, copy->async);
	put(record, FAKE_MEMCPY_BYTES, 8, activity->bytes);
	put(record, FAKE_MEMCPY_DEVICE, 4, activity->device);
	put(record, FAKE_MEMCPY_CONTEXT, 4, activity->context);
	put(record, FAKE_MEMCPY_STREAM, 4, activity->stream);
	if (activity->kind == FAKE_MEMCPY2) {
		put(record, FAKE_MEMCPY2_SOURCE_CONTEXT, 4, FAKE_PEER);
		put(record, FAKE_MEMCPY2_TARGET_DEVICE, 4, 1);
		put(record, FAKE_MEMCPY2_TARGET_CONTEXT, 4, FAKE_PEER + 1);
		put(record, FAKE_MEMCPY2_CORRELATION, 4, activity->correlation);
		put(record, FAKE_MEMCPY2_NODE, 8, activity->node);
		put(record, FAKE_MEMCPY2_GRAPH, 4, activity->graph);
		return;
	}
	put(record, FAKE_MEMCPY_CORRELATION, 4, activity->correlation);
	put(record, FAKE_MEMCPY_NODE, 8, activity->node);
	put(record, FAKE_MEMCPY_GRAPH, 4, activity->graph);
	put(record, FAKE_MEMCPY_CHANNEL, 4, FAKE_CHANNEL);
	if (cupti_record_size(FAKE_MEMCPY) > FAKE_MEMCPY_COUNT)
		put(record, FAKE_MEMCPY_COUNT, 8, FAKE_COUNT);
}

static void put_memset(uint8_t *record, const struct fake_activity *activity)
{
	put(record, FAKE_MEMSET_VALUE, 4, activity->value);
	put(record, FAKE_MEMSET_BYTES, 8, activity->bytes);
	put(record, FAKE_MEMSET_DEVICE, 4, activity->device);
	put(record, FAKE_MEMSET_CONTEXT, 4, activity->context);
	put(record, FAKE_MEMSET_STREAM, 4, activity->stream);
	put(record, FAKE_MEMSET_CORRELATION, 4, activity->correlation);
	put(record, FAKE_MEMSET_MEMORY, 2, 3);
	put(record, FAKE_MEMSET_NODE, 8, activity->node);
	put(record, FAKE_MEMSET_GRAPH, 4, activity->graph);
	put(record, FAKE_MEMSET_CHANNEL, 4, FAKE_CHANNEL);
}

static void put_sync(uint8_t *record, const struct fake_activity *activity)
{
	put(record, FAKE_SYNC_TYPE, 4, activity->value);
	put(record, FAKE_SYNC_CORRELATION, 4, activity->correlation);
	put(record, FAKE_SYNC_CONTEXT, 4, activity->context);
	put(record, FAKE_SYNC_STREAM, 4, activity->stream);
	put(record, FAKE_SYNC_EVENT, 4,
		activity->value <= FAKE_WAIT_STREAM_EVENT ? 5 : UINT32_MAX);
	if (cupti_record_size(FAKE_SYNCHRONIZATION) > FAKE_SYNC_ID)
		put(record, FAKE_SYNC_ID, 8, FAKE_SYNC_NUMBER);
}

static uint32_t thread_id(void)
{
	return cupti_ids_are_system() ? (uint32_t)syscall(SYS_gettid) : 0xdead;
}

static void put_api(uint8_t *record, const struct fake_activity *activity)
{
	put(record, FAKE_API_CBID, 4, activity->cbid);
	put(record, FAKE_API_PROCESS, 4, (uint32_t)getpid());
	put(record, FAKE_API_THREAD, 4, thread_id());
	put(record, FAKE_API_CORRELATION, 4, activity->correlation);
	put(record, FAKE_API_RETURN, 4, activity->value);
}

static void put_overhead(uint8_t *record, const struct fake_activity *activity)
{
	put(record, FAKE_OVERHEAD_WHAT, 4, activity->value);
	put(record, FAKE_OVERHEAD_OBJECT, 4, 2); /* a thread */
	put(record, FAKE_OVERHEAD_PROCESS, 4, (uint32_t)getpid());
	put(record, FAKE_OVERHEAD_THREAD, 4, thread_id());
}

static void put_graph(uint8_t *record, const struct fake_activity *activity)
{
	put(record, FAKE_GRAPH_CORRELATION, 4, activity->correlation);
	put(record, FAKE_GRAPH_DEVICE, 4, activity->device);
	put(record, FAKE_GRAPH_ID, 4, activity->graph);
	put(record, FAKE_GRAPH_CONTEXT, 4, activity->context);
	put(record, FAKE_GRAPH_STREAM, 4, activity->stream);
}

static void put_context(uint8_t *record, const struct fake_activity *activity)
{
	put(record, FAKE_CONTEXT_ID, 4, activity->context);
	put(record, FAKE_CONTEXT_DEVICE, 4, activity->device);
	put(record, FAKE_CONTEXT_NULL_STREAM, 2, 7);
}

/* The start comes before the end in all of them. */
static void put_times(uint8_t *record, const struct fake_activity *activity)
{
	size_t end = cupti_record_end(activity->kind);
	uint64_t start_ns = (uint64_t)activity->start_ns;
	uint64_t end_ns = (uint64_t)activity->end_ns;

	if (activity->trouble == FAKE_ZERO)
		start_ns = end_ns = 0;
	else if (activity->trouble == FAKE_BACKWARD)
		end_ns = start_ns - 1;
	else if (activity->trouble == FAKE_UNFINISHED)
		end_ns = 0;
	put(record, end - 8, 8, start_ns);
	put(record, end, 8, end_ns);
}

void cupti_record_write(uint8_t *record, const struct fake_activity *activity)
{
	put(record, 0, 4, activity->kind);
	switch (activity->kind) {
	case FAKE_KERNEL:
	case FAKE_CONCURRENT_KERNEL:
		put_kernel(record, activity);
		break;
	case FAKE_MEMCPY:
	case FAKE_MEMCPY2:
		put_memcpy(record, activity);
		break;
	case FAKE_MEMSET:
		put_memset(record, activity);
		break;
	case FAKE_SYNCHRONIZATION:
		put_sync(record, activity);
		break;
	case FAKE_DRIVER:
	case FAKE_RUNTIME:
		put_api(record, activity);
		break;
	case FAKE_OVERHEAD:
		put_overhead(record, activity);
		break;
	case FAKE_GRAPH_TRACE:
		put_graph(record, activity);
		break;
	case FAKE_CONTEXT:
		put_context(record, activity);
		return;
	default:
		return;
	}
	put_times(record, activity);
}
