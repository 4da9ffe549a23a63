/* SPDX-License-Identifier: MIT */
/*
 * speedscope's own file format, type "evented": a profile for the nested ranges
 * of each track, and one for each lane of its slices, which nest within a lane.
 * Source: https://github.com/jlfwong/speedscope, src/lib/file-format-spec.ts,
 * src/import/speedscope.ts.
 *
 * A frame is a function: name, file and line. Arguments are left out, or each
 * call would need its own frame.
 *
 * A profile's events must be contiguous and in order of time, but events arrive
 * from all tracks in turn. So we sort them by row, in bounded memory, and write
 * the rows after the last event.
 *
 * Memory: SORT_BYTES, the frames, and the depth of the open ranges.
 */
#include <string.h>

#include "base/memory.h"
#include "extsort/extsort.h"
#include "json/json.h"
#include "speedscope/speedscope_read.h"
#include "timeline/timeline.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

#define SORT_BYTES ((size_t)16 << 20)

struct scope_row {
	uint32_t track;
	int32_t lane; /* or LANES_RANGES, or from LANES_HOST on: lanes.h */
};

enum point_kind { POINT_OPEN, POINT_CLOSE, POINT_SLICE };

/* A point on a row. On a row of ranges, opens and closes come in order of time
 * and match; on a lane, slices nest, and of those that begin together the outer
 * one comes first. */
struct row_point {
	struct scope_row row;
	enum point_kind kind;
	uint32_t frame;
	int64_t time_ns;
	int64_t end_ns; /* POINT_SLICE */
};

struct scope_rows {
	struct trace *trace;
	struct extsort *spill;
	struct strtab *frames; /* name, file and line; numbers begin with 1 */
	uint32_t *frame_of;    /* by site; 0: unknown */
	uint32_t site_room;
	uint64_t point_count; /* points to write */
	int64_t first_ns;     /* of all times */
	int64_t last_ns;
};

/* Rows of a track: ranges, lanes, and the host's lanes. */
#define ROWS_MAX (2 * LANES_MAX - LANES_RANGES)

/* Largest integer that JavaScript represents exactly. */
#define EXACT_MAX (INT64_C(1) << 53)

/* The contents of a record besides its row and time. */
struct point_record {
	uint32_t kind;
	uint32_t frame;
	int64_t end_ns;
};

/* The key of a function. */
struct frame_key {
	uint32_t name; /* strtab numbers */
	uint32_t file;
	uint32_t line;
};

/* An open slice of the lane being written. */
struct open_slice {
	int64_t end_ns;
	uint32_t frame;
};

