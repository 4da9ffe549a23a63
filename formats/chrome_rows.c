/* SPDX-License-Identifier: MIT */
#include "chrome_rows.h"

#include <assert.h>

#include "lanes.h"
#include "memory.h"

/* Above what systems give to threads (2^22), and easy to tell from those. */
#define FIRST_OWN_ID UINT32_C(1000000001)

/* Devices are shown below the processes. */
#define DEVICE_SORT_INDEX 1000000

bool chrome_rows_init(
	struct chrome_rows *rows, const struct trace *trace, struct json *json)
{
	*rows = (struct chrome_rows){
		.trace = trace, .json = json, .next_id = FIRST_OWN_ID};
	rows->processes = strtab_new();
	rows->pids = strtab_new();
	rows->tids = strtab_new();
	return rows->processes != NULL && rows->pids != NULL &&
	       rows->tids != NULL;
}

void chrome_rows_clear(struct chrome_rows *rows)
{
	strtab_free(rows->processes);
	strtab_free(rows->pids);
	strtab_free(rows->tids);
	memory_free(rows->process);
	buffer_clear(&rows->name);
}

/* Adds a number to a set; *is_new says whether it was not there. */
static bool take(struct strtab *set, uint32_t number, bool *is_new)
{
	uint32_t count = strtab_count(set);

	if (strtab_add(set, (const char *)&number, sizeof(number)) ==
		STRTAB_NONE)
		return false;
	*is_new = strtab_count(set) > count;
	return true;
}

/* A number for the file: `wish` if that can be. */
static bool choose(struct chrome_rows *rows, struct strtab *set, int64_t wish,
	uint32_t *out)
{
	bool is_new = false;

	if (wish > 0 && wish <= (int64_t)UINT32_MAX) {
		*out = (uint32_t)wish;
		if (!take(set, *out, &is_new))
			return false;
	}
	while (!is_new) {
		*out = rows->next_id++;
		if (!take(set, *out, &is_new))
			return false;
	}
	return true;
}

/* Begins a metadata event up to where the value of its argument goes. */
static struct json *begin_metadata(struct chrome_rows *rows,
	const struct chrome_row *row, const char *name, const char *key)
{
	struct json *json = rows->json;

	json_raw_text(json, rows->begun ? ",\n" : "\n");
	rows->begun = true;
	json->comma = false;
	json_begin(json, '{');
	json_key(json, "ph");
	json_text(json, "M");
	json_key(json, "name");
	json_text(json, name);
	json_key(json, "pid");
	json_uint(json, row->pid);
	json_key(json, "tid");
	json_uint(json, row->tid);
	json_key(json, "ts");
	json_uint(json, 0);
	json_key(json, "args");
	json_begin(json, '{');
	json_key(json, key);
	return json;
}

static void end_metadata(struct json *json)
{
	json_end(json, '}');
	json_end(json, '}');
}

static void write_index(struct chrome_rows *rows, const struct chrome_row *row,
	const char *name, int64_t index)
{
	struct json *json = begin_metadata(rows, row, name, "sort_index");

	json_int(json, index);
	end_metadata(json);
}

/* Writes what has been put into rows->name. */
static bool write_name(struct chrome_rows *rows, const struct chrome_row *row,
	const char *name)
{
	struct json *json;

	if (rows->name.failed)
		return false;
	json = begin_metadata(rows, row, name, "name");
	json_text_sized(json, (const char *)rows->name.bytes, rows->name.used);
	end_metadata(json);
	return true;
}

static void name_number(struct chrome_rows *rows, const char *text, int64_t id)
{
	char number[JSON_NUMBER_MAX];

	buffer_add_text(&rows->name, text);
	buffer_add(&rows->name, number,
		(size_t)(json_put_int(number, id) - number));
}

static void name_text(struct chrome_rows *rows, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(rows->trace->text, number, &size);

	buffer_add(&rows->name, bytes, size);
}

static bool write_process_name(
	struct chrome_rows *rows, const struct chrome_row *row)
{
	const struct trace_track *track = &rows->trace->tracks[row->track];

