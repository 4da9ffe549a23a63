/* SPDX-License-Identifier: MIT */
/*
 * Times are nanoseconds in every schema version; since 1970 in some files, of
 * the machine's clock in others.
 */
#include "nvidia/nvprof_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/activity_name.h"
#include "nvidia/sqlite_activity.h"

#define NAME_ROOM 48
/* Times since 1970 exceed this from 2001 on; no machine's own clock does. */
#define EPOCH_MIN INT64_C(1000000000000000000)
/* Kinds of objects that an objectId refers to. */
#define OBJECT_PROCESS 1
#define OBJECT_THREAD 2

/* A range is two rows with its number; the first has the name. Colour and
 * category may be in another table. */
#define RANGES \
	"SELECT min(CASE WHEN name <> 0 THEN timestamp END) AS s," \
	" max(CASE WHEN name = 0 THEN timestamp END) AS e," \
	" max(name), max(domain)," \
	" max(CASE WHEN name <> 0 THEN objectKind END)," \
	" max(CASE WHEN name <> 0 THEN objectId END)," \
	" total(name <> 0), id FROM main.CUPTI_ACTIVITY_KIND_MARKER" \
	" WHERE flags & 1 = 0 GROUP BY id"
#define MARKS \
	"SELECT timestamp, NULL, name, domain, objectKind, objectId, 1.0, id" \
	" FROM main.CUPTI_ACTIVITY_KIND_MARKER WHERE flags & 1 = 1"
#define WITH_DATA(rows) \
	"SELECT m.*, d.c, d.k FROM (" rows ") AS m LEFT JOIN" \
	" (SELECT id AS i, max(color) AS c, max(category) AS k" \
	"  FROM main.CUPTI_ACTIVITY_KIND_MARKER_DATA GROUP BY id) AS d" \
	" ON d.i = m.id ORDER BY 1, 2 DESC, m.id"
#define WITHOUT_DATA(rows) \
	"SELECT m.*, NULL, NULL FROM (" rows ") AS m ORDER BY 1, 2 DESC, m.id"

static const char *const marker_columns[] = {
	"timestamp", "name", "domain", "objectKind", "objectId", "id", "flags"};
enum {
	MARKER_NAME = 2,
	DOMAIN,
	OBJECT_KIND,
	OBJECT,
	BEGINS,
	ID,
	COLOR,
	CATEGORY
};

static const char *const call_columns[] = {"start", "end", "cbid", "processId",
	"threadId", "correlationId", "returnValue"};
enum { CBID = 2, PROCESS, THREAD, CORRELATION, RESULT };

static const char *const overhead_columns[] = {
	"start", "end", "overheadKind", "objectKind", "objectId"};
enum { OVERHEAD_KIND = 2, OVERHEAD_OBJECT_KIND, OVERHEAD_OBJECT };

bool nvprof_read_probe(struct sqlite_input *input)
{
	return sqlite_input_has(input, "StringTable", "_id_");
}

static void set_thread(struct sqlite_source *source, int64_t pid, int64_t tid)
{
	struct sqlite_row *row = &source->row;
	/* Thread ids are hashes, signed in some tables and unsigned in
	 * others. */
	const struct sqlite_track track = {
		.kind = TRACE_THREAD, .pid = pid, .tid = (uint32_t)tid};

	row->event.track = sqlite_source_track(source, &track);
	row->failed = row->failed || row->event.track == TRACE_NONE;
}

