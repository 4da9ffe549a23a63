/* SPDX-License-Identifier: MIT */
#include "nvidia/nsys_device.h"

#include <stdio.h>
#include <string.h>

#include "nvidia/sqlite_activity.h"
#include "nvidia/sqlite_device.h"

#define NUMBER(column, key) \
	{ \
		column, key, SQLITE_PROPERTY_NUMBER, 1, 1 \
	}
#define TEXT(column, key) \
	{ \
		column, key, SQLITE_PROPERTY_TEXT, 0, 0 \
	}

static const struct sqlite_property properties[] = {
	TEXT("name", "name"),
	TEXT("uuid", "uuid"),
	TEXT("busLocation", "pciBusId"),
	TEXT("chipName", "chip"),
	NUMBER("totalMemory", "totalGlobalMem"),
	NUMBER("computeMajor", "computeMajor"),
	NUMBER("computeMinor", "computeMinor"),
	NUMBER("maxThreadsPerBlock", "maxThreadsPerBlock"),
	NUMBER("maxRegistersPerBlock", "regsPerBlock"),
	NUMBER("threadsPerWarp", "warpSize"),
	NUMBER("maxShmemPerBlock", "sharedMemPerBlock"),
	NUMBER("smCount", "numSms"),
	NUMBER("maxRegistersPerSm", "regsPerMultiprocessor"),
	NUMBER("maxShmemPerBlockOptin", "sharedMemPerBlockOptin"),
	NUMBER("maxShmemPerSm", "sharedMemPerMultiprocessor"),
	NUMBER("maxBlocksPerSm", "maxBlocksPerMultiprocessor"),
	NUMBER("maxWarpsPerSm", "maxWarpsPerMultiprocessor"),
	NUMBER("l2CacheSize", "l2CacheSize"),
	NUMBER("memoryBandwidth", "memoryBandwidth"), /* bytes a second */
	/* Hz; kHz */
	{"clockRate", "clockRate", SQLITE_PROPERTY_NUMBER, 1, 1000},
};

#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

/* Calls `take` for each row. Unreadable rows are skipped; damage is counted
 * where events are read. False if out of memory. */
static bool each(struct sqlite_source *source,
	const struct sqlite_select *select,
	bool (*take)(struct sqlite_source *source, sqlite3_stmt *row))
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
		if (status == CTP_OK && !take(source, rows))
			status = CTP_ERR_NOMEM;
	}
	(void)sqlite3_finalize(rows);
	return status != CTP_ERR_NOMEM;
}

static bool take_process(struct sqlite_source *source, sqlite3_stmt *row)
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

static bool take_thread(struct sqlite_source *source, sqlite3_stmt *row)
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

static bool take_meta(struct sqlite_source *source, sqlite3_stmt *row)
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
			done = sqlite_device_add(
				source, rows, properties, PROPERTIES, device);
	}
	(void)sqlite3_finalize(rows);
	return done;
}

/* The tables with two columns that are read. */
static const struct {
	const char *table;
	const char *columns[2];
	bool (*take)(struct sqlite_source *source, sqlite3_stmt *row);
} asked[] = {
	{"PROCESSES", {"globalPid", "name"}, take_process},
	{"ThreadNames", {"globalTid", "nameId"}, take_thread},
	{"EXPORT_META_DATA", {"name", "value"}, take_meta},
	{"META_DATA_EXPORT", {"name", "value"}, take_meta},
	{"TARGET_INFO_SYSTEM_ENV", {"name", "value"}, take_meta},
};

/* Any row of these contains the program's machine. */
static const char *const first[] = {
	"SELECT globalTid FROM main.CUPTI_ACTIVITY_KIND_RUNTIME",
	"SELECT globalTid FROM main.NVTX_EVENTS",
	"SELECT globalPid FROM main.CUPTI_ACTIVITY_KIND_KERNEL",
};

enum ctp_status nsys_device_read(
	struct sqlite_source *source, struct ctp_error *err)
{
	struct sqlite_input *input = &source->input;
	int64_t global;

	source->add_device = add_device;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		if (!source->has_machine &&
			sqlite_input_number(input, first[i], &global))
			source->pid = sqlite_activity_pid(source, global);
	if (sqlite_input_has(input, "StringIds", "value") &&
		sqlite3_prepare_v2(input->db,
			"SELECT value FROM main.StringIds WHERE id = ?1", -1,
			&source->find_name, NULL) == SQLITE_NOMEM)
		return ctp_no_memory(err);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct sqlite_select select = {.table = asked[i].table,
			.columns = asked[i].columns,
			.column_count = 2};

		if (!each(source, &select, asked[i].take))
			return ctp_no_memory(err);
	}
	(void)sqlite_input_number(input,
		"SELECT utcEpochNs FROM main.TARGET_INFO_SESSION_START_TIME",
		&source->source.trace->base_realtime_ns);
	return CTP_OK;
}
