/* SPDX-License-Identifier: MIT */
/*
 * The machine, which is read at once, and the function calls of threads. Any table with a start, an end, a thread and a
 * name is a table of calls: CUDA, the system library, cuDNN, MPI, and those
 * that later versions add.
 */
#include "nvidia/nsys_read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "nvidia/sqlite_activity.h"
#include "nvidia/sqlite_source.h"

/* The machine: devices, processes, threads, the report's creator and time. */

#define PROPERTY_NUMBER(column, key) \
	{ \
		column, key, SQLITE_PROPERTY_NUMBER, 1, 1 \
	}
#define PROPERTY_TEXT(column, key) \
	{ \
		column, key, SQLITE_PROPERTY_TEXT, 0, 0 \
	}

static const struct sqlite_property properties[] = {
	PROPERTY_TEXT("name", "name"),
	PROPERTY_TEXT("uuid", "uuid"),
	PROPERTY_TEXT("busLocation", "pciBusId"),
	PROPERTY_TEXT("chipName", "chip"),
	PROPERTY_NUMBER("totalMemory", "totalGlobalMem"),
	PROPERTY_NUMBER("computeMajor", "computeMajor"),
	PROPERTY_NUMBER("computeMinor", "computeMinor"),
	PROPERTY_NUMBER("maxThreadsPerBlock", "maxThreadsPerBlock"),
	PROPERTY_NUMBER("maxRegistersPerBlock", "regsPerBlock"),
	PROPERTY_NUMBER("threadsPerWarp", "warpSize"),
	PROPERTY_NUMBER("maxShmemPerBlock", "sharedMemPerBlock"),
	PROPERTY_NUMBER("smCount", "numSms"),
	PROPERTY_NUMBER("maxRegistersPerSm", "regsPerMultiprocessor"),
	PROPERTY_NUMBER("maxShmemPerBlockOptin", "sharedMemPerBlockOptin"),
	PROPERTY_NUMBER("maxShmemPerSm", "sharedMemPerMultiprocessor"),
	PROPERTY_NUMBER("maxBlocksPerSm", "maxBlocksPerMultiprocessor"),
	PROPERTY_NUMBER("maxWarpsPerSm", "maxWarpsPerMultiprocessor"),
	PROPERTY_NUMBER("l2CacheSize", "l2CacheSize"),
	PROPERTY_NUMBER(
		"memoryBandwidth", "memoryBandwidth"), /* bytes a second */
	/* Hz; kHz */
	{"clockRate", "clockRate", SQLITE_PROPERTY_NUMBER, 1, 1000},
};

#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

/* Calls `read_row` for each row. Unreadable rows are skipped; damage is
 * counted where events are read. False if out of memory. */
static bool foreach_row(struct sqlite_source *source,
	const struct sqlite_select *select,
	bool (*read_row)(struct sqlite_source *source, sqlite3_stmt *row))
{
	struct ctp_error err;
	sqlite3_stmt *rows;
	enum ctp_status status = CTP_OK;

	if (!sqlite_input_has(
		    &source->input, select->table, select->columns[0]))
		return true;
	status = sqlite_input_select(&source->input, select, &rows, &err);
	while (status == CTP_OK) {
		status = sqlite_input_step(&source->input, rows, &err);
		if (status == CTP_OK && !read_row(source, rows))
			status = CTP_ERR_NOMEM;
	}
	(void)sqlite3_finalize(rows);
	return status != CTP_ERR_NOMEM;
}

static bool label_process(struct sqlite_source *source, sqlite3_stmt *row)
{
	int64_t global;
	int64_t by[2] = {0, 0};
	size_t size;
	const char *name = sqlite_input_text(row, 1, &size);

	if (name == NULL || !sqlite_input_int(row, 0, &global))
		return true;
	by[0] = sqlite_activity_pid(source, global);
	return sqlite_source_label(source, SQLITE_LABEL_PROCESS, by,
		strtab_add(source->source.trace->text, name, size));
}