	rows->name.used = 0;
	if (track->process_name != 0)
		name_text(rows, track->process_name);
	else
		name_number(rows,
			track->kind == TRACE_STREAM ? "device " : "process ",
			track->pid);
	return write_name(rows, row, "process_name");
}

static bool write_thread_name(
	struct chrome_rows *rows, const struct chrome_row *row)
{
	const struct trace_track *track = &rows->trace->tracks[row->track];

	rows->name.used = 0;
	if (track->name != 0)
		name_text(rows, track->name);
	else
		name_number(rows,
			track->kind == TRACE_STREAM ? "stream " : "thread ",
			track->tid);
	if (track->kind == TRACE_TIMELINE)
		buffer_add_text(&rows->name, " (timeline)");
	if (row->lane == CHROME_ROW_RANGES)
		buffer_add_text(&rows->name, " (ranges)");
	if (row->lane >= 0) {
		name_number(rows, " (lane ", row->lane + 1);
		buffer_add_text(&rows->name, ")");
	}
	return write_name(rows, row, "thread_name");
}

/* The entry of the track's process, made if it is new; NULL if out of memory.
 * Devices and processes are numbered independently. */
static struct chrome_process *find_process(
	struct chrome_rows *rows, const struct trace_track *track, bool *is_new)
{
	int64_t key[2] = {track->kind == TRACE_STREAM, track->pid};
	uint32_t number =
		strtab_add(rows->processes, (const char *)key, sizeof(key));
	struct chrome_process *process;

	if (number == STRTAB_NONE)
		return NULL;
	*is_new = number > rows->process_room ||
		  rows->process[number - 1].pid == 0;
	if (number > rows->process_room) {
		process = memory_resize(
			rows->process, number * 2 * sizeof(*process));
		if (process == NULL)
			return NULL;
		memset(process + rows->process_room, 0,
			(number * 2 - rows->process_room) * sizeof(*process));
		rows->process = process;
		rows->process_room = number * 2;
	}
	process = &rows->process[number - 1];
	if (*is_new && !choose(rows, rows->pids, track->pid, &process->pid))
		return NULL;
	return process;
}

static bool open_process(struct chrome_rows *rows, struct chrome_row *row)
{
	const struct trace_track *track = &rows->trace->tracks[row->track];
	struct chrome_process *process;
	bool is_new;
	int64_t index;

	process = find_process(rows, track, &is_new);
	if (process == NULL)
		return false;
	row->pid = process->pid;
	if (!is_new && (track->process_name == 0 ||
			       track->process_name == process->name))
		return true;
	process->name = track->process_name;
	if (!write_process_name(rows, row))
		return false;
	index = process - rows->process;
	if (track->kind == TRACE_STREAM)
		index += DEVICE_SORT_INDEX;
	if (is_new)
		write_index(rows, row, "process_sort_index", index);
	return true;
}

bool chrome_rows_open(struct chrome_rows *rows, uint32_t track, int32_t lane,
	struct chrome_row *row)
{
	const struct trace_track *from = &rows->trace->tracks[track];
	char *at = row->prefix;

	assert(track < rows->trace->track_count);
	*row = (struct chrome_row){.track = track, .lane = lane};
	row->name = from->name;
	if (!choose(rows, rows->tids, lane == CHROME_ROW_MAIN ? from->tid : 0,
		    &row->tid) ||
		!open_process(rows, row) || !write_thread_name(rows, row))
		return false;
	write_index(rows, row, "thread_sort_index",
		(int64_t)track * (LANES_MAX - CHROME_ROW_MAIN) + lane -
			CHROME_ROW_MAIN);
	memcpy(at, ",\n{\"ph\":\"X\",\"pid\":", 18);
	at = json_put_uint(at + 18, row->pid);
	memcpy(at, ",\"tid\":", 7);
	at = json_put_uint(at + 7, row->tid);
	memcpy(at, ",\"ts\":", 6);
	row->prefix_size = (uint32_t)(at + 6 - row->prefix);
	return true;
}

bool chrome_rows_rename(struct chrome_rows *rows, struct chrome_row *row)
{
	uint32_t name = rows->trace->tracks[row->track].name;

	if (!open_process(rows, row))
		return false;
	if (name == row->name)
		return true;
	row->name = name;
	return write_thread_name(rows, row);
}
