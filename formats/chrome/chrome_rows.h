/* SPDX-License-Identifier: MIT */
/*
 * The rows of a Chrome trace: the pid and tid of a track, their names, and
 * their order.
 *
 * Viewers store 32-bit numbers and misinterpret 0 and larger ones; Perfetto
 * names threads by tid alone. So every row has a tid that is unique in the
 * file, and the track's own if possible. A device is a process whose pid is its
 * number, even 0: tools for PyTorch's profiles identify it by that, and no
 * other process has it. Source: Perfetto's json_trace_parser_impl.cc;
 * catapult's trace_event_importer.html; libkineto/src/output_json.cpp.
 */
#ifndef CHROME_ROWS_H
#define CHROME_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "json/json.h"
#include "timeline/json_args.h"
#include "timeline/timeline.h"

/* Arguments of a device's "process_labels": the pid in the file of the process
 * that used it, and its number. */
#define CHROME_ROWS_OWNER "process"
#define CHROME_ROWS_DEVICE "device"

/* Arguments of "thread_name" for further rows of a thread, each with the tid in
 * the file of the main row. The first: this row is a part of that one, and
 * nests in it again when read. The second: this row's slices overlap those of
 * that one and did not nest. */
#define CHROME_ROWS_PART_OF "part_of"
#define CHROME_ROWS_APART_FROM "apart_from"

#define CHROME_PREFIX_ROOM 64
#define CHROME_PREFIX_PHASE 9

struct chrome_row {
	/* `,\n{"ph":"X","pid":1,"tid":2,"ts":` */
	char prefix[CHROME_PREFIX_ROOM];
	uint32_t prefix_size;
	uint32_t pid;
	uint32_t tid;
	uint32_t whole; /* tid of the row that this is a part of */
	bool is_part;
	uint32_t track;
	int32_t lane;  /* or one of the above */
	uint32_t name; /* of the track, as last written */
};

/* An arrow's end, and the number of the arrow. */
struct chrome_flow {
	char phase;
	int64_t time_ns;
	uint64_t id;
};

struct chrome_track {
	struct timeline_track base;
	struct json *json;
	struct json_names *names;
	struct chrome_row row; /* also for events without duration */
	bool row_used;
	struct chrome_row *ranges_row; /* NULL: no range yet; may be &row */
	struct chrome_row **lane_rows; /* by lane; likewise */
	uint32_t lane_room;
	/* See chrome_stack.h. */
	int64_t empty_ns; /* time of the last empty range */
	size_t pending_bytes;
};

struct chrome_process;

struct chrome_rows {
	const struct trace *trace;
	struct json *json;
	struct strtab *processes; /* numbers are indices into `process` + 1 */
	struct chrome_process *process;
	uint32_t process_room;
	struct strtab *pids; /* numbers in use, as bytes */
	struct strtab *tids;
	uint32_t next_id;   /* for rows that cannot keep theirs */
	struct buffer name; /* scratch */
	bool begun;         /* an event has been written */
};

/* False if out of memory; call chrome_rows_clear() in either case. Both are
 * borrowed; events are written to `json`. */
bool chrome_rows_init(
	struct chrome_rows *rows, const struct trace *trace, struct json *json);
void chrome_rows_clear(struct chrome_rows *rows);

/* Opens the track's first row, for its nested ranges, or lane 0 of a device, and
 * writes its names. False if out of memory. */
bool chrome_rows_open(struct chrome_rows *rows, struct chrome_track *track);

/* Opens the row for nested ranges, unless it is open; likewise. */
bool chrome_rows_open_ranges(
	struct chrome_rows *rows, struct chrome_track *track);

/* The row of the slice's lane, opened if new; NULL if out of memory. */
const struct chrome_row *chrome_rows_find(struct chrome_rows *rows,
	struct chrome_track *track, const struct event *slice, int32_t lane);

/* Writes again the names of the track that became known after its rows were
 * opened. False if out of memory. */
bool chrome_rows_rename(struct chrome_rows *rows, struct chrome_track *track);

void chrome_rows_clear_track(struct timeline_track *track);

/* Writes one end of an arrow, 's' or 'f', in the slice that begins at that
 * time. */
void chrome_row_write_flow(struct json *json, const struct chrome_row *row,
	struct chrome_flow flow);

/* Starts an event of kind `phase` at `at`, which needs CHROME_PREFIX_ROOM +
 * JSON_NUMBER_MAX bytes: `,\n{"ph":"X","pid":1,"tid":2,"ts":3.000` */
static inline char *chrome_row_put(
	const struct chrome_row *row, char *at, char phase, int64_t time_ns)
{
	memcpy(at, row->prefix, CHROME_PREFIX_ROOM);
	at[CHROME_PREFIX_PHASE] = phase;
	return json_put_us(at + row->prefix_size, time_ns);
}

#endif
