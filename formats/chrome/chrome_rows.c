/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_rows.h"

#include "base/memory.h"

/* Above the systems' thread ids (2^22), and easy to tell from them. */
#define FIRST_OWN_ID UINT32_C(1000000001)

/* Devices are shown below the processes. */
#define DEVICE_SORT_INDEX 1000000

/* Rows that a track may have. */
#define ROWS_MAX (LANES_ALL - LANES_MAIN)

/* Most tracks searched for the thread of a TRACE_CALLS track: there may be as
 * many of these as threads. */
#define THREADS_SEARCHED 4096

struct chrome_process {
	bool taken;     /* its pid */
	bool described; /* in the file */
	uint32_t pid;   /* in the file */
	uint32_t name;  /* strtab number, as last written */
};

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

/* Adds a number to a set; *is_new: it was not in the set. */
static bool reserve(struct strtab *set, uint32_t number, bool *is_new)
{
	uint32_t count = strtab_count(set);

	if (strtab_add(set, (const char *)&number, sizeof(number)) ==
		STRTAB_NONE)
		return false;
	*is_new = strtab_count(set) > count;
	return true;
}

/* A number for the file: `wish` if possible; -1: any. */
static bool reserve_near(struct chrome_rows *rows, struct strtab *set,
	int64_t wish, uint32_t *out)
{
	bool is_new = false;

	if (wish >= 0 && wish <= (int64_t)UINT32_MAX) {
		*out = (uint32_t)wish;
		if (!reserve(set, *out, &is_new))
			return false;
	}
	while (!is_new) {
		*out = rows->next_id++;
		if (!reserve(set, *out, &is_new))
			return false;
	}
	return true;
}

/* Begins a metadata event, up to the value of its argument. */
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

/* Writes rows->name. More may be added until the event is ended. NULL if out of
 * memory. */
static struct json *begin_name(struct chrome_rows *rows,
	const struct chrome_row *row, const char *name)
{
	struct json *json;

	if (rows->name.failed)
		return NULL;
	json = begin_metadata(rows, row, name, "name");
	json_text_sized(json, (const char *)rows->name.bytes, rows->name.used);
	return json;
}

static bool write_process_name(
	struct chrome_rows *rows, const struct chrome_row *row)
{
	struct json *json;

	rows->name.used = 0;
	lanes_add_process_name(&rows->name, rows->trace, row->track);
	json = begin_name(rows, row, "process_name");
	if (json == NULL)
		return false;
	end_metadata(json);
	return true;
}

/* Is it a lane of slices that could not nest? */
static bool is_lane(int32_t lane)
{
	return lane >= 0 && lane < LANES_HOST;
}

static bool write_thread_name(
	struct chrome_rows *rows, const struct chrome_row *row)
{
	struct json *json;

	rows->name.used = 0;
	lanes_add_row_name(&rows->name, rows->trace, row->track, row->lane);
	json = begin_name(rows, row, "thread_name");
	if (json == NULL)
		return false;
	if (row->is_part) {
		json_key(json, is_lane(row->lane) ? CHROME_ROWS_APART_FROM
						  : CHROME_ROWS_PART_OF);
		json_uint(json, row->whole);
	}
	end_metadata(json);
	return true;
}

/* The entry of the track's process or device, created if new; NULL if out of
 * memory. Each process has its own devices. */
static struct chrome_process *find_process(
	struct chrome_rows *rows, const struct trace_track *track, bool device)
{
	int64_t key[2] = {track->pid, device ? (int64_t)track->device : -1};
	uint32_t number =
		strtab_add(rows->processes, (const char *)key, sizeof(key));
	struct chrome_process *process;
	int64_t wish = track->pid == 0 ? -1 : track->pid;

	if (number == STRTAB_NONE)
		return NULL;
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
	if (device)
		wish = track->device;
	if (!process->taken &&
		!reserve_near(rows, rows->pids, wish, &process->pid))
		return NULL;
	process->taken = true;
	return process;
}

/* Kineto's label of the device. If the rows do not identify it, as with several
 * processes, the owner is added. */
static bool write_process_label(
	struct chrome_rows *rows, const struct chrome_row *row)
{
	const struct trace_track *track = &rows->trace->tracks[row->track];
	const struct chrome_process *process = NULL;
	struct json *json;

