/* SPDX-License-Identifier: MIT */
/*
 * Events from the tables of a database: SQLite sorts the rows of each table by
 * time, in bounded memory. We merge them and turn slices, which have begin and
 * end in one row, into ranges.
 */
#ifndef SQLITE_SOURCE_H
#define SQLITE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "names/demangle.h"
#include "trace/event.h"
#include "nvidia/sqlite_input.h"

#define SQLITE_ARGS_MAX 24
#define SQLITE_LISTS_MAX 3
#define SQLITE_LIST_ROOM 72

struct sqlite_source;

/* The event of a row. A slice is an EVENT_BEGIN with `end_ns`. If it has an id,
 * it is a device API call, and an EVENT_CORRELATION follows. */
struct sqlite_row {
	struct event event; /* EVENT_KINDS: nothing */
	int64_t end_ns;
	struct event_arg args[SQLITE_ARGS_MAX];
	char lists[SQLITE_LISTS_MAX][SQLITE_LIST_ROOM];
	uint32_t list_count;
	bool failed; /* out of memory */
};

/* The first two columns of a query; the first is its sort key. */
enum sqlite_times {
	SQLITE_START_END, /* slices and other rows with an end */
	SQLITE_START,     /* the end is optional */
	SQLITE_END_START, /* rows ordered by their end */
};

struct sqlite_query {
	const char *table;
	enum sqlite_times times;
	/* Makes an event from the statement's row; kind and times are set.
	 * False if the row is invalid. */
	bool (*read)(struct sqlite_source *source,
		const struct sqlite_query *query, struct sqlite_row *row);
	uint32_t category; /* the reader's own use */
	sqlite3_stmt *statement;
	int64_t time_ns; /* of the current row */
	int64_t other_ns;
	bool has_row;
	bool has_other;
	bool is_unknown; /* without valid times */
	bool over;
};

/* Ends of the ranges that are open on a track. */
struct sqlite_stack {
	uint32_t track; /* of the trace */
	uint32_t depth;
	uint32_t room;
	int64_t *ends_ns;
};

struct sqlite_source {
	struct event_source source; /* first: callers hold a pointer to it */
	struct sqlite_input input;
	struct sqlite_query *queries;
	uint32_t query_count;
	uint32_t current; /* query of the current row */
	struct sqlite_row row;
	bool has_row;
	uint64_t correlation; /* of the range just begun; 0: none */
	uint64_t rows;        /* events found */
	int64_t base_ns;      /* subtracted from all times */
	struct strtab *track_keys;
	struct sqlite_stack *stacks;
	uint32_t stack_count;
	uint32_t flushed;
	struct strtab *name_keys;
	uint32_t *name_sites;
	struct strtab *label_keys;
	uint32_t *label_texts;
	sqlite3_stmt *find_name; /* ?1 is its number */
	/* The reader's own: */
	int64_t pid;          /* of activities without one */
	uint32_t memory_base; /* CUPTI's memory kinds minus its own */
	bool (*add_device)(struct sqlite_source *source, int64_t pid,
		uint32_t number); /* adds a device at its first use */
	bool zero_is_unknown;     /* for times of activities */
	int64_t machine;          /* of the first process */
	bool has_machine;
	struct demangler demangler;
};

/* The key of a track. */
struct sqlite_track {
	enum trace_track_kind kind;
	int64_t pid;
	int64_t tid;
	uint32_t device;
	uint32_t context;
};

/* Opens a source on the stream, without queries. Errors: those of
 * sqlite_input_open(). Nothing is open then. */
enum ctp_status sqlite_source_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct sqlite_source **out,
	struct ctp_error *err);
void sqlite_source_close(struct event_source *source);

/* Adds a query of a table; nothing if the table or its first column is missing.
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status sqlite_source_add_query(struct sqlite_source *source,
	const struct sqlite_query *query, const struct sqlite_select *select,
	struct ctp_error *err);

/* The trace's track, created if new; TRACE_NONE if out of memory. */
uint32_t sqlite_source_track(
	struct sqlite_source *source, const struct sqlite_track *track);

/* Names of numbered things in tables: processes, threads, and so on. */
enum sqlite_label {
	SQLITE_LABEL_PROCESS, /* by pid */
	SQLITE_LABEL_THREAD,  /* by pid and tid */
	SQLITE_LABEL_DOMAIN,  /* NVTX domain, by pid and number */
};

/* Stores a text, a number of the trace's strtab; false if out of memory. */
bool sqlite_source_label(struct sqlite_source *source, enum sqlite_label what,
	const int64_t *by, uint32_t text);

/* The label's text; 0 if there is none. */
uint32_t sqlite_source_label_of(struct sqlite_source *source,
	enum sqlite_label what, const int64_t *by);

/* The style of a name. */
enum sqlite_name {
	SQLITE_NAME_PLAIN,
	SQLITE_NAME_CALL,   /* "cudaMalloc_v3020" is "cudaMalloc" */
	SQLITE_NAME_KERNEL, /* as in --names */
};

/* The site with this name from the string table, looked up once, or with this
 * text. TRACE_NONE if out of memory. */
uint32_t sqlite_source_site(struct sqlite_source *source, enum sqlite_name how,
	uint32_t category, int64_t name);
uint32_t sqlite_source_text_site(struct sqlite_source *source,
	uint32_t category, const char *text, size_t size);

/* The text with this number in the string table, as a text of the trace; 0 if
 * there is none, STRTAB_NONE if out of memory. */
uint32_t sqlite_source_name(struct sqlite_source *source, int64_t name);

/* The number of a text in the trace; STRTAB_NONE if out of memory. */
uint32_t sqlite_source_key(struct sqlite_source *source, const char *text);

/* Add an argument to the current row; NULL text is left out. */
void sqlite_row_add_int(
	struct sqlite_source *source, const char *key, int64_t value);
void sqlite_row_add_text(struct sqlite_source *source, const char *key,
	const char *text, size_t size);
void sqlite_row_add_double(
	struct sqlite_source *source, const char *key, double value);

/* Adds three numbers as a list; nothing if all are 0. */
void sqlite_row_add_triple(
	struct sqlite_source *source, const char *key, const int64_t *values);

/*
 * Calls `visit` (may be NULL) for each table, by name; then counts the unread
 * tables with events. The name stays valid.
 *
 * Errors: CTP_ERR_NOMEM; those of `visit`.
 */
enum ctp_status sqlite_source_tables(struct sqlite_source *source,
	enum ctp_status (*visit)(struct sqlite_source *source,
		const char *table, struct ctp_error *err),
	struct ctp_error *err);

/* Properties of devices from a table's row, under PyTorch profiler's names. */
enum sqlite_property_kind {
	SQLITE_PROPERTY_NUMBER, /* multiplied and divided */
	SQLITE_PROPERTY_TEXT,
	SQLITE_PROPERTY_NAME, /* index into the string table */
	SQLITE_PROPERTY_UUID, /* sixteen bytes */
};

struct sqlite_property {
	const char *column;
	const char *key;
	enum sqlite_property_kind kind;
	int64_t times, per; /* the column's unit in our unit */
};

#define SQLITE_PROPERTIES_MAX 24

/*
 * Adds device `number` from a row whose columns are `properties`, in order.
 * False if out of memory.
 */
bool sqlite_source_device(struct sqlite_source *source, sqlite3_stmt *row,
	const struct sqlite_property *properties, size_t count,
	struct trace_device device);

#endif