static bool label_thread(struct sqlite_source *source, sqlite3_stmt *row)
{
	int64_t global;
	int64_t name;
	int64_t by[2];

	if (!sqlite_input_int(row, 0, &global) ||
		!sqlite_input_int(row, 1, &name))
		return true;
	by[0] = sqlite_activity_pid(source, global);
	by[1] = global & 0xffffff;
	return sqlite_source_label(source, SQLITE_LABEL_THREAD, by,
		sqlite_source_name(source, name));
}

static bool add_fact(struct sqlite_source *source, sqlite3_stmt *row)
{
	static const char *const facts[][2] = {
		{"EXPORT_PRODUCT_VERSION", "tool"},
		{"EXPORT_SCHEMA_VERSION", "schema"},
		{"Hostname", "host"},
		{"OsDescription", "os"},
		{"CpuDescription", "cpu"},
		{"NvDriverVersion", "gpu.driver_version"},
	};
	struct trace *trace = source->source.trace;
	const char *name = sqlite_input_text(row, 0, NULL);
	const char *value = sqlite_input_text(row, 1, NULL);
	char text[256];

	for (size_t i = 0; name != NULL && value != NULL && value[0] != '\0' &&
			   i < sizeof(facts) / sizeof(facts[0]);
		i++) {
		if (strcmp(name, facts[i][0]) != 0)
			continue;
		(void)snprintf(text, sizeof(text), "%s%.200s",
			i == 0 ? "Nsight Systems " : "", value);
		return trace_set_fact(trace, facts[i][1], text);
	}
	return true;
}

/* The GPU behind a process's device number: processes may see different
 * GPUs. */
static int64_t gpu_of(
	struct sqlite_source *source, int64_t pid, uint32_t number)
{
	static const char *const columns[] = {"gpuId", "cudaId", "pid"};
	const struct sqlite_select select = {.table = "TARGET_INFO_CUDA_DEVICE",
		.columns = columns,
		.column_count = 3};
	int64_t gpu = -1;
	sqlite3_stmt *rows;

	if (!sqlite_input_has(&source->input, select.table, "gpuId") ||
		sqlite_input_select(&source->input, &select, &rows, NULL) !=
			CTP_OK)
		return -1;
	while (gpu < 0 &&
		sqlite_input_step(&source->input, rows, NULL) == CTP_OK) {
		int64_t device = -1;
		int64_t process = -1;

		if (sqlite_input_int(rows, 1, &device) &&
			sqlite_input_int(rows, 2, &process) &&
			device == (int64_t)number && process == pid)
			(void)sqlite_input_int(rows, 0, &gpu);
	}
	(void)sqlite3_finalize(rows);
	return gpu;
}

static bool add_device(
	struct sqlite_source *source, int64_t pid, uint32_t number)
{
	const char *columns[PROPERTIES + 2];
	const struct sqlite_select select = {.table = "TARGET_INFO_GPU",
		.columns = columns,
		.column_count = PROPERTIES + 2};
	struct trace_device device = {.pid = pid, .number = number};
	int64_t gpu = gpu_of(source, pid, number);
	sqlite3_stmt *rows;
	bool done = true;
	bool found = false;

	for (size_t i = 0; i < PROPERTIES; i++)
		columns[i] = properties[i].column;
	columns[PROPERTIES] = "id";
	columns[PROPERTIES + 1] = "cuDevice";
	if (!sqlite_input_has(&source->input, select.table, "id") ||
		sqlite_input_select(&source->input, &select, &rows, NULL) !=
			CTP_OK)
		return true;
	while (done && !found &&
		sqlite_input_step(&source->input, rows, NULL) == CTP_OK) {
		int64_t id = -1;
		int64_t cuda = -1;

		(void)sqlite_input_int(rows, PROPERTIES, &id);
		if (!sqlite_input_int(rows, PROPERTIES + 1, &cuda))
			cuda = id;
		found = gpu >= 0 ? id == gpu : cuda == (int64_t)number;
		if (found)
			done = sqlite_source_device(
				source, rows, properties, PROPERTIES, device);
	}
	(void)sqlite3_finalize(rows);
	return done;
}