	if (track->order != 0 || row->pid != track->device) {
		process = find_process(rows, track, false);
		if (process == NULL)
			return false;
	}
	rows->name.used = 0;
	lanes_add_number(&rows->name, "GPU ", track->device);
	if (rows->name.failed)
		return false;
	json = begin_metadata(rows, row, "process_labels", "labels");
	json_text_sized(json, (const char *)rows->name.bytes, rows->name.used);
	if (process != NULL) {
		json_key(json, CHROME_ROWS_OWNER);
		json_uint(json, process->pid);
		json_key(json, CHROME_ROWS_DEVICE);
		json_uint(json, track->device);
	}
	end_metadata(json);
	return true;
}

/* The sort index of the `index`th process or device. */
static int64_t process_index(const struct trace_track *track, int64_t index)
{
	bool device = track->kind == TRACE_STREAM;

	if (track->has_process_sort)
		return track->process_sort;
	return device ? index + DEVICE_SORT_INDEX : index;
}

static bool open_process(struct chrome_rows *rows, struct chrome_row *row)
{
	const struct trace_track *track = &rows->trace->tracks[row->track];
	bool device = track->kind == TRACE_STREAM;
	struct chrome_process *process = find_process(rows, track, device);
	bool is_new;
	int64_t index;

	if (process == NULL)
		return false;
	row->pid = process->pid;
	is_new = !process->described;
	if (!is_new && (track->process_name == 0 ||
			       track->process_name == process->name))
		return true;
	process->described = true;
	process->name = track->process_name;
	index = process_index(track, process - rows->process);
	if (!write_process_name(rows, row))
		return false;
	if (!is_new)
		return true;
	if (device && !write_process_label(rows, row))
		return false;
	write_index(rows, row, "process_sort_index", index);
	return true;
}

/* A thread's TRACE_CALLS track is sorted below that thread. */
static int64_t sort_index(
	const struct chrome_rows *rows, uint32_t track, int32_t lane)
{
	const struct trace_track *all = rows->trace->tracks;
	const struct trace_track *calls = &all[track];
	int64_t place = lane - LANES_MAIN;

	/* Other rows of the track sort after it by name. */
	if (calls->has_sort)
		return calls->sort;
	if (calls->kind != TRACE_CALLS)
		return (int64_t)track * ROWS_MAX + place;
	place += LANES_MAX;
	for (uint32_t i = 0;
		i < rows->trace->track_count && i < THREADS_SEARCHED; i++)
		if (all[i].kind == TRACE_THREAD && all[i].pid == calls->pid &&
			all[i].tid == calls->tid)
			return (int64_t)i * ROWS_MAX + place;
	return (int64_t)track * ROWS_MAX + place;
}

/* The preferred tid of a row; -1: any. A thread's tid is reserved for its own
 * row. */
static int64_t preferred_tid(const struct trace_track *track, int32_t lane)
{
	int64_t tid = track->tid;

	if (track->kind == TRACE_STREAM)
		tid = lanes_stream(track);
	if (lane != LANES_MAIN || track->kind == TRACE_CALLS || tid == 0)
		return -1;
	return tid;
}

/* Opens a row whose track and lane are set. */
static bool open_row(struct chrome_rows *rows, struct chrome_row *row)
{
	const struct trace_track *from = &rows->trace->tracks[row->track];
	char *at = row->prefix;

	row->name = from->name;
	if (!reserve_near(rows, rows->tids, preferred_tid(from, row->lane),
		    &row->tid) ||
		!open_process(rows, row) || !write_thread_name(rows, row))
		return false;
	write_index(rows, row, "thread_sort_index",
		sort_index(rows, row->track, row->lane));
	memcpy(at, ",\n{\"ph\":\"X\",\"pid\":", 18);
	at = json_put_uint(at + 18, row->pid);
	memcpy(at, ",\"tid\":", 7);
	at = json_put_uint(at + 7, row->tid);
	memcpy(at, ",\"ts\":", 6);
	row->prefix_size = (uint32_t)(at + 6 - row->prefix);
	return true;
}

bool chrome_rows_open(struct chrome_rows *rows, struct chrome_track *track)
{
	track->row = (struct chrome_row){
		.track = track->base.number, .lane = LANES_MAIN};
	return open_row(rows, &track->row);
}

