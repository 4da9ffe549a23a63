/* SPDX-License-Identifier: MIT */
#include "nvidia/sqlite_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_SHOWN 64

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

/* Is it of events that we can tell nothing of? Messages of the profiler's own
 * are none. */
static bool is_left_out(struct sqlite_source *source, const char *table)
{
	for (uint32_t i = 0; i < source->query_count; i++)
		if (strcmp(source->queries[i].table, table) == 0)
			return false;
	return strcmp(table, "DIAGNOSTIC_EVENT") != 0 &&
	       (sqlite_input_has(&source->input, table, "start") ||
		       sqlite_input_has(&source->input, table, "timestamp"));
}

/* A table that is not read is a loss, unless it is empty. */
static bool count_left_out(struct sqlite_source *source, const char *table)
{
	struct trace *trace = source->source.trace;
	char *sql = sqlite3_mprintf("SELECT count(*) FROM main.\"%w\"", table);
	char text[NAME_SHOWN + 32];
	int64_t count = 0;

	if (sql == NULL)
		return false;
	if (!sqlite_input_number(&source->input, sql, &count))
		count = 0;
	sqlite3_free(sql);
	if (count <= 0)
		return true;
	trace_lose(trace, LOSS_LEFT_OUT, (uint64_t)count);
	(void)snprintf(
		text, sizeof(text), "%.*s: %" PRId64, NAME_SHOWN, table, count);
	return trace_add_fact(trace, "left_out", text);
}

enum ctp_status sqlite_tables_see(struct sqlite_source *source,
	enum ctp_status (*see)(struct sqlite_source *source, const char *table,
		struct ctp_error *err),
	struct ctp_error *err)
{
	struct trace *trace = source->source.trace;
	sqlite3_stmt *names = NULL;
	enum ctp_status status = CTP_OK;

	if (sqlite3_prepare_v2(source->input.db,
		    "SELECT name FROM sqlite_master WHERE type = 'table' "
		    "AND rootpage > 0 ORDER BY 1",
		    -1, &names, NULL) != SQLITE_OK)
		return no_memory(err);
	while (status == CTP_OK && sqlite3_step(names) == SQLITE_ROW) {
		size_t size = 0;
		const char *name = sqlite_input_text(names, 0, &size);
		uint32_t text = STRTAB_NONE;

		if (name != NULL)
			text = strtab_add(trace->text, name, size);
		if (text == STRTAB_NONE) {
			status = no_memory(err);
			break;
		}
		name = strtab_text(trace->text, text, NULL);
		if (see != NULL)
			status = see(source, name, err);
		if (status == CTP_OK && is_left_out(source, name) &&
			!count_left_out(source, name))
			status = no_memory(err);
	}
	(void)sqlite3_finalize(names);
	return status;
}
