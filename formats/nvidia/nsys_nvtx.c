/* SPDX-License-Identifier: MIT */
/*
 * NVTX marks of programs: nested ranges, ranges that may end on another thread,
 * and marks. A domain's name is the category of its ranges and marks, as in our
 * recorder. Source: the comments in the exported schema; ENUM_NSYS_EVENT_TYPE.
 */
#include "nvidia/nsys_read.h"

#include "nvidia/sqlite_activity.h"

enum nvtx_type {
	NVTX_MARK = 34,
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTX_DOMAIN = 75,
	/* The same from NVTX's text files. */
	NVTXT_MARK = 65,
	NVTXT_PUSH_POP = 70,
	NVTXT_START_END = 71,
};

static const char *const columns[] = {"start", "end", "eventType", "text",
	"textId", "globalTid", "endGlobalTid", "domainId", "rangeId",
	"category", "color", "jsonText", "jsonTextId", "int64Value",
	"uint64Value", "int32Value", "uint32Value", "doubleValue",
	"floatValue"};
enum {
	START,
	END,
	TYPE,
	TEXT,
	TEXT_ID,
	THREAD,
	END_THREAD,
	DOMAIN,
	RANGE,
	CATEGORY,
	COLOR,
	JSON,
	JSON_ID,
	INTEGER,
	DOUBLE = INTEGER + 4,
	FLOAT,
	COLUMNS
};

/* Columns for range ends. */
static const char *const end_columns[] = {"end", "start", "eventType", "text",
	"textId", "globalTid", "endGlobalTid", "domainId", "rangeId"};

static int64_t process_of(
	struct sqlite_source *source, const struct sqlite_query *query)
{
	int64_t thread;

	return sqlite_input_int(query->statement, THREAD, &thread)
		       ? sqlite_activity_pid(source, thread)
		       : source->pid;
}

/* The name of the domain; 0: the default domain. */
static uint32_t domain_of(
	struct sqlite_source *source, const struct sqlite_query *query)
{
	int64_t by[2] = {process_of(source, query), 0};

	if (!sqlite_input_int(query->statement, DOMAIN, &by[1]) || by[1] == 0)
		return 0;
	return sqlite_source_label_of(source, SQLITE_LABEL_DOMAIN, by);
}

static void set_site(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	uint32_t domain = domain_of(source, query);
	int64_t name;
	size_t size = 0;
	const char *text = sqlite_input_text(query->statement, TEXT, &size);

	if (text == NULL && sqlite_input_int(query->statement, TEXT_ID, &name))
		row->event.site = sqlite_source_site(
			source, SQLITE_NAME_PLAIN, domain, name);
	else
		row->event.site = sqlite_source_text_site(
			source, domain, text == NULL ? "" : text, size);
	row->failed = row->failed || row->event.site == TRACE_NONE;
}

static void add_payload(
	struct sqlite_source *source, const struct sqlite_query *query)
{
	sqlite3_stmt *row = query->statement;
	int64_t value;
	size_t size = 0;
	const char *json = sqlite_input_text(row, JSON, &size);

	for (int i = INTEGER; i < DOUBLE; i++)
		if (sqlite_input_int(row, i, &value))
			sqlite_row_add_int(source, "payload", value);
	for (int i = DOUBLE; i <= FLOAT; i++)
		if (sqlite3_column_type(row, i) == SQLITE_FLOAT)
			sqlite_row_add_double(source, "payload",
				sqlite3_column_double(row, i));
	sqlite_row_add_text(source, "payload", json, size);
}

static void add_args(
	struct sqlite_source *source, const struct sqlite_query *query)
{
	int64_t value;

	if (sqlite_input_int(query->statement, CATEGORY, &value) && value != 0)
		sqlite_row_add_int(source, "category", value);
	if (sqlite_input_int(query->statement, COLOR, &value) && value != 0)
		sqlite_row_add_int(source, "color", value);
	add_payload(source, query);
}

/* Ranges are numbered within their process. */
static void set_range(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t range = 0;

	(void)sqlite_input_int(query->statement, RANGE, &range);
	row->event.id = (uint64_t)range ^ (uint64_t)process_of(source, query)
						  << 40;
}

