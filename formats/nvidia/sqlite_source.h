/* SPDX-License-Identifier: MIT */
/*
 * Events from the tables of a database: each table is asked for its rows in
 * the order of time, by SQLite, which sorts in bounded memory; here they are
 * merged, and slices, which have a begin and an end in one row, become ranges.
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

/* What a row becomes. A slice is an EVENT_BEGIN with `end_ns`; if it has an
 * id, that is of the calls of a device's API, and is made known. */
struct sqlite_row {
	struct event event; /* EVENT_KINDS: nothing */
	int64_t end_ns;
	struct event_arg args[SQLITE_ARGS_MAX];
	char lists[SQLITE_LISTS_MAX][SQLITE_LIST_ROOM];
	uint32_t list_count;
	bool failed; /* out of memory */
};

/* The first two columns of a query: by which it is sorted first. */
enum sqlite_times {
	SQLITE_START_END, /* of slices; and of what has an end */
	SQLITE_START,     /* there need be no end */
	SQLITE_END_START, /* of what is to come at its end */
};

struct sqlite_query {
	const char *table;
	enum sqlite_times times;
	/* Makes an event of the statement's row; kind and times are set. False
	 * if the row makes no sense. */
	bool (*take)(struct sqlite_source *source,
		const struct sqlite_query *query, struct sqlite_row *row);
	uint32_t category; /* the reader's own use */
	sqlite3_stmt *statement;
	int64_t time_ns; /* of the row at hand */
	int64_t other_ns;
	bool has_row;
	bool has_other;
	bool is_unknown; /* its times are none */
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
	struct event_source source; /* first: it is what callers hold */
	struct sqlite_input input;
	struct sqlite_query *queries;
	uint32_t query_count;
	uint32_t current; /* query whose row is at hand */
	struct sqlite_row row;
	bool has_row;
	uint64_t correlation; /* of the range just begun; 0: none */
	uint64_t rows;        /* events found */
	int64_t base_ns;      /* taken off all times */
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
	int64_t pid;          /* of activities that have none */
	uint32_t memory_base; /* its kinds of memory less CUPTI's */
	bool (*add_device)(struct sqlite_source *source, int64_t pid,
		uint32_t number); /* tells of a device that is met first */
	bool zero_is_unknown;     /* in the times of activities */
	int64_t machine;          /* of the first process */
	bool has_machine;
	struct demangler demangler;
};

/* What distinguishes a track from others. */
struct sqlite_track {
	enum trace_track_kind kind;
	int64_t pid;
	int64_t tid;
	uint32_t device;
	uint32_t context;
};

/* A source of what the stream holds, with no queries yet. Errors: as of
 * sqlite_input_open(). Nothing is open then. */
enum ctp_status sqlite_source_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct sqlite_source **out,
	struct ctp_error *err);
void sqlite_source_close(struct event_source *source);

/* Adds a question about a table; nothing if there is no such table, or if it
 * lacks the first of the columns. Errors: CTP_ERR_NOMEM. */
enum ctp_status sqlite_source_ask(struct sqlite_source *source,
	const struct sqlite_query *query, const struct sqlite_select *select,
	struct ctp_error *err);

/* The trace's track, made if it is new; TRACE_NONE if out of memory. */
uint32_t sqlite_source_track(
	struct sqlite_source *source, const struct sqlite_track *track);

/* Names that tables give by number: of processes, threads, and so on. */
enum sqlite_label {
	SQLITE_LABEL_PROCESS, /* by pid */
	SQLITE_LABEL_THREAD,  /* by pid and tid */
	SQLITE_LABEL_DOMAIN,  /* of NVTX, by pid and its number */
};

/* Remembers a text, a number of the trace's strtab; false if out of memory. */
bool sqlite_source_label(struct sqlite_source *source, enum sqlite_label what,
	const int64_t *by, uint32_t text);

/* Such a text; 0 if there is none. */
uint32_t sqlite_source_label_of(struct sqlite_source *source,
	enum sqlite_label what, const int64_t *by);

/* How a name is to be shown. */
enum sqlite_name {
	SQLITE_NAME_PLAIN,
	SQLITE_NAME_CALL,   /* "cudaMalloc_v3020" is "cudaMalloc" */
	SQLITE_NAME_KERNEL, /* as --names asks for */
};

/* The site with this name from the table of strings, which is asked once; or
 * with this text. TRACE_NONE if out of memory. */
uint32_t sqlite_source_site(struct sqlite_source *source, enum sqlite_name how,
	uint32_t category, int64_t name);
uint32_t sqlite_source_text_site(struct sqlite_source *source,
	uint32_t category, const char *text, size_t size);

/* The text with this number in the table of strings, as one of the trace; 0 if
 * there is none, STRTAB_NONE if out of memory. */
uint32_t sqlite_source_name(struct sqlite_source *source, int64_t name);

/* The number of a text in the trace; STRTAB_NONE if out of memory. */
uint32_t sqlite_source_key(struct sqlite_source *source, const char *text);

/* Arguments of the row at hand; text that is NULL is left out. */
void sqlite_row_add_int(
	struct sqlite_source *source, const char *key, int64_t value);
void sqlite_row_add_text(struct sqlite_source *source, const char *key,
	const char *text, size_t size);
void sqlite_row_add_double(
	struct sqlite_source *source, const char *key, double value);

/* Three numbers as a list; nothing if all are 0. */
void sqlite_row_add_triple(
	struct sqlite_source *source, const char *key, const int64_t *values);

/*
 * Calls `see` (may be NULL) for each table, by name; then counts what is in
 * those that have events and no query. The name given stays.
 *
 * Errors: CTP_ERR_NOMEM; those of `see`.
 */
enum ctp_status sqlite_source_tables(struct sqlite_source *source,
	enum ctp_status (*see)(struct sqlite_source *source, const char *table,
		struct ctp_error *err),
	struct ctp_error *err);

#endif
