/* SPDX-License-Identifier: MIT */
/*
 * Slices as columns of integers: starts are differences to the slice before in
 * the same row, so that they are short and repeat.
 */
#include <string.h>

#include "cli/columns_page.h"
#include "input/report.h"
#include "report/page_tracks.h"

static uint32_t text_index(struct page_texts *texts, uint32_t number)
{
	uint32_t *index = &texts->indexes[number];

	if (*index == 0) {
		buffer_add(&texts->numbers, &number, sizeof(number));
		*index = (uint32_t)(texts->numbers.used / sizeof(number));
	}
	return *index - 1;
}

static void put_difference(struct json *json, int64_t time_ns, int64_t from_ns)
{
	if (time_ns < from_ns) {
		uint64_t back = (uint64_t)from_ns - (uint64_t)time_ns;

		json_int(json,
			back > INT64_MAX ? INT64_MIN + 1 : -(int64_t)back);
	} else {
		json_uint(json, (uint64_t)time_ns - (uint64_t)from_ns);
	}
}

static void begin_column(struct json *json, const char *key)
{
	json_key(json, key);
	json_begin(json, '[');
}

static void put_rows(struct json *json, const struct page_lane *lane)
{
	uint32_t at = 0;

	begin_column(json, "counts");
	for (uint32_t row = 0; at < lane->slice_count; row++) {
		uint32_t first = at;

		while (at < lane->slice_count && lane->slices[at].row == row)
			at++;
		json_uint(json, at - first);
	}
	json_end(json, ']');
}

static void put_starts(
	struct json *json, const struct page_lane *lane, int64_t start_ns)
{
	int64_t before = start_ns;

	begin_column(json, "starts");
	for (uint32_t i = 0; i < lane->slice_count; i++) {
		const struct digest_slice *slice = &lane->slices[i];

		if (i > 0 && slice->row != slice[-1].row)
			before = start_ns;
		put_difference(json, slice->start_ns, before);
		before = slice->start_ns;
	}
	json_end(json, ']');
	begin_column(json, "durs");
	for (uint32_t i = 0; i < lane->slice_count; i++)
		json_uint(json, lane->slices[i].dur_ns);
	json_end(json, ']');
}

/* Adds a lane's arguments to the list while they fit. */
static void admit_args(struct page_lanes *lanes, const struct page_lane *lane)
{
	struct page_texts *args = &lanes->args;

	for (uint32_t i = 0; i < lane->slice_count; i++) {
		uint32_t number = lane->slices[i].args;
		size_t size;

		if (number == 0 || args->indexes[number] != 0)
			continue;
		(void)strtab_text(lanes->digest->args, number, &size);
		if (size > args->bytes_max - args->bytes)
			continue;
		args->bytes += size;
		(void)text_index(args, number);
	}
}

void page_slices_admit_args(struct page_lanes *lanes)
{
	/* Streams first: there are fewer activities than calls. */
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < lanes->count; i++) {
			const struct page_lane *lane = &lanes->lanes[i];
			uint32_t track =
				lanes->digest->lanes[lane->number].track;
			bool is_stream =
				lanes->part->trace->tracks[track].kind ==
				TRACE_STREAM;

			if (is_stream != (bool)others)
				admit_args(lanes, lane);
		}
}

/* Arguments: pairs of a distance to the slice before that has some, and their
 * number. */
static void put_args(struct page_lanes *lanes, const struct page_lane *lane)
{
	struct json *json = &lanes->part->sheet.json;
	uint32_t before = 0;

	begin_column(json, "args");
	for (uint32_t i = 0; i < lane->slice_count; i++) {
		if (lanes->args.indexes[lane->slices[i].args] == 0)
			continue;
		json_uint(json, i - before);
		json_uint(json, text_index(&lanes->args, lane->slices[i].args));
		before = i;
	}
	json_end(json, ']');
}

/* The position of the launching thread's ranges on the page, or -1. */
static int64_t launch_position(
	const struct page_lanes *lanes, const struct digest_slice *slice)
{
	if (slice->launch_track == TRACE_NONE)
		return -1;
	for (uint32_t i = 0; i < lanes->count; i++) {
		const struct digest_lane *lane =
			&lanes->digest->lanes[lanes->lanes[i].number];

		if (lane->track == slice->launch_track &&
			lane->part == DIGEST_RANGES)
			return i;
	}
	return -1;
}

/* Launches: a distance as above, the launching lane, and the time that it is
 * earlier. */
static void put_launches(struct page_lanes *lanes, const struct page_lane *lane)
{
	struct json *json = &lanes->part->sheet.json;
	uint32_t track = TRACE_NONE;
	int64_t position = -1;
	uint32_t before = 0;

	begin_column(json, "launches");
	for (uint32_t i = 0; i < lane->slice_count; i++) {
		const struct digest_slice *slice = &lane->slices[i];

		if (slice->launch_track != track) {
			track = slice->launch_track;
			position = launch_position(lanes, slice);
		}
		if (position < 0)
			continue;
		json_uint(json, i - before);
		json_int(json, position);
		put_difference(json, slice->start_ns, slice->launch_ns);
		before = i;
	}
	json_end(json, ']');
}

