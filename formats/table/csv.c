/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values: one line for each range, activity and other event,
 * under a line that names the columns. A range's line comes when it ends. Times
 * are nanoseconds; values that do not apply are empty. Source: RFC 4180, except
 * that lines end in LF alone, as in other tools.
 */
#include "io/csv_field.h"
#include "timeline/event_rows.h"

static const char header[] =
	"kind,number,parent,cause,depth,start_ns,duration_ns,self_ns,pid,tid,"
	"process,track,device,stream,name,category,file,line,id,bytes,value,"
	"args\n";

struct csv {
	struct event_rows rows; /* first: the layer holds a pointer to it */
	FILE *out;
	struct trace *trace;
	struct json json;
	bool raw; /* see csv_field() */
};

static void write_uint(struct csv *csv, uint64_t value)
{
	char digits[JSON_NUMBER_MAX];

	(void)fwrite(digits, 1, (size_t)(json_put_uint(digits, value) - digits),
		csv->out);
	(void)putc(',', csv->out);
}

static void write_int(struct csv *csv, int64_t value)
{
	char digits[JSON_NUMBER_MAX];

	(void)fwrite(digits, 1, (size_t)(json_put_int(digits, value) - digits),
		csv->out);
	(void)putc(',', csv->out);
}

static void write_nothing(struct csv *csv)
{
	(void)putc(',', csv->out);
}

/* A number; empty for 0, which means none. */
static void write_number(struct csv *csv, uint64_t value)
{
	if (value == 0)
		write_nothing(csv);
	else
		write_uint(csv, value);
}

/* A pid or tid; empty where the trace has a text, which is a name here. */
static void write_id(struct csv *csv, int64_t id)
{
	if (trace_id_is_text(id))
		write_nothing(csv);
	else
		write_int(csv, id);
}

static void write_text(struct csv *csv, const char *bytes, size_t size)
{
	trace_lose(csv->trace, LOSS_BAD_TEXT,
		csv_field(csv->out, bytes, size, csv->raw));
}

static void write_string(struct csv *csv, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(csv->trace->text, number, &size);

	write_text(csv, bytes, size);
	write_nothing(csv);
}

static void write_track(struct csv *csv, const struct event_row *row)
{
	const struct trace_track *track = &csv->trace->tracks[row->track];
	bool is_stream = track->kind == TRACE_STREAM;

	write_id(csv, track->pid);
	if (is_stream)
		write_nothing(csv);
	else
		write_id(csv, track->tid);
	write_string(csv, track->process_name);
	write_string(csv, track->name);
	if (is_stream)
		write_uint(csv, track->device);
	else if (row->device >= 0)
		write_int(csv, row->device);
	else
		write_nothing(csv);
	if (is_stream)
		write_id(csv, track->tid);
	else
		write_nothing(csv);
}

static void write_site(struct csv *csv, const struct event_row *row)
{
	static const struct trace_site none;
	const struct trace_site *site =
		row->site == TRACE_NONE ? &none : &csv->trace->sites[row->site];

	write_string(csv, site->name);
	write_string(csv, site->category);
	write_string(csv, site->file);
	write_number(csv, site->line);
}

/* A counter's number. */
static void write_value(struct csv *csv, const struct event_arg *value)
{
	if (value != NULL && value->kind == ARG_INT) {
		write_int(csv, value->value.integer);
		return;
	}
	if (value != NULL && value->kind == ARG_FLOAT) {
		csv->json.used = 0;
		csv->json.comma = false;
		json_double(&csv->json, value->value.real);
		(void)fwrite(csv->json.bytes, 1, csv->json.used, csv->out);
	}
	write_nothing(csv);
}

/* JSON text has control characters only as white space between its tokens. They
 * become spaces: escaped as in other fields, they would not be JSON. */
static void write_args(struct csv *csv, const char *args, size_t size)
{
	if (csv->raw) {
		write_text(csv, args, size);
		return;
	}
	csv->json.used = 0;
	json_raw(&csv->json, args, size);
	for (size_t i = 0; i < csv->json.used; i++)
		if ((unsigned char)csv->json.bytes[i] < ' ')
			csv->json.bytes[i] = ' ';
	write_text(csv, csv->json.bytes, csv->json.used);
}

static bool write_row(struct event_rows *rows, const struct event_row *row)
{
	struct csv *csv = (struct csv *)rows;

	(void)fputs(event_rows_kind_name(row), csv->out);
	write_nothing(csv);
	write_uint(csv, row->number);
	write_number(csv, row->parent);
	write_number(csv, row->cause);
	write_uint(csv, row->depth);
	write_int(csv, row->start_ns);
	if (row->has_duration) {
		write_uint(csv, row->duration_ns);
		write_uint(csv, row->self_ns);
	} else {
		write_nothing(csv);
		write_nothing(csv);
	}
	write_track(csv, row);
	write_site(csv, row);
	write_number(csv, row->id);
	write_number(csv, row->bytes);
	write_value(csv, row->value);
	if (row->args != NULL)
		write_args(csv, row->args, row->args_size);
	(void)putc('\n', csv->out);
	return !csv->json.failed;
}

static bool finish(struct timeline *timeline)
{
	(void)timeline;
	return true;
}

static bool init(struct timeline *timeline)
{
	struct csv *csv = (struct csv *)timeline;
	bool done = json_init(&csv->json, NULL);

	csv->out = timeline->out;
	csv->trace = timeline->trace;
	csv->raw = timeline->options.csv_raw;
	csv->rows.write_row = write_row;
	(void)fputs(header, csv->out);
	return event_rows_init(&csv->rows) && done;
}

static void clear(struct timeline *timeline)
{
	struct csv *csv = (struct csv *)timeline;

	event_rows_clear(&csv->rows);
	json_clear(&csv->json);
}

static const struct timeline_form form = {
	EVENT_ROWS_FORM,
	.bytes = sizeof(struct csv),
	.init = init,
	.finish = finish,
	.clear = clear,
};

static enum ctp_status csv_new(FILE *out, struct trace *trace,
	const struct format_options *options, struct timeline_writer **writer,
	struct ctp_error *err)
{
	return timeline_new(&form, out, trace, options, writer, err);
}

const struct format csv_format = {
	.name = "csv",
	.suffix = ".csv",
	.summary = "table with one line per event, for spreadsheets",
	.new_timeline = csv_new,
};
