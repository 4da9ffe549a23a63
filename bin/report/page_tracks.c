/* SPDX-License-Identifier: MIT */
/* The timeline of a page: the busiest tracks, in the order of their
 * processes. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/columns_page.h"
#include "report/page_part.h"
#include "input/report.h"

#define TRACKS_HUNDREDTHS 12
#define UNTIL_HUNDREDTHS 92 /* of all, including earlier members */
#define TRACKS_MAX 64

/* A track with events. */
struct lane {
	uint64_t busy_ns;
	const struct trace_track *track;
	const struct overview_bin *bins;
};

/* The bins with time: [first, end). */
struct bin_range {
	uint64_t first;
	uint64_t end;
	uint64_t bin_ns;
};

static int compare_busy(const void *a, const void *b)
{
	const struct lane *left = a;
	const struct lane *right = b;

	if (left->busy_ns != right->busy_ns)
		return left->busy_ns < right->busy_ns ? 1 : -1;
	return (left->track > right->track) - (left->track < right->track);
}

static int compare_position(const void *a, const void *b)
{
	const struct trace_track *left = ((const struct lane *)a)->track;
	const struct trace_track *right = ((const struct lane *)b)->track;
	bool left_device = left->kind == TRACE_STREAM;
	bool right_device = right->kind == TRACE_STREAM;

	if (left->order != right->order)
		return left->order < right->order ? -1 : 1;
	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	if (left_device != right_device)
		return left_device ? 1 : -1;
	if (left->device != right->device)
		return left->device < right->device ? -1 : 1;
	return (left > right) - (left < right);
}

/* Skips driver-reported API calls, which are on the thread already. */
static uint32_t find_lanes(const struct page_part *part, struct lane *lanes)
{
	const struct trace *trace = part->trace;
	uint32_t count = 0;

	for (uint32_t i = 0; i < trace->track_count; i++) {
		struct lane *lane = &lanes[count];

		lane->track = &trace->tracks[i];
		lane->bins =
			overview_track(part->data->overview, i, &lane->busy_ns);
		count += lane->bins != NULL && lane->track->kind != TRACE_CALLS;
	}
	return count;
}

static struct bin_range shown_bins(const struct overview *overview)
{
	struct bin_range range;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t start_ns = (uint64_t)overview_start(overview, &range.bin_ns);

	overview_span(overview, &first_ns, &last_ns);
	range.first = ((uint64_t)first_ns - start_ns) / range.bin_ns;
	range.end = ((uint64_t)last_ns - start_ns) / range.bin_ns + 1;
	return range;
}

/* Hundredths of a bin. */
static uint64_t share_of(uint64_t time_ns, uint64_t bin_ns)
{
	if (time_ns >= bin_ns)
		return 100;
	/* Bins are powers of two; long ones need no more precision. */
	if (bin_ns > UINT64_MAX / 128)
		return time_ns / (bin_ns / 100);
	return (time_ns * 100 + bin_ns / 2) / bin_ns;
}

/* Names that lead bins, as numbers of a list on the page. */
struct top_names {
	struct buffer numbers; /* uint32_t strtab numbers in list order */
	uint32_t *indexes;     /* by strtab number: list number + 1 */
	bool left_out;         /* omitted for lack of room */
};

static int64_t top_name_index(struct top_names *names,
	const struct overview_bin *bin, const struct trace *trace)
{
	uint32_t *index;

	if (bin->lead_ns == 0 || names->left_out)
		return PAGE_NOT_SHOWN;
	index = &names->indexes[trace->sites[bin->site].name];
	if (*index == 0) {
		buffer_add(&names->numbers, &trace->sites[bin->site].name,
			sizeof(uint32_t));
		*index = (uint32_t)(names->numbers.used / sizeof(uint32_t));
	}
	return (int64_t)*index - 1;
}

/* The displayed values of a bin: busy share, leading name and its minimum
 * share. */
struct shown_bin {
	uint64_t busy;
	int64_t top_name;
	uint64_t top_share;
};

static struct shown_bin show_bin(struct top_names *names,
	const struct overview_bin *bin, const struct trace *trace,
	uint64_t bin_ns)
{
	return (struct shown_bin){share_of(bin->busy_ns, bin_ns),
		top_name_index(names, bin, trace),
		share_of(bin->lead_ns, bin_ns)};
}

static bool are_bins_equal(const struct shown_bin *a, const struct shown_bin *b)
{
	return a->busy == b->busy && a->top_name == b->top_name &&
	       a->top_share == b->top_share;
}