static void put_slices(struct page_lanes *lanes, const struct page_lane *lane)
{
	struct json *json = &lanes->part->sheet.json;
	const struct trace_site *sites = lanes->part->trace->sites;

	put_rows(json, lane);
	put_starts(json, lane, lanes->start_ns);
	begin_column(json, "names");
	for (uint32_t i = 0; i < lane->slice_count; i++)
		json_uint(json, text_index(&lanes->names,
					sites[lane->slices[i].site].name));
	json_end(json, ']');
	put_args(lanes, lane);
	put_launches(lanes, lane);
}

/* Bins of a row and level: the start of the first, and for each the distance to
 * the one before in bins, busy time, slices and leading name. */
static void put_bins(struct page_lanes *lanes, const struct page_lane *lane)
{
	struct json *json = &lanes->part->sheet.json;
	const struct trace_site *sites = lanes->part->trace->sites;

	begin_column(json, "bins");
	for (uint32_t i = 0; i < lane->bin_count; i++) {
		const struct slice_bin *bin = &lane->bins[i];
		bool is_first = i == 0 || bin[-1].row != bin->row ||
				bin[-1].level != bin->level;

		if (is_first) {
			json_begin(json, '[');
			json_uint(json, bin->row);
			json_uint(json, bin->level);
			put_difference(
				json, slice_bin_start(bin), lanes->start_ns);
		}
		json_uint(json, is_first ? 0 : bin->index - bin[-1].index);
		json_uint(json, bin->busy_ns);
		json_uint(json, bin->count);
		json_uint(
			json, text_index(&lanes->names, sites[bin->site].name));
		if (i + 1 == lane->bin_count || bin[1].row != bin->row ||
			bin[1].level != bin->level)
			json_end(json, ']');
	}
	json_end(json, ']');
}

void page_slices_write(struct page_lanes *lanes, const struct page_lane *lane)
{
	put_slices(lanes, lane);
	put_bins(lanes, lane);
}

static uint32_t number_at(const struct page_texts *texts, size_t at)
{
	uint32_t number;

	memcpy(&number, texts->numbers.bytes + at, sizeof(number));
	return number;
}

void page_slices_write_texts(struct page_lanes *lanes)
{
	const struct page_texts *names = &lanes->names;
	const struct page_texts *args = &lanes->args;
	struct json *json = &lanes->part->sheet.json;

	begin_column(json, "names");
	for (size_t at = 0; at < names->numbers.used; at += sizeof(uint32_t))
		columns_page_text(&lanes->part->sheet,
			strtab_text(lanes->part->trace->text,
				number_at(names, at), NULL));
	json_end(json, ']');
	begin_column(json, "args");
	for (size_t at = 0; at < args->numbers.used; at += sizeof(uint32_t)) {
		size_t size;
		const char *text = strtab_text(
			lanes->digest->args, number_at(args, at), &size);

		json_begin(json, '{');
		json_value(json, text, size);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_series(struct page_lanes *lanes, const struct series *series)
{
	const struct trace *trace = lanes->part->trace;
	const struct trace_track *track = &trace->tracks[series->track];
	struct sheet *sheet = &lanes->part->sheet;
	struct json *json = &sheet->json;
	int64_t before = lanes->start_ns;

	json_begin(json, '{');
	json_key(json, "name");
	columns_page_text(sheet, strtab_text(trace->text, series->name, NULL));
	json_key(json, "key");
	columns_page_text(sheet, strtab_text(trace->text, series->key, NULL));
	json_key(json, "process");
	columns_page_text(
		sheet, strtab_text(trace->text, track->process_name, NULL));
	report_int(json, "pid", series->pid);
	report_bool(json, "memory", series->name == 0);
	report_int(json, "device", series->device);
	report_uint(json, "every", series->every);
	begin_column(json, "times");
	for (uint32_t i = 0; i < series->count; i++) {
		put_difference(json, series->points[i].time_ns, before);
		before = series->points[i].time_ns;
	}
	json_end(json, ']');
	begin_column(json, "values");
	for (uint32_t i = 0; i < series->count; i++)
		json_double(json, series->points[i].value);
	json_end(json, ']');
	json_end(json, '}');
}

void page_slices_write_values(struct page_lanes *lanes)
{
	const struct digest *digest = lanes->digest;
	const struct trace *trace = lanes->part->trace;
	struct json *json = &lanes->part->sheet.json;

	begin_column(json, "steps");
	for (uint32_t i = 0; i < digest->step_count; i++) {
		const struct digest_step *step = &digest->steps[i];

		json_begin(json, '[');
		put_difference(json, step->time_ns, lanes->start_ns);
		json_uint(json, step->number);
		columns_page_text(&lanes->part->sheet,
			trace_site_name(trace, step->site));
		json_end(json, ']');
	}
	json_end(json, ']');
	report_uint(json, "steps_hidden", digest->steps_omitted);
	begin_column(json, "series");
	for (uint32_t i = 0; i < digest->series.count; i++)
		put_series(lanes, &digest->series.items[i]);
	json_end(json, ']');
	report_uint(json, "values_hidden", digest->series.omitted);
}
