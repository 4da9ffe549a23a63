/* SPDX-License-Identifier: MIT */
#include "nvidia/sqlite_source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Unknown end: the range stays open. */
#define NO_END INT64_MAX
#define NAME_SHOWN 64

static struct sqlite_source *source_of(struct event_source *source)
{
	return (struct sqlite_source *)source;
}

/* Stops reading a damaged table; the others are read. */
static enum ctp_status end_query(struct sqlite_source *source,
	struct sqlite_query *query, const struct ctp_error *why,
	struct ctp_error *err)
{
	struct trace *trace = source->source.trace;
	char text[sizeof(why->message) + 64];

	query->over = true;
	(void)snprintf(
		text, sizeof(text), "%.60s: %s", query->table, why->message);
	trace_lose(trace, LOSS_TRUNCATED, 1);
	return trace_add_fact(trace, "damage", text) ? CTP_OK
						     : ctp_no_memory(err);
}

/* Did the driver not know the time? */
static bool is_unknown(
	const struct sqlite_source *source, const struct sqlite_query *query)
{
	return source->zero_is_unknown && query->times == SQLITE_END_START &&
	       query->has_other &&
	       (query->time_ns == 0 || query->other_ns == 0);
}

/* Reads the current row's times; false if the query needs one that is
 * missing. */
static bool read_times(struct sqlite_source *source, struct sqlite_query *query)
{
	query->has_other =
		sqlite_input_int(query->statement, 1, &query->other_ns);
	if (!sqlite_input_int(query->statement, 0, &query->time_ns) ||
		(!query->has_other && query->times != SQLITE_START))
		return false;
	query->is_unknown = is_unknown(source, query);
	if (query->is_unknown)
		return true;
	if (__builtin_sub_overflow(
		    query->time_ns, source->base_ns, &query->time_ns))
		return false;
	return !query->has_other || !__builtin_sub_overflow(query->other_ns,
					    source->base_ns, &query->other_ns);
}

/* Loads the next row with times, if any. */
static enum ctp_status load(struct sqlite_source *source,
	struct sqlite_query *query, struct ctp_error *err)
{
	struct trace *trace = source->source.trace;
	struct ctp_error why;

	while (!query->over && !query->has_row) {
		enum ctp_status status = sqlite_input_step(
			&source->input, query->statement, &why);

		if (status == CTP_END)
			query->over = true;
		else if (status == CTP_ERR_FORMAT)
			status = end_query(source, query, &why, err);
		else if (status != CTP_OK && err != NULL)
			*err = why;
		if (status < 0)
			return status;
		if (query->over)
			break;
		query->has_row = read_times(source, query);
		if (!query->has_row)
			trace_lose(trace, LOSS_BAD_EVENTS, 1);
		else if (query->is_unknown) {
			query->has_row = false;
			trace_lose(trace, LOSS_DEVICE_TIMES, 1);
		}
	}
	return CTP_OK;
}

/* At the same start, the longer row contains the shorter. */
static bool is_before(
	const struct sqlite_query *one, const struct sqlite_query *other)
{
	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns;
	return one->times == SQLITE_START_END &&
	       other->times == SQLITE_START_END &&
	       one->other_ns > other->other_ns;
}

/* Finds the query with the earliest row. CTP_END if there is none. */
static enum ctp_status choose(
	struct sqlite_source *source, struct ctp_error *err)
{
	bool found = false;

	for (uint32_t i = 0; i < source->query_count; i++) {
		enum ctp_status status = load(source, &source->queries[i], err);

		if (status != CTP_OK)
			return status;
		if (!source->queries[i].has_row)
			continue;
		if (!found || is_before(&source->queries[i],
				      &source->queries[source->current]))
			source->current = i;
		found = true;
	}
	return found ? CTP_OK : CTP_END;
}

static void set_times(const struct sqlite_query *query, struct sqlite_row *row)
{
	bool by_end = query->times == SQLITE_END_START;

	row->event.time_ns = by_end ? query->other_ns : query->time_ns;
	row->end_ns = by_end ? query->time_ns : query->other_ns;
	if (!query->has_other)
		row->end_ns = NO_END;
	if (query->has_other)
		row->event.dur_ns =
			(uint64_t)row->end_ns - (uint64_t)row->event.time_ns;
}

static void extend_times(struct trace *trace, const struct sqlite_row *row)
{
	int64_t end_ns =
		row->end_ns == NO_END ? row->event.time_ns : row->end_ns;

	if (row->event.time_ns < trace->start_ns)
		trace->start_ns = row->event.time_ns;
	if (end_ns > trace->end_ns)
		trace->end_ns = end_ns;
}