/* Consecutive equal bins are written once, after their number. */
static void put_bins(struct page_part *part, const struct lane *lane,
	const struct bin_range *range, struct top_names *names)
{
	struct json *json = &part->sheet.json;
	uint64_t at = range->first;

	json_begin(json, '[');
	while (at < range->end) {
		struct shown_bin bin = show_bin(
			names, &lane->bins[at], part->trace, range->bin_ns);
		struct shown_bin next = bin;
		uint64_t first = at;

		while (are_bins_equal(&bin, &next) && ++at < range->end)
			next = show_bin(names, &lane->bins[at], part->trace,
				range->bin_ns);
		json_uint(json, at - first);
		json_uint(json, bin.busy);
		json_int(json, bin.top_name);
		json_uint(json, bin.top_share);
	}
	json_end(json, ']');
}

static void put_lane(struct page_part *part, const struct lane *lane,
	const struct bin_range *range, struct top_names *names)
{
	const struct trace *trace = part->trace;
	const struct trace_track *track = lane->track;
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
	report_uint(json, "busy_ns", lane->busy_ns);
	json_key(json, "bins");
	put_bins(part, lane, range, names);
	json_end(json, '}');
}

static void put_names(struct page_part *part, const struct top_names *names)
{
	struct json *json = &part->sheet.json;

	json_key(json, "names");
	json_begin(json, '[');
	for (size_t at = 0; at < names->numbers.used; at += sizeof(uint32_t)) {
		uint32_t number;

		memcpy(&number, names->numbers.bytes + at, sizeof(number));
		columns_page_text(&part->sheet,
			strtab_text(part->trace->text, number, NULL));
	}
	json_end(json, ']');
}

static void put_window(struct page_part *part, const struct bin_range *range)
{
	struct json *json = &part->sheet.json;
	int64_t first_ns;
	int64_t last_ns;

	overview_span(part->data->overview, &first_ns, &last_ns);
	report_uint(json, "bin_ns", range->bin_ns);
	report_uint(json, "bins", range->end - range->first);
	/* From the start of the recording to the first bin: negative. */
	json_key(json, "offset_ns");
	json_int(json,
		-(int64_t)(((uint64_t)first_ns - (uint64_t)overview_start(
							 part->data->overview,
							 &(uint64_t){0})) %
			   range->bin_ns));
	report_uint(json, "span_ns", (uint64_t)last_ns - (uint64_t)first_ns);
}

/* Writes `count` lanes; names come last, because they are collected from the
 * lanes. False if out of memory. */
static bool put_lanes(
	struct page_part *part, struct lane *lanes, uint32_t count, bool named)
{
	struct bin_range range = shown_bins(part->data->overview);
	struct top_names names = {.numbers = BUFFER_INIT,
		.indexes = memory_new_zeroed(strtab_count(part->trace->text),
			sizeof(*names.indexes)),
		.left_out = !named};
	struct json *json = &part->sheet.json;
	bool ok = names.indexes != NULL;

	json_begin(json, '{');
	put_window(part, &range);
	json_key(json, "tracks");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count && ok; i++)
		put_lane(part, &lanes[i], &range, &names);
	json_end(json, ']');
	put_names(part, &names);
	json_end(json, '}');
	ok = ok && !names.numbers.failed;
	buffer_clear(&names.numbers);
	memory_free(names.indexes);
	return ok;
}

/* Writes as many lanes as fit. A single lane that is too large may use the room
 * left by earlier members, and then omits names. */
static bool fit_lanes(
	struct page_part *part, struct lane *lanes, uint32_t count)
{
	size_t last = part->budget_bytes / 100 * UNTIL_HUNDREDTHS;
	size_t limit = page_part_limit(part, TRACKS_HUNDREDTHS);
	uint32_t shown = count < TRACKS_MAX ? count : TRACKS_MAX;
	bool named = true;
	struct page_mark mark;

	qsort(lanes, count, sizeof(*lanes), compare_busy);
	json_key(&part->sheet.json, "timeline");
	mark = page_part_mark(part);
	for (;;) {
		qsort(lanes, shown, sizeof(*lanes), compare_position);
		if (!put_lanes(part, lanes, shown, named))
			return false;
		if (page_part_bytes(part) <= (shown > 1 ? limit : last) ||
			shown == 0)
			break;
		page_part_rewind(part, &mark);
		qsort(lanes, shown, sizeof(*lanes), compare_busy);
		if (shown == 1 && named)
			named = false;
		else
			shown /= 2;
	}
	report_uint(&part->sheet.json, "tracks_hidden", count - shown);
	return true;
}

enum ctp_status page_tracks_write(struct page_part *part, struct ctp_error *err)
{
	struct lane *lanes;
	bool ok;

	if (part->data->overview == NULL)
		return CTP_OK;
	lanes = memory_resize_array(
		NULL, (size_t)part->trace->track_count + 1, sizeof(*lanes));
	ok = lanes != NULL && fit_lanes(part, lanes, find_lanes(part, lanes));
	memory_free(lanes);
	return ok ? CTP_OK : ctp_no_memory(err);
}
