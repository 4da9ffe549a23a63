/* SPDX-License-Identifier: MIT */
#include "nvidia/sqlite_activity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/activity_name.h"

#define NO_STREAM INT64_C(0xffffffff)
#define NAME_ROOM 96

/* The columns of all tables, in this order; the table's own follow. */
#define COMMON_COLUMNS \
	"end", "start", "deviceId", "contextId", "streamId", "correlationId", \
		"globalPid", "runtimeCorrelationId", "graphNodeId", \
		"greenContextId"

enum {
	END,
	START,
	DEVICE,
	CONTEXT,
	STREAM,
	CORRELATION,
	GLOBAL_PID,
	RUNTIME_CORRELATION,
	GRAPH_NODE,
	GREEN_CONTEXT,
	COMMON
};

static const char *const kernel_columns[] = {COMMON_COLUMNS, "demangledName",
	"mangledName", "shortName", "name", "gridX", "gridY", "gridZ", "blockX",
	"blockY", "blockZ", "clusterX", "clusterY", "clusterZ",
	"registersPerThread", "staticSharedMemory", "dynamicSharedMemory",
	"localMemoryPerThread", "sharedMemoryExecuted", "graphId"};
enum {
	DEMANGLED = COMMON,
	MANGLED,
	SHORT,
	NAME,
	GRID,
	BLOCK = GRID + 3,
	CLUSTER = BLOCK + 3,
	REGISTERS = CLUSTER + 3,
	STATIC_SHARED,
	DYNAMIC_SHARED,
	LOCAL,
	SHARED_EXECUTED,
	KERNEL_GRAPH
};

static const char *const copy_columns[] = {COMMON_COLUMNS, "bytes", "copyKind",
	"srcKind", "dstKind", "srcDeviceId", "dstDeviceId", "copyCount"};
enum {
	COPY_BYTES = COMMON,
	COPY_KIND,
	SOURCE_KIND,
	TARGET_KIND,
	SOURCE_DEVICE,
	TARGET_DEVICE,
	COPY_COUNT
};

static const char *const memset_columns[] = {
	COMMON_COLUMNS, "bytes", "value", "memKind", "memoryKind"};
enum { SET_BYTES = COMMON, SET_VALUE, SET_KIND, SET_OLD_KIND };

static const char *const wait_columns[] = {
	COMMON_COLUMNS, "syncType", "type", "eventId", "cudaEventId"};
enum { WAIT_TYPE = COMMON, WAIT_OLD_TYPE, WAIT_EVENT, WAIT_OLD_EVENT };

static const char *const graph_columns[] = {
	COMMON_COLUMNS, "graphId", "graphExecId"};
enum { GRAPH_ID = COMMON, GRAPH_EXEC };

/* A number of the row; 0 if there is none. */
static int64_t value_of(const struct sqlite_query *query, int column)
{
	int64_t value = 0;

	(void)sqlite_input_int(query->statement, column, &value);
	return value;
}

/* Likewise, for two columns of which only one exists. */
static int64_t either(
	const struct sqlite_query *query, int column, int old_column)
{
	int64_t value = 0;

	if (!sqlite_input_int(query->statement, column, &value))
		(void)sqlite_input_int(query->statement, old_column, &value);
	return value;
}

/*
 * The identifier has the machine, the process and the thread in 16, 24 and 24
 * bits. Processes of other machines, whose numbers may be equal, get the
 * machine's number as a prefix.
 */
int64_t sqlite_activity_pid(struct sqlite_source *source, int64_t global_id)
{
	int64_t machine = global_id >> 48;
	int64_t pid = global_id >> 24 & 0xffffff;

	if (!source->has_machine) {
		source->has_machine = true;
		source->machine = machine;
	}
	return machine == source->machine
		       ? pid
		       : (int64_t)((uint64_t)machine << 24 | (uint64_t)pid);
}

static void add_number(struct sqlite_source *source,
	const struct sqlite_query *query, const char *key, int column)
{
	int64_t value = value_of(query, column);

	if (value != 0)
		sqlite_row_add_int(source, key, value);
}

static void add_triple(struct sqlite_source *source,
	const struct sqlite_query *query, const char *key, int column)
{
	int64_t values[3];

	for (int i = 0; i < 3; i++)
		values[i] = value_of(query, column + i);
	sqlite_row_add_triple(source, key, values);
}