static bool read_range(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t type = NVTX_PUSH_POP;
	int64_t thread = 0;

	(void)sqlite_input_int(query->statement, TYPE, &type);
	(void)sqlite_input_int(query->statement, THREAD, &thread);
	switch (type) {
	case NVTX_PUSH_POP:
	case NVTXT_PUSH_POP:
		row->event.kind = EVENT_BEGIN;
		break;
	case NVTX_START_END:
	case NVTXT_START_END:
		row->event.kind = EVENT_ASYNC_BEGIN;
		set_range(source, query, row);
		break;
	case NVTX_MARK:
	case NVTXT_MARK:
		row->event.kind = EVENT_INSTANT;
		break;
	default:
		return true; /* names, which were read before */
	}
	nsys_read_thread(source, thread);
	set_site(source, query, row);
	add_args(source, query);
	return true;
}

/* Some reports omit the end's thread if it is the begin's. */
static bool read_end(struct sqlite_source *source,
	const struct sqlite_query *query, struct sqlite_row *row)
{
	int64_t thread = 0;

	if (!sqlite_input_int(query->statement, END_THREAD, &thread) ||
		thread == 0)
		(void)sqlite_input_int(query->statement, THREAD, &thread);
	row->event.kind = EVENT_ASYNC_END;
	row->event.time_ns = row->end_ns;
	row->event.dur_ns = 0;
	nsys_read_thread(source, thread);
	set_range(source, query, row);
	set_site(source, query, row);
	return true;
}

static uint32_t text_of(struct sqlite_source *source, sqlite3_stmt *row)
{
	size_t size;
	const char *text = sqlite_input_text(row, TEXT, &size);
	int64_t name;

	if (text != NULL)
		return strtab_add(source->source.trace->text, text, size);
	return sqlite_input_int(row, TEXT_ID, &name)
		       ? sqlite_source_name(source, name)
		       : 0;
}

/* Names of domains, before their ranges and marks. */
static enum ctp_status read_domains(
	struct sqlite_source *source, struct ctp_error *err)
{
	const struct sqlite_select select = {.table = "NVTX_EVENTS",
		.columns = columns,
		.column_count = DOMAIN + 1,
		.condition = "eventType = 75"};
	struct sqlite_query query = {.table = "NVTX_EVENTS"};
	enum ctp_status status = sqlite_input_select(
		&source->input, &select, &query.statement, err);

	while (status == CTP_OK) {
		int64_t by[2];

		status =
			sqlite_input_step(&source->input, query.statement, err);
		if (status != CTP_OK)
			break;
		by[0] = process_of(source, &query);
		if (sqlite_input_int(query.statement, DOMAIN, &by[1]) &&
			!sqlite_source_label(source, SQLITE_LABEL_DOMAIN, by,
				text_of(source, query.statement)))
			status = ctp_no_memory(err);
	}
	(void)sqlite3_finalize(query.statement);
	/* Damage is found again, and counted, when ranges are read. */
	return status == CTP_ERR_NOMEM ? status : CTP_OK;
}

enum ctp_status nsys_nvtx_add_queries(
	struct sqlite_source *source, struct ctp_error *err)
{
	const struct sqlite_query query = {
		.times = SQLITE_START, .read = read_range};
	const struct sqlite_select select = {.table = "NVTX_EVENTS",
		.columns = columns,
		.column_count = COLUMNS,
		.order = "1, 2 DESC"};
	const struct sqlite_query ends = {
		.times = SQLITE_END_START, .read = read_end};
	const struct sqlite_select end_select = {.table = "NVTX_EVENTS",
		.columns = end_columns,
		.column_count = sizeof(end_columns) / sizeof(char *),
		.condition = "eventType IN (60, 71) AND \"end\" IS NOT NULL",
		.order = "1, 2"};
	bool has_types =
		sqlite_input_has(&source->input, "NVTX_EVENTS", "eventType");
	enum ctp_status status = CTP_OK;

	if (has_types)
		status = read_domains(source, err);
	if (status == CTP_OK)
		status = sqlite_source_add_query(source, &query, &select, err);
	if (status == CTP_OK && has_types)
		status = sqlite_source_add_query(
			source, &ends, &end_select, err);
	return status;
}