/* The tables with two columns that are read. */
static const struct {
	const char *table;
	const char *columns[2];
	bool (*read)(struct sqlite_source *source, sqlite3_stmt *row);
} machine_tables[] = {
	{"PROCESSES", {"globalPid", "name"}, label_process},
	{"ThreadNames", {"globalTid", "nameId"}, label_thread},
	{"EXPORT_META_DATA", {"name", "value"}, add_fact},
	{"META_DATA_EXPORT", {"name", "value"}, add_fact},
	{"TARGET_INFO_SYSTEM_ENV", {"name", "value"}, add_fact},
};

/* Any row of these contains the program's machine. */
static const char *const machine_queries[] = {
	"SELECT globalTid FROM main.CUPTI_ACTIVITY_KIND_RUNTIME",
	"SELECT globalTid FROM main.NVTX_EVENTS",
	"SELECT globalPid FROM main.CUPTI_ACTIVITY_KIND_KERNEL",
};

/* Call it before the events are read. Errors: CTP_ERR_NOMEM. */
static enum ctp_status read_machine(
	struct sqlite_source *source, struct ctp_error *err)
{
	struct sqlite_input *input = &source->input;
	int64_t global;

	source->add_device = add_device;
	for (size_t i = 0;
		i < sizeof(machine_queries) / sizeof(machine_queries[0]); i++)
		if (!source->has_machine &&
			sqlite_input_number(input, machine_queries[i], &global))
			source->pid = sqlite_activity_pid(source, global);
	if (sqlite_input_has(input, "StringIds", "value") &&
		sqlite3_prepare_v2(input->db,
			"SELECT value FROM main.StringIds WHERE id = ?1", -1,
			&source->find_name, NULL) == SQLITE_NOMEM)
		return ctp_no_memory(err);
	for (size_t i = 0;
		i < sizeof(machine_tables) / sizeof(machine_tables[0]); i++) {
		const struct sqlite_select select = {
			.table = machine_tables[i].table,
			.columns = machine_tables[i].columns,
			.column_count = 2};

		if (!foreach_row(source, &select, machine_tables[i].read))
			return ctp_no_memory(err);
	}
	(void)sqlite_input_number(input,
		"SELECT utcEpochNs FROM main.TARGET_INFO_SESSION_START_TIME",
		&source->source.trace->base_realtime_ns);
	return CTP_OK;
}

/* Function calls of threads. */

#define RUNTIME "CUPTI_ACTIVITY_KIND_RUNTIME"
#define CATEGORY_ROOM 64
/* More tables of calls than any version has. */
#define TABLES_MAX 64

static const char *const call_columns[] = {"start", "end", "globalTid",
	"nameId", "eventClass", "correlationId", "returnValue", "textId",
	"text"};
enum { START, END, THREAD, NAME, CLASS, CORRELATION, RESULT, TEXT_ID, TEXT };

bool nsys_read_probe(struct sqlite_input *input)
{
	static const char *const tables[][2] = {{"StringIds", "value"},
		{"NVTX_EVENTS", "start"}, {"META_DATA_EXPORT", "name"},
		{"EXPORT_META_DATA", "name"},
		{"CUPTI_ACTIVITY_KIND_KERNEL", "shortName"}};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (sqlite_input_has(input, tables[i][0], tables[i][1]))
			return true;
	return false;
}

void nsys_read_thread(struct sqlite_source *source, int64_t global_tid)
{
	struct sqlite_row *row = &source->row;
	const struct sqlite_track track = {.kind = TRACE_THREAD,
		.pid = sqlite_activity_pid(source, global_tid),
		.tid = global_tid & 0xffffff};

	row->event.track = sqlite_source_track(source, &track);
	row->failed = row->failed || row->event.track == TRACE_NONE;
}

static void set_site(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row,
	uint32_t category)
{
	sqlite3_stmt *statement = query->statement;
	size_t size = 0;
	const char *text = sqlite_input_text(statement, TEXT, &size);
	int64_t name;

	if (sqlite_input_int(statement, NAME, &name) ||
		sqlite_input_int(statement, TEXT_ID, &name))
		row->event.site = sqlite_source_site(
			source, SQLITE_NAME_CALL, category, name);
	else
		row->event.site = sqlite_source_text_site(
			source, category, text == NULL ? "" : text, size);
	row->failed = row->failed || row->event.site == TRACE_NONE;
}

