/* SPDX-License-Identifier: MIT */
/* The timeline of a page: the lanes with most time, in the order of their
 * processes. */
#include "report/page_tracks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "cli/columns_page.h"
#include "input/report.h"

#define TRACKS_HUNDREDTHS 12 /* at least */
#define UNTIL_HUNDREDTHS 92  /* of all, including earlier members */
#define LANES_MAX 1000

static int compare_numbers(int64_t left, int64_t right)
{
	return (left > right) - (left < right);
}

/* A lane with its sort keys. */
struct lane_order {
	const struct digest_lane *lane;
	const struct trace_track *track;
	uint32_t number;
};

static int compare_time(const void *a, const void *b)
{
	const struct lane_order *left = a;
	const struct lane_order *right = b;

	if (left->lane->time_ns != right->lane->time_ns)
		return left->lane->time_ns < right->lane->time_ns ? 1 : -1;
	return compare_numbers(left->number, right->number);
}

static int compare_position(const void *a, const void *b)
{
	const struct lane_order *left = a;
	const struct lane_order *right = b;
	const struct trace_track *one = left->track;
	const struct trace_track *other = right->track;
	int order = compare_numbers(one->order, other->order);

	if (order == 0 && one->pid != other->pid)
		order = compare_numbers(
			one->has_process_sort ? one->process_sort : 0,
			other->has_process_sort ? other->process_sort : 0);
	if (order == 0)
		order = compare_numbers(one->pid, other->pid);
	if (order == 0)
		order = compare_numbers(
			one->kind == TRACE_STREAM, other->kind == TRACE_STREAM);
	if (order == 0)
		order = compare_numbers(one->device, other->device);
	if (order == 0)
		order = compare_numbers(left->lane->track, right->lane->track);
	return order != 0
		       ? order
		       : compare_numbers(left->lane->part, right->lane->part);
}

static void put_lane(struct page_lanes *lanes, const struct page_lane *lane)
{
	static const char *const parts[] = {"ranges", "whole", "async"};
	struct page_part *part = lanes->part;
	const struct trace *trace = part->trace;
	const struct digest_lane *of = &lanes->digest->lanes[lane->number];
	const struct trace_track *track = &trace->tracks[of->track];
	struct json *json = &part->sheet.json;

	json_begin(json, '{');
	json_key(json, "name");
	columns_page_text(
		&part->sheet, strtab_text(trace->text, track->name, NULL));
	json_key(json, "process");
	columns_page_text(&part->sheet,
		strtab_text(trace->text, track->process_name, NULL));
	report_int(json, "pid", track->pid);
	report_int(json, "tid", track->tid);
	report_bool(json, "stream", track->kind == TRACE_STREAM);
	report_uint(json, "device", track->device);
	report_text(json, "part", parts[of->part]);
	report_uint(json, "rows", of->rows);
	report_uint(json, "count", of->count);
	report_uint(json, "time_ns", of->time_ns);
	report_uint(json, "top_ns", of->top_ns);
	page_slices_write(lanes, lane);
	json_end(json, '}');
}

static bool texts_init(struct page_texts *texts, const struct strtab *table)
{
	*texts = (struct page_texts){
		.indexes = memory_new_zeroed((size_t)strtab_count(table) + 1,
			sizeof(*texts->indexes))};
	return texts->indexes != NULL;
}

static void texts_clear(struct page_texts *texts)
{
	buffer_clear(&texts->numbers);
	memory_free(texts->indexes);
}

/* Finds the slices and bins of each lane. */
static void find_parts(struct page_lanes *lanes)
{
	const struct digest *digest = lanes->digest;
	uint32_t count = digest->store.count;

	for (uint32_t i = 0; i < lanes->count; i++)
		lanes->positions[lanes->lanes[i].number] = i + 1;
	for (uint32_t i = count; i-- > 0;) {
		const struct digest_slice *slice = &digest->store.slices[i];
		uint32_t place = lanes->positions[slice->lane];

		if (place == 0)
			continue;
		lanes->lanes[place - 1].slices = slice;
		lanes->lanes[place - 1].slice_count++;
	}
	for (uint32_t i = digest->bins.count; i-- > 0;) {
		const struct slice_bin *bin = &digest->bins.bins[i];
		uint32_t place = lanes->positions[bin->lane];

		if (place == 0)
			continue;
		lanes->lanes[place - 1].bins = bin;
		lanes->lanes[place - 1].bin_count++;
	}
}

static void put_timeline(struct page_lanes *lanes)
{
	struct page_part *part = lanes->part;
	struct json *json = &part->sheet.json;
	int64_t last_ns;

	overview_span(part->data->overview, &lanes->start_ns, &last_ns);
	json_begin(json, '{');
	report_uint(
		json, "span_ns", (uint64_t)last_ns - (uint64_t)lanes->start_ns);
	json_key(json, "lanes");
	json_begin(json, '[');
	for (uint32_t i = 0; i < lanes->count; i++)
		put_lane(lanes, &lanes->lanes[i]);
	json_end(json, ']');
	page_slices_write_texts(lanes);
	page_slices_write_values(lanes);
	json_end(json, '}');
}