static uint32_t little_endian(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* The process and thread of an objectId, which is a CUPTI union; other objects
 * count as the process. */
static void read_object(const struct sqlite_source *source,
	sqlite3_stmt *statement, int kind_column, int64_t *ids)
{
	const uint8_t *bytes = sqlite3_column_blob(statement, kind_column + 1);
	int size = sqlite3_column_bytes(statement, kind_column + 1);
	int64_t kind = 0;

	ids[0] = source->pid;
	ids[1] = 0;
	(void)sqlite_input_int(statement, kind_column, &kind);
	if (bytes == NULL || size < 8)
		return;
	if (kind == OBJECT_PROCESS || kind == OBJECT_THREAD)
		ids[0] = little_endian(bytes);
	if (kind == OBJECT_THREAD)
		ids[1] = little_endian(bytes + 4);
}

static void add_number(struct sqlite_source *source,
	const struct sqlite_query *query, const char *key, int column)
{
	int64_t value;

	if (sqlite_input_int(query->statement, column, &value) && value != 0)
		sqlite_row_add_int(source, key, value);
}

/* Reads the columns common to ranges and marks. */
static bool read_marker(
	struct sqlite_source *source, const struct sqlite_query *query)
{
	struct sqlite_row *row = &source->row;
	sqlite3_stmt *statement = query->statement;
	int64_t ids[2];
	int64_t name;
	int64_t domain = 0;
	uint32_t category = 0;

	/* A number used by two ranges identifies neither. */
	if (sqlite3_column_double(statement, BEGINS) != 1.0 ||
		!sqlite_input_int(statement, MARKER_NAME, &name))
		return false;
	if (sqlite_input_int(statement, DOMAIN, &domain) && domain != 0)
		category = sqlite_source_name(source, domain);
	row->event.site = category == STRTAB_NONE
				  ? TRACE_NONE
				  : sqlite_source_site(source,
					    SQLITE_NAME_PLAIN, category, name);
	row->failed = row->event.site == TRACE_NONE;
	read_object(source, statement, OBJECT_KIND, ids);
	set_thread(source, ids[0], ids[1]);
	add_number(source, query, "color", COLOR);
	add_number(source, query, "category", CATEGORY);
	return true;
}

static bool read_range(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	row->event.kind = EVENT_BEGIN;
	return read_marker(source, query);
}

static bool read_mark(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	row->event.kind = EVENT_INSTANT;
	return read_marker(source, query);
}

static void set_call(struct sqlite_source *source,
	const struct sqlite_query *query, const char *name, int64_t cbid)
{
	struct sqlite_row *row = &source->row;
	char unknown[NAME_ROOM];

	if (name == NULL) {
		(void)snprintf(unknown, sizeof(unknown),
			"(function %" PRId64 ")", cbid);
		name = unknown;
	}
	row->event.site = sqlite_source_text_site(
		source, query->category, name, strlen(name));
	row->failed = row->failed || row->event.site == TRACE_NONE;
}

static bool read_call(struct sqlite_source *source,
	const struct sqlite_query *query, bool is_driver)
{
	struct sqlite_row *row = &source->row;
	int64_t cbid = 0;
	int64_t pid = source->pid;
	int64_t tid = 0;
	int64_t id = 0;

	(void)sqlite_input_int(query->statement, CBID, &cbid);
	(void)sqlite_input_int(query->statement, PROCESS, &pid);
	(void)sqlite_input_int(query->statement, THREAD, &tid);
	(void)sqlite_input_int(query->statement, CORRELATION, &id);
	row->event.kind = EVENT_BEGIN;
	row->event.id = (uint64_t)id;
	set_thread(source, pid, tid);
	set_call(source, query,
		is_driver ? nvprof_read_driver(cbid)
			  : nvprof_read_runtime(cbid),
		cbid);
	add_number(source, query, "cbid", CBID);
	add_number(source, query, "return", RESULT);
	return true;
}

static bool read_runtime(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	(void)row;
	return read_call(source, query, false);
}

static bool read_driver(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	(void)row;
	return read_call(source, query, true);
}

static bool read_overhead(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t kind = 0;
	int64_t ids[2];

	(void)sqlite_input_int(query->statement, OVERHEAD_KIND, &kind);
	row->event.kind = EVENT_BEGIN;
	read_object(source, query->statement, OVERHEAD_OBJECT_KIND, ids);
	set_thread(source, ids[0], ids[1]);
	set_call(source, query,
		activity_name_overhead(
			kind < 0 || kind > UINT32_MAX ? 0 : (uint32_t)kind),
		kind);
	return true;
}

static const struct sqlite_property properties[] = {
	{"name", "name", SQLITE_PROPERTY_NAME, 0, 0},
	{"uuid", "uuid", SQLITE_PROPERTY_UUID, 0, 0},
#define NUMBER(column, key, times) \
	{ \
		column, key, SQLITE_PROPERTY_NUMBER, times, 1 \
	}
	NUMBER("globalMemorySize", "totalGlobalMem", 1),
	NUMBER("computeCapabilityMajor", "computeMajor", 1),
	NUMBER("computeCapabilityMinor", "computeMinor", 1),
	NUMBER("maxThreadsPerBlock", "maxThreadsPerBlock", 1),
	NUMBER("maxRegistersPerBlock", "regsPerBlock", 1),
	NUMBER("numThreadsPerWarp", "warpSize", 1),
	NUMBER("maxSharedMemoryPerBlock", "sharedMemPerBlock", 1),
	NUMBER("numMultiprocessors", "numSms", 1),
	NUMBER("maxRegistersPerMultiprocessor", "regsPerMultiprocessor", 1),
	NUMBER("maxSharedMemoryPerMultiprocessor", "sharedMemPerMultiprocessor",
		1),
	NUMBER("maxBlocksPerMultiprocessor", "maxBlocksPerMultiprocessor", 1),
	NUMBER("maxWarpsPerMultiprocessor", "maxWarpsPerMultiprocessor", 1),
	NUMBER("coreClockRate", "clockRate", 1),
	NUMBER("l2CacheSize", "l2CacheSize", 1),
	/* from kB/s to bytes/s */
	NUMBER("globalMemoryBandwidth", "memoryBandwidth", 1000),
	NUMBER("eccEnabled", "ecc", 1),
};

#define PROPERTIES (sizeof(properties) / sizeof(properties[0]))

static bool add_device(
	struct sqlite_source *source, int64_t pid, uint32_t number)
{
	const char *columns[PROPERTIES + 1];
	const struct sqlite_select select = {
		.table = "CUPTI_ACTIVITY_KIND_DEVICE",
		.columns = columns,
		.column_count = PROPERTIES + 1};
	const struct trace_device device = {.pid = pid, .number = number};
	sqlite3_stmt *rows;
	bool done = true;
	bool found = false;

	for (size_t i = 0; i < PROPERTIES; i++)
		columns[i] = properties[i].column;
	columns[PROPERTIES] = "id";
	if (!sqlite_input_has(&source->input, select.table, "id") ||
		sqlite_input_select(&source->input, &select, &rows, NULL) !=
			CTP_OK)
		return true;
	while (!found &&
		sqlite_input_step(&source->input, rows, NULL) == CTP_OK) {
		int64_t id = -1;

		found = sqlite_input_int(rows, PROPERTIES, &id) &&
			id == (int64_t)number;
		if (found)
			done = sqlite_source_device(
				source, rows, properties, PROPERTIES, device);
	}
	(void)sqlite3_finalize(rows);
	return done;
}

/* The process of the file, and the origin of its times. */
static void find_origin(struct sqlite_source *source)
{
	static const char *const processes[] = {
		"SELECT processId FROM main.CUPTI_ACTIVITY_KIND_RUNTIME",
		"SELECT processId FROM main.CUPTI_ACTIVITY_KIND_DRIVER"};
	static const char *const starts[] = {
		"SELECT min(start) FROM main.CUPTI_ACTIVITY_KIND_RUNTIME",
		"SELECT min(start) FROM main.CUPTI_ACTIVITY_KIND_DRIVER",
		"SELECT min(timestamp) FROM main.CUPTI_ACTIVITY_KIND_MARKER",
		"SELECT min(start) FROM "
		"main.CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL WHERE start > 0",
		"SELECT min(start) FROM main.CUPTI_ACTIVITY_KIND_KERNEL "
		"WHERE start > 0"};
	int64_t first_ns = INT64_MAX;
	int64_t start_ns;

	for (size_t i = 2; i-- > 0;)
		(void)sqlite_input_number(
			&source->input, processes[i], &source->pid);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (sqlite_input_number(&source->input, starts[i], &start_ns) &&
			start_ns < first_ns)
			first_ns = start_ns;
	if (first_ns < EPOCH_MIN || first_ns == INT64_MAX)
		return;
	source->base_ns = first_ns;
	source->source.trace->base_realtime_ns = first_ns;
}

/* Names that the program gave to its process and threads. */
static bool read_names(struct sqlite_source *source)
{
	static const char *const columns[] = {"objectKind", "objectId", "name"};
	const struct sqlite_select select = {
		.table = "CUPTI_ACTIVITY_KIND_NAME",
		.columns = columns,
		.column_count = 3};
	sqlite3_stmt *rows;
	bool done = true;

	if (!sqlite_input_has(&source->input, select.table, "name") ||
		sqlite_input_select(&source->input, &select, &rows, NULL) !=
			CTP_OK)
		return true;
	while (done &&
		sqlite_input_step(&source->input, rows, NULL) == CTP_OK) {
		int64_t ids[2];
		int64_t kind = 0;
		int64_t name = 0;

		(void)sqlite_input_int(rows, 0, &kind);
		(void)sqlite_input_int(rows, 2, &name);
		read_object(source, rows, 0, ids);
		if (kind == OBJECT_PROCESS || kind == OBJECT_THREAD)
			done = sqlite_source_label(source,
				kind == OBJECT_PROCESS ? SQLITE_LABEL_PROCESS
						       : SQLITE_LABEL_THREAD,
				ids, sqlite_source_name(source, name));
	}
	(void)sqlite3_finalize(rows);
	return done;
}

static bool read_facts(struct sqlite_source *source)
{
	int64_t version;
	char text[NAME_ROOM];

	if (!trace_set_fact(source->source.trace, "tool", "nvprof"))
		return false;
	if (!sqlite_input_number(&source->input,
		    "SELECT version FROM main.Version", &version))
		return true;
	(void)snprintf(text, sizeof(text), "%" PRId64, version);
	return trace_set_fact(source->source.trace, "schema", text);
}

static enum ctp_status add_marker_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	bool data = sqlite_input_has(&source->input,
			    "CUPTI_ACTIVITY_KIND_MARKER_DATA", "color") &&
		    sqlite_input_has(&source->input,
			    "CUPTI_ACTIVITY_KIND_MARKER_DATA", "category");
	const struct sqlite_query range = {
		.times = SQLITE_START, .read = read_range};
	const struct sqlite_query mark = {
		.times = SQLITE_START, .read = read_mark};
	struct sqlite_select select = {.table = "CUPTI_ACTIVITY_KIND_MARKER",
		.columns = marker_columns,
		.column_count = sizeof(marker_columns) / sizeof(char *),
		.sql = data ? WITH_DATA(RANGES) : WITHOUT_DATA(RANGES)};
	enum ctp_status status =
		sqlite_source_add_query(source, &range, &select, err);

	select.sql = data ? WITH_DATA(MARKS) : WITHOUT_DATA(MARKS);
	if (status == CTP_OK)
		status = sqlite_source_add_query(source, &mark, &select, err);
	return status;
}