static void read_thread(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t thread = 0;
	int64_t result;

	row->event.kind = EVENT_BEGIN;
	(void)sqlite_input_int(query->statement, THREAD, &thread);
	nsys_read_thread(source, thread);
	if (sqlite_input_int(query->statement, RESULT, &result) && result != 0)
		sqlite_row_add_int(source, "return", result);
}

static bool read_call(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	read_thread(source, query, row);
	set_site(source, query, row, query->category);
	return true;
}

/* CUDA's runtime and driver calls are in one table. */
static bool read_runtime(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t class = 0;
	int64_t id = 0;
	uint32_t category;

	(void)sqlite_input_int(query->statement, CLASS, &class);
	(void)sqlite_input_int(query->statement, CORRELATION, &id);
	category = sqlite_source_key(
		source, class == 1 ? "cuda_driver" : "cuda_runtime");
	read_thread(source, query, row);
	row->failed = row->failed || category == STRTAB_NONE;
	set_site(source, query, row, category);
	row->event.id = (uint64_t)id;
	return true;
}

static enum ctp_status add_call_query(struct sqlite_source *source,
	const char *table, struct sqlite_query query, struct ctp_error *err)
{
	const struct sqlite_select select = {.table = table,
		.columns = call_columns,
		.column_count = sizeof(call_columns) / sizeof(char *),
		.order = "1, 2 DESC"};

	query.times = SQLITE_START_END;
	return sqlite_source_add_query(source, &query, &select, err);
}

static const char *without_prefix(const char *text, const char *prefix)
{
	size_t size = strlen(prefix);

	return strncmp(text, prefix, size) == 0 ? text + size : text;
}

/* "OSRT_API" is "osrt", "PROFILER_OVERHEAD" is "overhead". */
static uint32_t category_of(struct sqlite_source *source, const char *table)
{
	static const char *const suffixes[] = {"_API", "_EVENTS", "_CALLS"};
	const char *from = without_prefix(table, "CUPTI_ACTIVITY_KIND_");
	char name[CATEGORY_ROOM];
	size_t size;

	from = without_prefix(from, "PROFILER_");
	size = strnlen(from, sizeof(name) - 1);
	for (size_t i = 0; i < size; i++)
		name[i] = (char)tolower((unsigned char)from[i]);
	name[size] = '\0';
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t end = strlen(suffixes[i]);

		if (size > end &&
			strcasecmp(name + size - end, suffixes[i]) == 0)
			name[size - end] = '\0';
	}
	return sqlite_source_key(source, name);
}

static bool is_calls(struct sqlite_source *source, const char *table)
{
	struct sqlite_input *input = &source->input;

	return strcmp(table, RUNTIME) != 0 &&
	       strcmp(table, "NVTX_EVENTS") != 0 &&
	       sqlite_input_has(input, table, "start") &&
	       sqlite_input_has(input, table, "end") &&
	       sqlite_input_has(input, table, "globalTid") &&
	       (sqlite_input_has(input, table, "nameId") ||
		       sqlite_input_has(input, table, "textId"));
}

static enum ctp_status add_table_query(
	struct sqlite_source *source, const char *table, struct ctp_error *err)
{
	struct sqlite_query query = {.read = read_call};

	if (is_calls(source, table) && source->query_count < TABLES_MAX) {
		query.category = category_of(source, table);
		return query.category == STRTAB_NONE
			       ? ctp_no_memory(err)
			       : add_call_query(source, table, query, err);
	}
	return CTP_OK;
}

enum ctp_status nsys_read_add_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	const struct sqlite_query runtime = {.read = read_runtime};
	enum ctp_status status;

	source->memory_base = 1;
	status = read_machine(source, err);
	if (status == CTP_OK)
		status = nsys_nvtx_add_queries(source, err);
	if (status == CTP_OK)
		status = add_call_query(source, RUNTIME, runtime, err);
	if (status == CTP_OK)
		status = sqlite_activity_add_queries(source, err);
	return status == CTP_OK
		       ? sqlite_source_tables(source, add_table_query, err)
		       : status;
}