/* The columns of all activities: the track, and the call that caused it. */
static void read_common(
	struct sqlite_source *source, const struct sqlite_query *query)
{
	struct sqlite_row *row = &source->row;
	struct sqlite_track track = {.kind = TRACE_STREAM,
		.pid = source->pid,
		.tid = value_of(query, STREAM),
		.device = (uint32_t)value_of(query, DEVICE),
		.context = (uint32_t)value_of(query, CONTEXT)};
	int64_t global_pid;
	int64_t id = value_of(query, RUNTIME_CORRELATION);

	if (sqlite_input_int(query->statement, GLOBAL_PID, &global_pid))
		track.pid = sqlite_activity_pid(source, global_pid);
	if (track.tid == NO_STREAM)
		track.tid = -1;
	if (id == 0)
		id = value_of(query, CORRELATION);
	row->event.kind = EVENT_ACTIVITY;
	row->event.id = (uint64_t)id;
	row->event.track = sqlite_source_track(source, &track);
	row->failed = row->failed || row->event.track == TRACE_NONE;
	add_number(source, query, "graph node id", GRAPH_NODE);
	add_number(source, query, "green context", GREEN_CONTEXT);
}

static void set_site(struct sqlite_source *source,
	const struct sqlite_query *query, const char *name)
{
	struct sqlite_row *row = &source->row;

	row->event.site = sqlite_source_text_site(
		source, query->category, name, strlen(name));
	row->failed = row->failed || row->event.site == TRACE_NONE;
}

/* The number of the requested kind of name. */
static bool kernel_name(const struct sqlite_source *source,
	const struct sqlite_query *query, int64_t *name)
{
	static const int columns[] = {DEMANGLED, SHORT, MANGLED, NAME};

	if (source->source.trace->request.names == READ_NAMES_MANGLED &&
		sqlite_input_int(query->statement, MANGLED, name))
		return true;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (sqlite_input_int(query->statement, columns[i], name))
			return true;
	return false;
}

static bool read_kernel(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t static_bytes = value_of(query, STATIC_SHARED);
	int64_t shared_bytes;
	int64_t name;

	if (kernel_name(source, query, &name)) {
		row->event.site = sqlite_source_site(
			source, SQLITE_NAME_KERNEL, query->category, name);
		row->failed = row->event.site == TRACE_NONE;
	} else {
		set_site(source, query, "(unknown kernel)");
	}
	add_triple(source, query, "grid", GRID);
	add_triple(source, query, "block", BLOCK);
	add_triple(source, query, "cluster", CLUSTER);
	add_number(source, query, "registers per thread", REGISTERS);
	add_number(source, query, "static shared memory", STATIC_SHARED);
	add_number(source, query, "dynamic shared memory", DYNAMIC_SHARED);
	if (!__builtin_add_overflow(static_bytes,
		    value_of(query, DYNAMIC_SHARED), &shared_bytes) &&
		shared_bytes != 0)
		sqlite_row_add_int(source, "shared memory", shared_bytes);
	add_number(source, query, "local memory per thread", LOCAL);
	add_number(source, query, "shared memory executed", SHARED_EXECUTED);
	add_number(source, query, "graph id", KERNEL_GRAPH);
	read_common(source, query);
	return true;
}

/* Nsight Systems numbers memory kinds from 0. */
static const char *memory_word(const struct sqlite_source *source, int64_t kind)
{
	return activity_name_memory(
		kind < 0 || kind > UINT8_MAX
			? 0
			: (uint32_t)kind + source->memory_base);
}

static void add_word(
	struct sqlite_source *source, const char *key, const char *word)
{
	sqlite_row_add_text(source, key, word, strlen(word));
}

/* Unified memory has its own kinds of copies. */
static uint32_t copy_kind(int64_t kind)
{
	static const uint8_t unified[] = {1, 2, 8};

	if (kind < 0 || kind > 13)
		return 0;
	return kind > 10 ? unified[kind - 11] : (uint32_t)kind;
}

