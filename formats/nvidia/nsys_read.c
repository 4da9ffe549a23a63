/* SPDX-License-Identifier: MIT */
/*
 * Function calls of threads. Any table with a start, an end, a thread and a
 * name is a table of calls: CUDA, the system library, cuDNN, MPI, and those
 * that later versions add.
 */
#include "nvidia/nsys_read.h"

#include <ctype.h>
#include <string.h>

#include "nvidia/nsys_device.h"
#include "nvidia/sqlite_activity.h"

#define RUNTIME "CUPTI_ACTIVITY_KIND_RUNTIME"
#define CATEGORY_ROOM 64
/* More tables of calls than any version has. */
#define TABLES_MAX 64

static const char *const call_columns[] = {"start", "end", "globalTid",
	"nameId", "eventClass", "correlationId", "returnValue", "textId",
	"text"};
enum { START, END, THREAD, NAME, CLASS, CORRELATION, RESULT, TEXT_ID, TEXT };

bool nsys_read_knows(struct sqlite_input *input)
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

static void take_thread(struct sqlite_source *source,
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

static bool take_call(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	take_thread(source, query, row);
	set_site(source, query, row, query->category);
	return true;
}

/* CUDA's runtime and driver calls are in one table. */
static bool take_runtime(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t class = 0;
	int64_t id = 0;
	uint32_t category;

	(void)sqlite_input_int(query->statement, CLASS, &class);
	(void)sqlite_input_int(query->statement, CORRELATION, &id);
	category = sqlite_source_key(
		source, class == 1 ? "cuda_driver" : "cuda_runtime");
	take_thread(source, query, row);
	row->failed = row->failed || category == STRTAB_NONE;
	set_site(source, query, row, category);
	row->event.id = (uint64_t)id;
	return true;
}

static enum ctp_status ask_calls(struct sqlite_source *source,
	const char *table, struct sqlite_query query, struct ctp_error *err)
{
	const struct sqlite_select select = {.table = table,
		.columns = call_columns,
		.column_count = sizeof(call_columns) / sizeof(char *),
		.order = "1, 2 DESC"};

	query.times = SQLITE_START_END;
	return sqlite_source_ask(source, &query, &select, err);
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

static enum ctp_status see_table(
	struct sqlite_source *source, const char *table, struct ctp_error *err)
{
	struct sqlite_query query = {.take = take_call};

	if (is_calls(source, table) && source->query_count < TABLES_MAX) {
		query.category = category_of(source, table);
		return query.category == STRTAB_NONE
			       ? ctp_no_memory(err)
			       : ask_calls(source, table, query, err);
	}
	return CTP_OK;
}

enum ctp_status nsys_read_ask(
	struct sqlite_source *source, struct ctp_error *err)
{
	const struct sqlite_query runtime = {.take = take_runtime};
	enum ctp_status status;

	source->memory_base = 1;
	status = nsys_device_read(source, err);
	if (status == CTP_OK)
		status = nsys_nvtx_ask(source, err);
	if (status == CTP_OK)
		status = ask_calls(source, RUNTIME, runtime, err);
	if (status == CTP_OK)
		status = sqlite_activity_ask(source, err);
	return status == CTP_OK ? sqlite_source_tables(source, see_table, err)
				: status;
}