/* Writes the lanes in this order, with at most *args_bytes of arguments, which
 * becomes the number written. False if out of memory. */
static bool put_lanes(struct page_part *part, struct lane_order *order,
	uint32_t count, size_t *args_bytes)
{
	const struct digest *digest = part->data->digest;
	struct page_lanes lanes = {
		.part = part, .digest = digest, .count = count};
	bool ok;

	lanes.lanes =
		memory_new_zeroed((size_t)count + 1, sizeof(*lanes.lanes));
	lanes.positions = memory_new_zeroed(
		(size_t)digest->lane_count + 1, sizeof(*lanes.positions));
	ok = texts_init(&lanes.names, part->trace->text);
	ok = texts_init(&lanes.args, digest->args) && ok &&
	     lanes.lanes != NULL && lanes.positions != NULL;
	lanes.args.bytes_max = *args_bytes;
	if (ok) {
		for (uint32_t i = 0; i < count; i++)
			lanes.lanes[i].number = order[i].number;
		find_parts(&lanes);
		page_slices_admit_args(&lanes);
		put_timeline(&lanes);
		*args_bytes = lanes.args.bytes;
		ok = !lanes.names.numbers.failed && !lanes.args.numbers.failed;
	}
	texts_clear(&lanes.names);
	texts_clear(&lanes.args);
	memory_free(lanes.lanes);
	memory_free(lanes.positions);
	return ok;
}

/* The size at which the timeline must end. */
static size_t find_limit(struct page_part *part)
{
	size_t least = page_part_limit(part, TRACKS_HUNDREDTHS);
	size_t most = page_part_limit(part, part->timeline_hundredths);
	size_t until = part->budget_bytes / 100 * UNTIL_HUNDREDTHS;

	if (most > until)
		most = until;
	return most > least ? most : least;
}

/* Writes as much as fits: fewer arguments, fewer slices, longer bins, and at last fewer lanes. */
static bool fit_lanes(
	struct page_part *part, struct lane_order *lanes, uint32_t count)
{
	struct digest *digest = part->data->digest;
	size_t limit = find_limit(part);
	uint32_t shown = count < LANES_MAX ? count : LANES_MAX;
	struct page_mark mark;
	uint64_t hidden_ns = 0;
	size_t args_bytes = SIZE_MAX;

	json_key(&part->sheet.json, "timeline");
	mark = page_part_mark(part);
	for (unsigned attempt = 0;; attempt++) {
		size_t used;
		size_t start = mark.used + mark.extra;

		qsort(lanes, count, sizeof(*lanes), compare_time);
		qsort(lanes, shown, sizeof(*lanes), compare_position);
		if (!put_lanes(part, lanes, shown, &args_bytes))
			return false;
		used = page_part_bytes(part);
		if (used <= limit || shown == 0)
			break;
		page_part_rewind(part, &mark);
		/* Escapes make them longer on the page: the rest is shorter
		 * by that, at least. */
		if (attempt == 0 && used - limit < args_bytes / 10 * 8) {
			args_bytes -= (used - limit) / 8 * 10;
			continue;
		}
		args_bytes /= 4;
		/* Nine tenths of the share that fits. */
		used = (used - start) / 64 + 1;
		used = (limit - start) / used * 9 / 10;
		if (!digest_reduce(digest,
			    (uint32_t)(digest->store.count * used / 64),
			    (uint32_t)(digest->bins.count * used / 64)))
			return false;
		if (attempt >= 2)
			shown /= 2;
	}
	for (uint32_t i = shown; i < count; i++)
		hidden_ns = saturate_sum(hidden_ns, lanes[i].lane->time_ns);
	report_uint(&part->sheet.json, "tracks_hidden", count - shown);
	report_uint(&part->sheet.json, "tracks_hidden_ns", hidden_ns);
	return true;
}

enum ctp_status page_tracks_write(struct page_part *part, struct ctp_error *err)
{
	const struct digest *digest = part->data->digest;
	struct lane_order *lanes;
	bool ok;

	if (digest == NULL)
		return CTP_OK;
	lanes = memory_resize_array(
		NULL, (size_t)digest->lane_count + 1, sizeof(*lanes));
	for (uint32_t i = 0; lanes != NULL && i < digest->lane_count; i++)
		lanes[i] = (struct lane_order){&digest->lanes[i],
			&part->trace->tracks[digest->lanes[i].track], i};
	ok = lanes != NULL && fit_lanes(part, lanes, digest->lane_count);
	memory_free(lanes);
	return ok ? CTP_OK : ctp_no_memory(err);
}
