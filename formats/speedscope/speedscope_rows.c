/* SPDX-License-Identifier: MIT */
#include "speedscope/speedscope_rows.h"

#include <string.h>

#include "json/json.h"
#include "base/memory.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Rows of a track: ranges, lanes, and the host's lanes. */
#define ROWS_MAX (2 * LANES_MAX - ROW_RANGES)

/* Numbers that JavaScript has without rounding. */
#define EXACT_MAX (INT64_C(1) << 53)

/* What a record holds besides its row and time. */
struct point_record {
	uint32_t kind;
	uint32_t frame;
	int64_t end_ns;
};

/* What makes functions the same. */
struct frame_key {
	uint32_t name; /* strtab numbers */
	uint32_t file;
	uint32_t line;
};

/* A slice that is open while a lane is written. */
struct open_slice {
	int64_t end_ns;
	uint32_t frame;
};

/* The file as far as it is written. */
struct scope_file {
	struct speedscope_rows *rows;
	struct json json;
	struct buffer name; /* scratch */
	bool has_row;
	int64_t row;
	int64_t origin_ns;
	int64_t last_ns; /* of the row */
	struct open_slice *open;
	uint32_t depth;
	uint32_t room;
	bool name_processes; /* there are several */
};

bool speedscope_rows_init(struct speedscope_rows *rows, struct trace *trace)
{
	*rows = (struct speedscope_rows){.trace = trace,
		.spill = extsort_new(SPEEDSCOPE_SORT_BYTES),
		.frames = strtab_new(),
		.first_ns = INT64_MAX,
		.last_ns = INT64_MIN};
	return rows->spill != NULL && rows->frames != NULL;
}

void speedscope_rows_clear(struct speedscope_rows *rows)
{
	extsort_free(rows->spill);
	strtab_free(rows->frames);
	memory_free(rows->frame_of);
}

bool speedscope_rows_frame(
	struct speedscope_rows *rows, uint32_t site, uint32_t *frame)
{
	const struct trace_site *from = &rows->trace->sites[site];
	struct frame_key key = {from->name, from->file, from->line};

	if (!memory_reach(&rows->frame_of, site, &rows->site_room,
		    sizeof(*rows->frame_of)))
		return false;
	if (rows->frame_of[site] == 0)
		rows->frame_of[site] = strtab_add(
			rows->frames, (const char *)&key, sizeof(key));
	if (rows->frame_of[site] == STRTAB_NONE) {
		rows->frame_of[site] = 0;
		return false;
	}
	*frame = rows->frame_of[site] - 1;
	return true;
}

/* Order of tracks, and of rows on each. */
static int64_t row_number(struct speedscope_row row)
{
	return (int64_t)row.track * ROWS_MAX + row.lane - ROW_RANGES;
}

enum ctp_status speedscope_rows_add(struct speedscope_rows *rows,
	const struct speedscope_point *point, struct ctp_error *err)
{
	const struct point_record content = {
		point->kind, point->frame, point->end_ns};
	/* Sorted by row; within one by time. */
	const struct extsort_record record = {.time_ns = row_number(point->row),
		.rank = point->time_ns,
		.bytes = &content,
		.size = sizeof(content)};
	int64_t last_ns =
		point->kind == POINT_SLICE ? point->end_ns : point->time_ns;

	if (point->time_ns < rows->first_ns)
		rows->first_ns = point->time_ns;
	if (last_ns > rows->last_ns)
		rows->last_ns = last_ns;
	rows->point_count += point->kind == POINT_SLICE ? 2 : 1;
	return extsort_add(rows->spill, &record, err);
}

static void write_text(
	struct scope_file *file, const char *key, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(file->rows->trace->text, number, &size);

	json_key(&file->json, key);
	json_text_sized(&file->json, bytes, size);
}

