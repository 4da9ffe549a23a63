/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads of a Chrome trace, each identified by a number or a
 * text, and the corresponding tracks. Their names may come anywhere in the
 * file, before or after their events.
 */
#ifndef CHROME_READ_ROWS_H
#define CHROME_READ_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_scan.h"
#include "base/strtab.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_args.h"
#include "chrome_read/chrome_read_record.h"

struct chrome_read_row {
	uint32_t process; /* in chrome_read_rows.processes */
	uint32_t track;   /* TRACE_NONE: no events */
	int64_t tid;
	uint32_t name;   /* strtab number; 0: none */
	bool is_part;    /* shares the track of another row */
	bool is_apart;   /* likewise, but its slices do not nest there */
	bool has_stream; /* the name has the stream's number */
	int64_t stream;
	bool has_sort;
	int64_t sort;
	/* The row's previous slice in the file. */
	bool has_slice;
	int64_t start_ns;
	int64_t end_ns;
};

struct chrome_read_process {
	int64_t pid;
	uint32_t name; /* strtab number; 0: none */
	bool has_sort;
	int64_t sort;
	/* The file gives it as this device of that process; 0: not given. */
	uint32_t owner;
	int64_t device;
};

/* A recently used row, by the texts of its pid and tid. */
struct chrome_read_row_lookup {
	struct json_smallstr pid;
	struct json_smallstr tid;
	uint32_t row; /* + 1; 0: none */
};

#define CHROME_READ_ROWS_RECENT 16

struct chrome_read_rows {
	struct trace *trace;
	struct chrome_read_args *args; /* for its scratch space */
	const struct chrome_read_producer *producer;
	struct strtab *pids; /* of processes, as bytes */
	struct strtab *keys; /* of rows, likewise */
	struct chrome_read_process *processes;
	uint32_t process_room;
	struct chrome_read_row *rows;
	uint32_t row_room;
	struct chrome_read_row_lookup recent[CHROME_READ_ROWS_RECENT];
};

/* False if out of memory, as for all below; call chrome_read_rows_clear() in
 * either case. All are borrowed. */
bool chrome_read_rows_init(struct chrome_read_rows *rows, struct trace *trace,
	struct chrome_read_args *args,
	const struct chrome_read_producer *producer);
void chrome_read_rows_clear(struct chrome_read_rows *rows);

/* The row of this pid and tid, which may be missing; NULL if out of memory.
 * Valid until the next call. */
struct chrome_read_row *chrome_read_rows_find(struct chrome_read_rows *rows,
	const struct json_scan *scan, const struct json_token *pid,
	const struct json_token *tid);

/* The row's process; valid until the next row is looked up. */
struct chrome_read_process *chrome_read_rows_process(
	struct chrome_read_rows *rows, const struct chrome_read_row *row);

/* Marks the row's process as this device of the process `pid`. */
bool chrome_read_rows_own(struct chrome_read_rows *rows,
	const struct chrome_read_row *row, int64_t pid, int64_t device);

/* Puts the row's later events on the track of the process's row with this tid;
 * with `apart`, they do not nest there. Rows may move. */
bool chrome_read_rows_join(struct chrome_read_rows *rows,
	const struct chrome_read_row *row, int64_t tid, bool apart);

/* The row's track, created if necessary; TRACE_NONE if out of memory. */
uint32_t chrome_read_rows_track(
	struct chrome_read_rows *rows, struct chrome_read_row *row);

/* Handles an event of phase M with this name, whose arguments were read last:
 * names of processes and threads, and their sort indices. */
bool chrome_read_rows_describe(struct chrome_read_rows *rows,
	struct chrome_read_row *row, const char *name, size_t size);

/* Sets the names of tracks, once all are known. */
void chrome_read_rows_finish(struct chrome_read_rows *rows);

#endif