static bool read_copy(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t kind = value_of(query, COPY_KIND);
	const char *word = activity_name_copy(copy_kind(kind));
	const char *from = memory_word(source, value_of(query, SOURCE_KIND));
	const char *to = memory_word(source, value_of(query, TARGET_KIND));
	char name[NAME_ROOM];
	int64_t device;

	(void)snprintf(
		name, sizeof(name), "Memcpy %s (%s -> %s)", word, from, to);
	set_site(source, query, name);
	row->event.bytes = (uint64_t)value_of(query, COPY_BYTES);
	add_word(source, "kind", word);
	add_word(source, "src", from);
	add_word(source, "dst", to);
	if (kind > 10)
		sqlite_row_add_int(source, "unified", 1);
	if (sqlite_input_int(query->statement, SOURCE_DEVICE, &device))
		sqlite_row_add_int(source, "src device", device);
	if (sqlite_input_int(query->statement, TARGET_DEVICE, &device))
		sqlite_row_add_int(source, "dst device", device);
	if (value_of(query, COPY_COUNT) > 1)
		add_number(source, query, "copies", COPY_COUNT);
	read_common(source, query);
	return true;
}

static bool read_memset(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	const char *memory =
		memory_word(source, either(query, SET_KIND, SET_OLD_KIND));
	char name[NAME_ROOM];

	(void)snprintf(name, sizeof(name), "Memset (%s)", memory);
	set_site(source, query, name);
	row->event.bytes = (uint64_t)value_of(query, SET_BYTES);
	sqlite_row_add_int(source, "value", value_of(query, SET_VALUE));
	add_word(source, "memory", memory);
	read_common(source, query);
	return true;
}

static bool read_wait(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t type = either(query, WAIT_TYPE, WAIT_OLD_TYPE);
	int64_t event = either(query, WAIT_EVENT, WAIT_OLD_EVENT);
	const char *word = activity_name_wait(
		type < 0 || type > UINT8_MAX ? 0 : (uint32_t)type);

	(void)row;
	set_site(source, query, word);
	add_word(source, "cuda_sync_kind", word);
	if (event != NO_STREAM)
		sqlite_row_add_int(source, "event", event);
	read_common(source, query);
	return true;
}

/* All nodes of a graph as one activity. */
static bool read_graph(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	char name[NAME_ROOM];

	(void)row;
	(void)snprintf(name, sizeof(name), "CUDA graph %" PRId64,
		value_of(query, GRAPH_ID));
	set_site(source, query, name);
	add_number(source, query, "graph id", GRAPH_ID);
	add_number(source, query, "graph exec id", GRAPH_EXEC);
	read_common(source, query);
	return true;
}

#define COLUMNS(of) of##_columns, sizeof(of##_columns) / sizeof(char *)

static const struct {
	const char *table;
	const char *const *columns;
	size_t count;
	const char *category;
	bool (*read)(struct sqlite_source *source,
		const struct sqlite_query *query, struct sqlite_row *row);
} tables[] = {
	/* clang-format off */
	{"CUPTI_ACTIVITY_KIND_KERNEL", COLUMNS(kernel), "kernel", read_kernel},
	{"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", COLUMNS(kernel), "kernel",
		read_kernel},
	{"CUPTI_ACTIVITY_KIND_CDP_KERNEL", COLUMNS(kernel), "kernel",
		read_kernel},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", COLUMNS(copy), "gpu_memcpy", read_copy},
	{"CUPTI_ACTIVITY_KIND_MEMCPY2", COLUMNS(copy), "gpu_memcpy",
		read_copy},
	{"CUPTI_ACTIVITY_KIND_MEMSET", COLUMNS(memset), "gpu_memset",
		read_memset},
	{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", COLUMNS(wait), "cuda_sync",
		read_wait},
	{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", COLUMNS(graph), "cuda_graph",
		read_graph},
	/* clang-format on */
};

enum ctp_status sqlite_activity_add_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (size_t i = 0;
		status == CTP_OK && i < sizeof(tables) / sizeof(tables[0]);
		i++) {
		const struct sqlite_query query = {.times = SQLITE_END_START,
			.read = tables[i].read,
			.category =
				sqlite_source_key(source, tables[i].category)};
		const struct sqlite_select select = {.table = tables[i].table,
			.columns = tables[i].columns,
			.column_count = tables[i].count,
			.order = "1, 2"};

		status = sqlite_source_add_query(source, &query, &select, err);
	}
	return status;
}
