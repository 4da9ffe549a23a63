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
#include "timeline/lanes.h"
#include "trace/trace.h"

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

struct chrome_process {
	bool taken;     /* its pid */
	bool described; /* in the file */
	uint32_t pid;   /* in the file */
	uint32_t name;  /* strtab number, as last written */
};

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

/* Opens a row and writes its names. False if out of memory. */
bool chrome_rows_open(struct chrome_rows *rows, uint32_t track, int32_t lane,
	struct chrome_row *row);

/* Likewise, for a part of another row. */
bool chrome_rows_open_part(struct chrome_rows *rows,
	const struct chrome_row *whole, int32_t lane, struct chrome_row *row);

/* Writes the row's names again if the track's or process's name has changed. */
bool chrome_rows_rename(struct chrome_rows *rows, struct chrome_row *row);

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