/* The row that a further row of the track is a part of; NULL: none, as for
 * device activities, which may overlap. */
static const struct chrome_row *whole_of(const struct chrome_rows *rows,
	const struct chrome_track *track, int32_t lane)
{
	enum trace_track_kind kind =
		rows->trace->tracks[track->base.number].kind;

	if (lane >= LANES_CALLS)
		return track->ranges_row;
	return kind == TRACE_THREAD || kind == TRACE_TIMELINE ? &track->row
							      : NULL;
}

/* The track's first row if allowed and unused, or else a new one; NULL if out
 * of memory. */
static struct chrome_row *add_row(struct chrome_rows *rows,
	struct chrome_track *track, int32_t lane, bool may_be_first)
{
	const struct chrome_row *whole = whole_of(rows, track, lane);
	struct chrome_row *row;

	if (may_be_first && !track->row_used) {
		track->row_used = true;
		return &track->row;
	}
	row = memory_new(sizeof(*row));
	if (row == NULL)
		return NULL;
	*row = (struct chrome_row){.track = track->base.number,
		.lane = lane,
		.whole = whole == NULL ? 0 : whole->tid,
		.is_part = whole != NULL};
	if (!open_row(rows, row)) {
		memory_free(row);
		return NULL;
	}
	return row;
}

bool chrome_rows_open_ranges(
	struct chrome_rows *rows, struct chrome_track *track)
{
	if (track->ranges_row == NULL)
		track->ranges_row = add_row(rows, track, LANES_RANGES, true);
	return track->ranges_row != NULL;
}

/* May a slice use the track's first row? Not if that is for ranges, where it
 * would nest in them, except a span, which readers do not nest. */
static bool has_place(const struct chrome_rows *rows,
	const struct chrome_track *track, const struct event *slice,
	int32_t lane)
{
	return lane < LANES_HOST &&
	       (whole_of(rows, track, lane) == NULL ||
		       trace_site_is_span(rows->trace, slice->site));
}

const struct chrome_row *chrome_rows_find(struct chrome_rows *rows,
	struct chrome_track *track, const struct event *slice, int32_t lane)
{
	bool may_be_first = has_place(rows, track, slice, lane);
	struct chrome_row **row;

	if (!array_ensure_index(&track->lane_rows, (uint32_t)lane,
		    &track->lane_room, sizeof(*track->lane_rows)))
		return NULL;
	row = &track->lane_rows[lane];
	/* The lane's earlier slices may have been allowed there. */
	if (*row == NULL || (*row == &track->row && !may_be_first))
		*row = add_row(rows, track, lane, may_be_first);
	return *row;
}

static bool rename_row(struct chrome_rows *rows, struct chrome_row *row)
{
	uint32_t name = rows->trace->tracks[row->track].name;

	if (!open_process(rows, row))
		return false;
	if (name == row->name)
		return true;
	row->name = name;
	return write_thread_name(rows, row);
}

bool chrome_rows_rename(struct chrome_rows *rows, struct chrome_track *track)
{
	bool done = rename_row(rows, &track->row);

	if (track->ranges_row != NULL)
		done = done && rename_row(rows, track->ranges_row);
	for (uint32_t i = 0; i < track->lane_room && done; i++)
		if (track->lane_rows[i] != NULL)
			done = rename_row(rows, track->lane_rows[i]);
	return done;
}

void chrome_rows_clear_track(struct timeline_track *base)
{
	struct chrome_track *track = (struct chrome_track *)base;

	if (track->ranges_row != &track->row)
		memory_free(track->ranges_row);
	for (uint32_t i = 0; i < track->lane_room; i++)
		if (track->lane_rows[i] != &track->row)
			memory_free(track->lane_rows[i]);
	memory_free(track->lane_rows);
}

void chrome_row_write_flow(struct json *json, const struct chrome_row *row,
	struct chrome_flow flow)
{
	char *at = json_room(json, CHROME_PREFIX_ROOM + JSON_NUMBER_MAX);

	if (at == NULL)
		return;
	json_advance(json, chrome_row_put(row, at, flow.phase, flow.time_ns));
	json_raw_text(json, ",\"id\":");
	json->comma = false;
	json_uint(json, flow.id);
	json_raw_text(json, ",\"cat\":\"ac2g\",\"name\":\"ac2g\"");
	json_raw_text(json, flow.phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}