static enum ctp_status add_call_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	static const struct {
		struct sqlite_select select;
		const char *category;
		bool (*read)(struct sqlite_source *source,
			const struct sqlite_query *query,
			struct sqlite_row *row);
	} call_tables[] = {
		{{.table = "CUPTI_ACTIVITY_KIND_RUNTIME",
			 .columns = call_columns,
			 .column_count = 7,
			 .order = "1, 2 DESC"},
			"cuda_runtime", read_runtime},
		{{.table = "CUPTI_ACTIVITY_KIND_DRIVER",
			 .columns = call_columns,
			 .column_count = 7,
			 .order = "1, 2 DESC"},
			"cuda_driver", read_driver},
		{{.table = "CUPTI_ACTIVITY_KIND_OVERHEAD",
			 .columns = overhead_columns,
			 .column_count = 5,
			 .order = "1, 2 DESC"},
			"overhead", read_overhead},
	};
	enum ctp_status status = CTP_OK;

	for (size_t i = 0; status == CTP_OK && i < 3; i++) {
		const struct sqlite_query query = {.times = SQLITE_START_END,
			.read = call_tables[i].read,
			.category = sqlite_source_key(
				source, call_tables[i].category)};

		status = sqlite_source_add_query(
			source, &query, &call_tables[i].select, err);
	}
	return status;
}

enum ctp_status nvprof_read_add_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	enum ctp_status status;

	source->zero_is_unknown = true;
	source->add_device = add_device;
	if (sqlite3_prepare_v2(source->input.db,
		    "SELECT value FROM main.StringTable WHERE _id_ = ?1", -1,
		    &source->find_name, NULL) == SQLITE_NOMEM ||
		!read_facts(source) || !read_names(source))
		return ctp_no_memory(err);
	find_origin(source);
	status = add_marker_queries(source, err);
	if (status == CTP_OK)
		status = add_call_queries(source, err);
	if (status == CTP_OK)
		status = sqlite_activity_add_queries(source, err);
	return status == CTP_OK ? sqlite_source_tables(source, NULL, err)
				: status;
}