/* Makes the next event from a row. */
static enum ctp_status read_row(
	struct sqlite_source *source, struct ctp_error *err)
{
	struct trace *trace = source->source.trace;
	struct sqlite_row *row = &source->row;

	for (;;) {
		enum ctp_status status = choose(source, err);
		struct sqlite_query *query;

		if (status != CTP_OK)
			return status;
		query = &source->queries[source->current];
		query->has_row = false;
		row->event = (struct event){
			.kind = EVENT_KINDS, .site = TRACE_NONE, .device = -1};
		row->list_count = 0;
		set_times(query, row);
		if (row->end_ns < row->event.time_ns ||
			!query->read(source, query, row)) {
			trace_lose(trace, LOSS_BAD_EVENTS, 1);
			row->event.kind = EVENT_KINDS;
		}
		if (row->failed)
			return ctp_no_memory(err);
		if (row->event.kind != EVENT_KINDS)
			break;
	}
	row->event.args = row->args;
	if (source->rows++ == 0)
		trace->start_ns = row->event.time_ns;
	extend_times(trace, row);
	source->has_row = true;
	return CTP_OK;
}

static struct sqlite_stack *stack_of(
	struct sqlite_source *source, const struct event *event)
{
	/* Tracks are created only here, in the order of the stacks. */
	return &source->stacks[event->track];
}

static bool push(struct sqlite_stack *stack, int64_t end_ns)
{
	if (!array_reserve32(&stack->ends_ns, stack->depth, &stack->room,
		    sizeof(*stack->ends_ns)))
		return false;
	stack->ends_ns[stack->depth++] = end_ns;
	return true;
}

static void pop(struct sqlite_stack *stack, struct event *event)
{
	*event = (struct event){.kind = EVENT_END,
		.track = stack->track,
		.site = TRACE_NONE,
		.device = -1,
		.time_ns = stack->ends_ns[--stack->depth]};
}

/* Emits the range's begin; a slice that crosses the end of the enclosing range
 * becomes an EVENT_COMPLETE. */
static bool begin(struct sqlite_source *source, struct sqlite_stack *stack,
	struct event *event)
{
	struct sqlite_row *row = &source->row;
	bool is_inside = stack->depth > 0;
	int64_t around_ns =
		is_inside ? stack->ends_ns[stack->depth - 1] : NO_END;

	*event = row->event;
	source->has_row = false;
	if (row->end_ns == NO_END && around_ns != NO_END) {
		trace_lose(source->source.trace, LOSS_OPEN_RANGES, 1);
		row->end_ns = around_ns;
	}
	if (row->end_ns > around_ns) {
		event->kind = EVENT_COMPLETE;
		event->id = 0;
		return true;
	}
	source->correlation = event->id;
	event->id = 0;
	event->dur_ns = 0;
	return push(stack, row->end_ns);
}

/* Ends the ranges still open at the end, track by track. */
static bool flush(struct sqlite_source *source, struct event *event)
{
	for (; source->flushed < source->stack_count; source->flushed++) {
		struct sqlite_stack *stack = &source->stacks[source->flushed];

		if (stack->depth == 0 ||
			stack->ends_ns[stack->depth - 1] == NO_END)
			continue;
		pop(stack, event);
		return true;
	}
	return false;
}

/* Fails if there was only damage. */
static enum ctp_status end(struct sqlite_source *source, struct event *event,
	struct ctp_error *err)
{
	const struct trace *trace = source->source.trace;
	enum ctp_status status = sqlite_input_check(&source->input, err);

	if (status != CTP_OK)
		return status;
	if (flush(source, event))
		return CTP_OK;
	if (source->rows == 0 && trace->losses[LOSS_TRUNCATED] > 0)
		return ctp_fail(err, CTP_ERR_FORMAT, "is damaged: %.200s",
			trace_find_fact(trace, "damage"));
	return CTP_END;
}

static enum ctp_status next(
	struct event_source *base, struct event *event, struct ctp_error *err)
{
	struct sqlite_source *source = source_of(base);
	struct event *found = &source->row.event;
	struct sqlite_stack *stack;
	enum ctp_status status = CTP_OK;