/* The state of the output. */
struct scope_file {
	struct scope_rows *rows;
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

/* False if out of memory; call rows_clear() in either case. */
static bool rows_init(struct scope_rows *rows, struct trace *trace)
{
	*rows = (struct scope_rows){.trace = trace,
		.spill = extsort_new(SORT_BYTES),
		.frames = strtab_new(),
		.first_ns = INT64_MAX,
		.last_ns = INT64_MIN};
	return rows->spill != NULL && rows->frames != NULL;
}

static void rows_clear(struct scope_rows *rows)
{
	extsort_free(rows->spill);
	strtab_free(rows->frames);
	memory_free(rows->frame_of);
}

/* The number of a site's frame; false if out of memory. */
static bool rows_frame(struct scope_rows *rows, uint32_t site, uint32_t *frame)
{
	const struct trace_site *from = &rows->trace->sites[site];
	struct frame_key key = {from->name, from->file, from->line};

	if (!array_ensure_index(&rows->frame_of, site, &rows->site_room,
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

/* Sort key: tracks, then the rows of each. */
static int64_t row_number(struct scope_row row)
{
	return (int64_t)row.track * ROWS_MAX + row.lane - LANES_RANGES;
}

/* Errors: those of extsort_add(). */
static enum ctp_status rows_add(struct scope_rows *rows,
	const struct row_point *point, struct ctp_error *err)
{
	const struct point_record content = {
		point->kind, point->frame, point->end_ns};
	/* Sorted by row, then by time. */
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

/* Writes the time relative to the file's origin. */
static void write_time(struct scope_file *file, int64_t time_ns)
{
	json_int(&file->json,
		(int64_t)((uint64_t)time_ns - (uint64_t)file->origin_ns));
}

/* "process 12: thread 13", "process 12 GPU 0: stream 7" */
static void write_name(struct scope_file *file, struct scope_row row)
{
	const struct trace *trace = file->rows->trace;
	const struct trace_track *track = &trace->tracks[row.track];
	int32_t lane = row.lane;

	file->name.used = 0;
	if (file->name_processes || track->kind == TRACE_STREAM) {
		lanes_add_process_name(&file->name, trace, row.track);
		buffer_add_text(&file->name, ": ");
	}
	/* Slices in lane 0 rarely need a second lane. */
	if (row.lane == LANES_RANGES ||
		(row.lane == 0 && track->kind == TRACE_STREAM))
		lane = LANES_MAIN;
	lanes_add_row_name(&file->name, trace, row.track, lane);
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
	write_name(file, (struct scope_row){(uint32_t)(number / ROWS_MAX),
				 (int32_t)(number % ROWS_MAX) + LANES_RANGES});
	json_key(json, "unit");
	json_text(json, "nanoseconds");
	json_key(json, "startValue");
	write_time(file, time_ns);
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
	write_time(file, time_ns);
	json_raw_text(json, "}");
	json->comma = true;
	file->last_ns = time_ns;
}

/* Closes the slices of a lane that have ended by `time_ns`. */
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
	write_time(file, file->last_ns);
	json_end(json, '}');
}

/* A slice longer than the enclosing one, which occurs only in the last lane,
 * ends with that. */
static bool open_slice(
	struct scope_file *file, int64_t time_ns, struct point_record slice)
{
	close_slices(file, time_ns);
	if (file->depth > 0 &&
		file->open[file->depth - 1].end_ns < slice.end_ns)
		slice.end_ns = file->open[file->depth - 1].end_ns;
	if (!array_reserve32(
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
	struct scope_rows *rows = file->rows;
	enum ctp_status status = extsort_sort(rows->spill, err);
	struct extsort_record record;

	json_key(&file->json, "profiles");
	json_begin(&file->json, '[');
	while (status == CTP_OK) {
		status = extsort_next(rows->spill, &record, err);
		if (status == CTP_OK &&
			(!write_record(file, &record) || file->name.failed))
			status = ctp_no_memory(err);
	}
	if (file->has_row)
		end_row(file);
	json_end(&file->json, ']');
	return status == CTP_END ? CTP_OK : status;
}

/* Writes the file; `title` may be NULL. Errors: those of extsort_next(). */
static enum ctp_status rows_write(struct scope_rows *rows, FILE *out,
	const char *title, struct ctp_error *err)
{
	struct scope_file file = {.rows = rows, .name = BUFFER_INIT};
	enum ctp_status status = CTP_ERR_NOMEM;
	struct json *json = &file.json;

	/* Times as in the trace, unless numbers would be rounded. */
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
		status = ctp_no_memory(err);
	json_clear(json);
	buffer_clear(&file.name);
	memory_free(file.open);
	return status;
}

/* Size of a point in the file: {"type":"O","frame":12,"at":123456.789} */
#define POINT_BYTES 45

struct speedscope {
	struct timeline timeline; /* first: the layer holds a pointer to it */
	struct scope_rows rows;
};

static struct scope_rows *rows_of(struct timeline *timeline)
{
	return &((struct speedscope *)timeline)->rows;
}

/* The frames of the open ranges. */
static uint32_t *open_frames(const struct timeline_track *track)
{
	return track->frames;
}

static bool add_point(struct timeline *timeline, const struct row_point *point)
{
	return timeline_check(
		timeline, rows_add(rows_of(timeline), point, timeline->err));
}

static bool add_begin(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct row_point point = {.row = {event->track, LANES_RANGES},
		.kind = POINT_OPEN,
		.time_ns = event->time_ns};

	if (!rows_frame(rows_of(timeline), event->site, &point.frame))
		return false;
	open_frames(track)[track->depth++] = point.frame;
	return add_point(timeline, &point);
}

static bool add_end(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct row_point point = {.row = {event->track, LANES_RANGES},
		.kind = POINT_CLOSE,
		.frame = open_frames(track)[--track->depth],
		.time_ns = event->time_ns};

	return add_point(timeline, &point);
}

static bool add_slice(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	int32_t first = timeline_is_host(timeline, event) ? LANES_HOST : 0;
	struct row_point point = {.row = {.track = event->track},
		.kind = POINT_SLICE,
		.time_ns = event->time_ns,
		.end_ns = event_end(event)};

	return timeline_place_slice(
		       timeline, track, event, first, &point.row.lane) &&
	       rows_frame(rows_of(timeline), event->site, &point.frame) &&
	       add_point(timeline, &point);
}

static bool finish(struct timeline *timeline)
{
	return timeline_check(
		timeline, rows_write(rows_of(timeline), timeline->out,
				  timeline->options.title, timeline->err));
}

static uint64_t pending(const struct timeline_writer *writer)
{
	return ((const struct speedscope *)writer)->rows.point_count *
	       POINT_BYTES;
}

static bool init(struct timeline *timeline)
{
	return rows_init(rows_of(timeline), timeline->trace);
}

static void clear(struct timeline *timeline)
{
	rows_clear(rows_of(timeline));
}

static timeline_add_fn *const adders[EVENT_KINDS] = {
	[EVENT_BEGIN] = add_begin,
	[EVENT_END] = add_end,
	[EVENT_COMPLETE] = add_slice,
	[EVENT_ACTIVITY] = add_slice,
};

static const struct timeline_form form = {
	.bytes = sizeof(struct speedscope),
	.track_bytes = sizeof(struct timeline_track),
	.frame_bytes = sizeof(uint32_t),
	/* Frames have no data of single calls, and the last do not nest. */
	.skipped = 1u << EVENT_ARGS | 1u << EVENT_CORRELATION |
		   1u << EVENT_UNCLIPPED_CALL,
	.words = 1u << WORD_WAIT | 1u << WORD_OVERHEAD,
	.init = init,
	.add = adders,
	.finish = finish,
	.pending = pending,
	.clear = clear,
};

static enum ctp_status new_timeline(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	return timeline_new(&form, out, trace, options, writer, err);
}

const struct format speedscope_format = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.summary = "speedscope's own file, for https://www.speedscope.app",
	.has_no_args = true,
	.probe = speedscope_probe,
	.open_events = speedscope_open,
	.new_timeline = new_timeline,
};