static void write_frames(struct scope_file *file)
{
	const struct strtab *frames = file->rows->frames;
	struct json *json = &file->json;

	json_key(json, "shared");
	json_begin(json, '{');
	json_key(json, "frames");
	json_begin(json, '[');
	for (uint32_t i = 1; i < strtab_count(frames); i++) {
		struct frame_key key;

		memcpy(&key, strtab_text(frames, i, NULL), sizeof(key));
		json_raw_text(json, i == 1 ? "\n" : ",\n");
		json->comma = false;
		json_begin(json, '{');
		write_text(file, "name", key.name);
		if (key.file != 0)
			write_text(file, "file", key.file);
		if (key.line != 0) {
			json_key(json, "line");
			json_uint(json, key.line);
		}
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

static bool has_processes(const struct trace *trace)
{
	for (uint32_t i = 1; i < trace->track_count; i++)
		if (trace->tracks[i].pid != trace->tracks[0].pid)
			return true;
	return false;
}

/* The time as it stands in the file. */
static void put_time(struct scope_file *file, int64_t time_ns)
{
	json_int(&file->json,
		(int64_t)((uint64_t)time_ns - (uint64_t)file->origin_ns));
}

/* "process 12: thread 13", "process 12 GPU 0: stream 7" */
static void write_name(struct scope_file *file, struct speedscope_row row)
{
	const struct trace *trace = file->rows->trace;
	const struct trace_track *track = &trace->tracks[row.track];
	int32_t lane = row.lane;

	file->name.used = 0;
	if (file->name_processes || track->kind == TRACE_STREAM) {
		row_name_add_process(&file->name, trace, row.track);
		buffer_add_text(&file->name, ": ");
	}
	/* What stands in lane 0 hardly ever has a second one. */
	if (row.lane == ROW_RANGES ||
		(row.lane == 0 && track->kind == TRACE_STREAM))
		lane = ROW_MAIN;
	row_name_add(&file->name, trace, row.track, lane);
	json_key(&file->json, "name");
	json_text_sized(&file->json, (char *)file->name.bytes, file->name.used);
}

static void begin_row(struct scope_file *file, int64_t number, int64_t time_ns)
{
	struct json *json = &file->json;

	json_raw_text(json, file->has_row ? ",\n" : "\n");
	json->comma = false;
	json_begin(json, '{');
	json_key(json, "type");
	json_text(json, "evented");
	write_name(file, (struct speedscope_row){(uint32_t)(number / ROWS_MAX),
				 (int32_t)(number % ROWS_MAX) + ROW_RANGES});
	json_key(json, "unit");
	json_text(json, "nanoseconds");
	json_key(json, "startValue");
	put_time(file, time_ns);
	json_key(json, "events");
	json_begin(json, '[');
	file->has_row = true;
	file->row = number;
	file->last_ns = time_ns;
}

static void write_point(struct scope_file *file, const char *type,
	uint32_t frame, int64_t time_ns)
{
	struct json *json = &file->json;

	json_raw_text(json, json->comma ? ",{\"type\":" : "{\"type\":");
	json_raw_text(json, type);
	json_raw_text(json, ",\"frame\":");
	json->comma = false;
	json_uint(json, frame);
	json_raw_text(json, ",\"at\":");
	json->comma = false;
	put_time(file, time_ns);
	json_raw_text(json, "}");
	json->comma = true;
	file->last_ns = time_ns;
}

/* Closes the slices of a lane that have ended by then. */
static void close_slices(struct scope_file *file, int64_t time_ns)
{
	while (file->depth > 0 &&
		file->open[file->depth - 1].end_ns <= time_ns) {
		const struct open_slice *slice = &file->open[--file->depth];

		write_point(file, "\"C\"", slice->frame, slice->end_ns);
	}
}

static void end_row(struct scope_file *file)
{
	struct json *json = &file->json;

	close_slices(file, INT64_MAX);
	json_end(json, ']');
	json_key(json, "endValue");
	put_time(file, file->last_ns);
	json_end(json, '}');
}

/* One that goes on longer than what it is in, as only those in the last lane
 * do, ends with that. */
static bool open_slice(
	struct scope_file *file, int64_t time_ns, struct point_record slice)
{
	close_slices(file, time_ns);
	if (file->depth > 0 &&
		file->open[file->depth - 1].end_ns < slice.end_ns)
		slice.end_ns = file->open[file->depth - 1].end_ns;
	if (!memory_grow32(
		    &file->open, file->depth, &file->room, sizeof(*file->open)))
		return false;
	file->open[file->depth++] =
		(struct open_slice){slice.end_ns, slice.frame};
	write_point(file, "\"O\"", slice.frame, time_ns);
	return true;
}

static bool write_record(
	struct scope_file *file, const struct extsort_record *record)
{
	int64_t time_ns = record->rank;
	struct point_record point;

	memcpy(&point, record->bytes, sizeof(point));
	if (!file->has_row || record->time_ns != file->row) {
		if (file->has_row)
			end_row(file);
		begin_row(file, record->time_ns, time_ns);
	}
	if (point.kind == POINT_SLICE)
		return open_slice(file, time_ns, point);
	write_point(file, point.kind == POINT_OPEN ? "\"O\"" : "\"C\"",
		point.frame, time_ns);
	return true;
}

static enum ctp_status write_rows(
	struct scope_file *file, struct ctp_error *err)
{
	struct speedscope_rows *rows = file->rows;
	enum ctp_status status = extsort_sort(rows->spill, err);
	struct extsort_record record;

	json_key(&file->json, "profiles");
	json_begin(&file->json, '[');
	while (status == CTP_OK) {
		status = extsort_next(rows->spill, &record, err);
		if (status == CTP_OK &&
			(!write_record(file, &record) || file->name.failed))
			status = ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET,
				"out of memory");
	}
	if (file->has_row)
		end_row(file);
	json_end(&file->json, ']');
	return status == CTP_END ? CTP_OK : status;
}

enum ctp_status speedscope_rows_write(struct speedscope_rows *rows, FILE *out,
	const char *title, struct ctp_error *err)
{
	struct scope_file file = {.rows = rows, .name = BUFFER_INIT};
	enum ctp_status status = CTP_ERR_NOMEM;
	struct json *json = &file.json;

	/* As in the trace, unless numbers would be rounded. */
	if (rows->first_ns < 0 || rows->last_ns > EXACT_MAX)
		file.origin_ns = rows->first_ns;
	file.name_processes = has_processes(rows->trace);
	if (json_init(json, out)) {
		json_begin(json, '{');
		json_key(json, "$schema");
		json_text(json, SCHEMA);
		json_key(json, "exporter");
		json_text(json, PACKAGE_STRING);
		if (title != NULL) {
			json_key(json, "name");
			json_text(json, title);
		}
		write_frames(&file);
		status = write_rows(&file, err);
		json_end(json, '}');
		json_raw_text(json, "\n");
		json_flush(json);
		trace_lose(rows->trace, LOSS_BAD_TEXT, json->replaced);
	}
	if (status == CTP_ERR_NOMEM || json->failed)
		status = ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	json_clear(json);
	buffer_clear(&file.name);
	memory_free(file.open);
	return status;
}