	if (source->correlation != 0) {
		*event = (struct event){.kind = EVENT_CORRELATION,
			.track = found->track,
			.site = TRACE_NONE,
			.device = -1,
			.time_ns = found->time_ns,
			.id = source->correlation};
		source->correlation = 0;
		return CTP_OK;
	}
	if (!source->has_row)
		status = read_row(source, err);
	if (status == CTP_END)
		return end(source, event, err);
	if (status != CTP_OK)
		return status;
	stack = stack_of(source, found);
	if (found->kind != EVENT_ACTIVITY && stack->depth > 0 &&
		stack->ends_ns[stack->depth - 1] <= found->time_ns) {
		pop(stack, event);
		return CTP_OK;
	}
	if (found->kind == EVENT_BEGIN)
		return begin(source, stack, event) ? CTP_OK
						   : ctp_no_memory(err);
	*event = *found;
	source->has_row = false;
	return CTP_OK;
}

static uint64_t position(const struct event_source *base)
{
	/* Unknown: pages are read in any order. */
	(void)base;
	return 0;
}

void sqlite_source_close(struct event_source *base)
{
	struct sqlite_source *source = source_of(base);

	for (uint32_t i = 0; i < source->query_count; i++)
		(void)sqlite3_finalize(source->queries[i].statement);
	memory_free(source->queries);
	for (uint32_t i = 0; i < source->stack_count; i++)
		memory_free(source->stacks[i].ends_ns);
	memory_free(source->stacks);
	memory_free(source->name_sites);
	memory_free(source->label_texts);
	strtab_free(source->track_keys);
	strtab_free(source->name_keys);
	strtab_free(source->label_keys);
	demangler_clear(&source->demangler);
	(void)sqlite3_finalize(source->find_name);
	sqlite_input_close(&source->input);
	trace_free(base->trace);
	memory_free(source);
}

enum ctp_status sqlite_source_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct sqlite_source **out,
	struct ctp_error *err)
{
	struct sqlite_source *source = memory_new_zeroed(1, sizeof(*source));
	enum ctp_status status = CTP_OK;

	if (source == NULL)
		return ctp_no_memory(err);
	source->input.copy = TEMP_FILE_NONE;
	source->source = (struct event_source){.trace = trace_new(request),
		.next = next,
		.position = position,
		.close = sqlite_source_close};
	source->track_keys = strtab_new();
	source->name_keys = strtab_new();
	source->label_keys = strtab_new();
	if (source->source.trace == NULL || source->track_keys == NULL ||
		source->name_keys == NULL || source->label_keys == NULL)
		status = ctp_no_memory(err);
	if (status == CTP_OK)
		status = sqlite_input_open(
			&source->input, in, head, head_size, err);
	if (status != CTP_OK) {
		sqlite_source_close(&source->source);
		return status;
	}
	*out = source;
	return CTP_OK;
}

enum ctp_status sqlite_source_add_query(struct sqlite_source *source,
	const struct sqlite_query *query, const struct sqlite_select *select,
	struct ctp_error *err)
{
	struct sqlite_query *queries;
	struct sqlite_query *added;
	struct ctp_error why;
	enum ctp_status status;

	for (size_t i = 0; i < (select->sql == NULL ? 1 : select->column_count);
		i++)
		if (!sqlite_input_has(
			    &source->input, select->table, select->columns[i]))
			return CTP_OK;
	queries = memory_resize_array(
		source->queries, source->query_count + 1, sizeof(*queries));
	if (queries == NULL)
		return ctp_no_memory(err);
	source->queries = queries;
	added = &queries[source->query_count++];
	*added = *query;
	added->table = select->table;
	status = sqlite_input_select(
		&source->input, select, &added->statement, &why);
	if (status == CTP_ERR_FORMAT)
		return end_query(source, added, &why, err);
	if (status != CTP_OK && err != NULL)
		*err = why;
	return status;
}

/* Does the table have events that no query reads? The profiler's own messages
 * are not events. */
static bool is_unread(struct sqlite_source *source, const char *table)
{
	for (uint32_t i = 0; i < source->query_count; i++)
		if (strcmp(source->queries[i].table, table) == 0)
			return false;
	return strcmp(table, "DIAGNOSTIC_EVENT") != 0 &&
	       (sqlite_input_has(&source->input, table, "start") ||
		       sqlite_input_has(&source->input, table, "timestamp"));
}

/* An unread table is a loss unless it is empty. */
static bool count_unread(struct sqlite_source *source, const char *table)
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

enum ctp_status sqlite_source_tables(struct sqlite_source *source,
	enum ctp_status (*visit)(struct sqlite_source *source,
		const char *table, struct ctp_error *err),
	struct ctp_error *err)
{
	struct trace *trace = source->source.trace;
	sqlite3_stmt *names = NULL;
	enum ctp_status status = CTP_OK;

	if (sqlite3_prepare_v2(source->input.db,
		    "SELECT name FROM sqlite_master WHERE type = 'table' "
		    "AND rootpage > 0 ORDER BY 1",
		    -1, &names, NULL) != SQLITE_OK)
		return ctp_no_memory(err);
	while (status == CTP_OK && sqlite3_step(names) == SQLITE_ROW) {
		size_t size = 0;
		const char *name = sqlite_input_text(names, 0, &size);
		uint32_t text = STRTAB_NONE;

		if (name != NULL)
			text = strtab_add(trace->text, name, size);
		if (text == STRTAB_NONE) {
			status = ctp_no_memory(err);
			break;
		}
		name = strtab_text(trace->text, text, NULL);
		if (visit != NULL)
			status = visit(source, name, err);
		if (status == CTP_OK && is_unread(source, name) &&
			!count_unread(source, name))
			status = ctp_no_memory(err);
	}
	(void)sqlite3_finalize(names);
	return status;
}

/* Devices. */

#define UUID_BYTES 16
#define UUID_ROOM 40

/* Collected arguments. */
struct gathered {
	struct event_arg args[SQLITE_PROPERTIES_MAX + 1];
	uint32_t count;
	char uuid[UUID_ROOM];
};

/* In the form of NVIDIA's tools. */
static bool format_uuid(sqlite3_stmt *row, int column, char *out)
{
	const uint8_t *bytes = sqlite3_column_blob(row, column);
	size_t at = 0;

	if (bytes == NULL || sqlite3_column_bytes(row, column) != UUID_BYTES)
		return false;
	for (int i = 0; i < UUID_BYTES; i++)
		at += (size_t)snprintf(out + at, UUID_ROOM - at, "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			bytes[i]);
	return true;
}

/* False if there is no value. */
static bool set_value(struct sqlite_source *source, sqlite3_stmt *row,
	int column, const struct sqlite_property *property, struct gathered *to)
{
	struct event_arg *arg = &to->args[to->count];
	const char *text = NULL;
	size_t size = 0;
	int64_t value;

	switch (property->kind) {
	case SQLITE_PROPERTY_NUMBER:
		arg->kind = ARG_INT;
		if (!sqlite_input_int(row, column, &value) ||
			__builtin_mul_overflow(value, property->times, &value))
			return false;
		arg->value.integer = value / property->per;
		return true;
	case SQLITE_PROPERTY_TEXT:
		text = sqlite_input_text(row, column, &size);
		break;
	case SQLITE_PROPERTY_NAME:
		if (sqlite_input_int(row, column, &value))
			text = strtab_text(source->source.trace->text,
				sqlite_source_name(source, value), &size);
		break;
	case SQLITE_PROPERTY_UUID:
		if (format_uuid(row, column, to->uuid))
			text = to->uuid;
		size = text == NULL ? 0 : strlen(text);
		break;
	}
	arg->kind = ARG_TEXT;
	arg->value.text.bytes = text;
	arg->value.text.size = size;
	return size != 0;
}

static bool set_key(
	struct sqlite_source *source, struct gathered *to, const char *key)
{
	uint32_t number = sqlite_source_key(source, key);

	to->args[to->count++].key = number;
	return number != STRTAB_NONE;
}

/* A number among the collected arguments; 0 if missing. */
static int64_t find_number(const struct sqlite_source *source,
	const struct gathered *in, const char *key)
{
	for (uint32_t i = 0; i < in->count; i++)
		if (in->args[i].kind == ARG_INT &&
			strcmp(strtab_text(source->source.trace->text,
				       in->args[i].key, NULL),
				key) == 0)
			return in->args[i].value.integer;
	return 0;
}

bool sqlite_source_device(struct sqlite_source *source, sqlite3_stmt *row,
	const struct sqlite_property *properties, size_t count,
	struct trace_device device)
{
	struct gathered gathered = {.count = 0};
	int64_t threads;

	assert(count <= SQLITE_PROPERTIES_MAX);
	for (size_t i = 0; i < count; i++)
		if (set_value(source, row, (int)i, &properties[i], &gathered) &&
			!set_key(source, &gathered, properties[i].key))
			return false;
	if (!__builtin_mul_overflow(
		    find_number(source, &gathered, "maxWarpsPerMultiprocessor"),
		    find_number(source, &gathered, "warpSize"), &threads) &&
		threads != 0) {
		gathered.args[gathered.count].kind = ARG_INT;
		gathered.args[gathered.count].value.integer = threads;
		if (!set_key(source, &gathered, "maxThreadsPerMultiprocessor"))
			return false;
	}
	device.args = gathered.args;
	device.arg_count = gathered.count;
	return trace_add_device(source->source.trace, &device) != TRACE_NONE;
}
