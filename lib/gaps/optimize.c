/* SPDX-License-Identifier: MIT */
/*
 * The ranking: how far a range's share of idle time, and its own time, are
 * above the mean of all ranges that overlap a phase in which the queue ran
 * empty, in standard deviations of that sample.
 */
#include "gaps/optimize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gaps/optimize_queue.h"
#include "profile/device_work.h"

#define SELF_WEIGHT 0.6

/* Of values that come one by one.
 * Source: Welford, Note on a Method for Calculating Corrected Sums of Squares
 * and Products, 1962. */
struct moments {
	double count;
	double mean;
	double squares; /* sum of squared distances from the mean */
};

struct ranking {
	struct optimize *optimize;
	struct extsort *rows; /* struct optimize_row, as the ranges began */
	struct moments idle;
	struct moments self;
	uint32_t room;
};

static void take_value(struct moments *moments, double value)
{
	double distance = value - moments->mean;

	moments->count++;
	moments->mean += distance / moments->count;
	moments->squares += distance * (value - moments->mean);
}

/* 0 where all values are the same. */
static double distance(const struct moments *moments, double value)
{
	double deviation =
		moments->count < 2
			? 0
			: sqrt(moments->squares / (moments->count - 1));

	return deviation > 0 ? (value - moments->mean) / deviation : 0;
}

static double idle_share(const struct optimize_row *row)
{
	return row->duration_ns == 0
		       ? 0
		       : (double)row->idle_ns / (double)row->duration_ns;
}

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

/* Those that take part. */
static enum ctp_status choose(struct ranking *ranking, struct ctp_error *err)
{
	struct optimize *optimize = ranking->optimize;
	enum ctp_status status;

	for (;;) {
		struct extsort_record record;
		struct optimize_range range;
		struct optimize_row row;

		status = extsort_next(optimize->host, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&range, record.bytes, sizeof(range));
		if (optimize_spans_cover(&optimize->falling, range.start_ns,
			    range.end_ns) == 0)
			continue;
		row = (struct optimize_row){.site = range.site,
			.place = range.place,
			.start_ns = range.start_ns,
			.duration_ns = (uint64_t)range.end_ns -
				       (uint64_t)range.start_ns,
			.self_ns = range.self_ns,
			.idle_ns = optimize_spans_cover(
				&optimize->idle, range.start_ns, range.end_ns)};
		take_value(&ranking->idle, idle_share(&row));
		take_value(&ranking->self, (double)row.self_ns);
		record.bytes = &row;
		record.size = sizeof(row);
		status = extsort_add(ranking->rows, &record, err);
		if (status != CTP_OK)
			return status;
	}
	return status == CTP_END ? extsort_sort(ranking->rows, err) : status;
}

/* The better first; of equal ones, that which began first. */
static int compare(const void *left, const void *right)
{
	const struct optimize_row *one = left;
	const struct optimize_row *other = right;

	if (one->score != other->score)
		return one->score > other->score ? -1 : 1;
	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	if (one->duration_ns != other->duration_ns)
		return one->duration_ns > other->duration_ns ? -1 : 1;
	return (one->site > other->site) - (one->site < other->site);
}

/* Keeps the best of those so far. */
static void cut(struct optimize *optimize)
{
	uint32_t length = optimize->options.length;

	if (optimize->row_count > 0)
		qsort(optimize->rows, optimize->row_count,
			sizeof(*optimize->rows), compare);
	if (length != 0 && optimize->row_count > length)
		optimize->row_count = length;
}

static bool keep(struct ranking *ranking, const struct optimize_row *row)
{
	struct optimize *optimize = ranking->optimize;

	if (optimize->row_count == ranking->room) {
		uint32_t length = optimize->options.length;
		struct optimize_row *rows = optimize->rows;
		uint32_t room = ranking->room == 0 ? 256 : ranking->room * 2;

		if (length != 0 && ranking->room / 2 >= length) {
			cut(optimize);
		} else {
			if (ranking->room > UINT32_MAX / 4)
				return false;
			rows = memory_resize_array(rows, room, sizeof(*rows));
			if (rows == NULL)
				return false;
			optimize->rows = rows;
			ranking->room = room;
		}
	}
	optimize->rows[optimize->row_count++] = *row;
	return true;
}

static enum ctp_status score(struct ranking *ranking, struct ctp_error *err)
{
	enum ctp_status status;

	for (;;) {
		struct extsort_record record;
		struct optimize_row row;

		status = extsort_next(ranking->rows, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&row, record.bytes, sizeof(row));
		row.score = distance(&ranking->idle, idle_share(&row)) +
			    SELF_WEIGHT * distance(&ranking->self,
						  (double)row.self_ns);
		if (!keep(ranking, &row))
			return no_memory(err);
	}
	cut(ranking->optimize);
	return status == CTP_END ? CTP_OK : status;
}

static enum ctp_status optimize_rank(
	struct optimize *optimize, struct ctp_error *err)
{
	struct ranking ranking = {
		.optimize = optimize, .rows = extsort_new(OPTIMIZE_SORT_BYTES)};
	enum ctp_status status = CTP_OK;

	if (ranking.rows == NULL)
		return no_memory(err);
	status = choose(&ranking, err);
	if (status == CTP_OK)
		status = score(&ranking, err);
	extsort_free(ranking.rows);
	return status;
}

/* Collects ranges of the host as they end, and launches and kernels. */

/* A range that is open. */
struct optimize_open {
	int64_t start_ns;
	uint64_t children_ns;
	uint64_t id; /* of a call of the API: of what it causes */
	uint32_t site;
	uint32_t place;
	bool is_call; /* or something else that is no range here */
	bool is_launch;
};

struct optimize *optimize_new(
	const struct trace *trace, struct optimize_options options)
{
	struct optimize *optimize = memory_new_zeroed(1, sizeof(*optimize));

	if (optimize == NULL)
		return NULL;
	optimize->trace = trace;
	optimize->options = options;
	optimize->host = extsort_new(OPTIMIZE_SORT_BYTES);
	optimize->points = extsort_new(OPTIMIZE_SORT_BYTES);
	if (optimize->host != NULL && optimize->points != NULL)
		return optimize;
	optimize_free(optimize);
	return NULL;
}

void optimize_free(struct optimize *optimize)
{
	if (optimize == NULL)
		return;
	for (uint32_t i = 0; i < optimize->track_count; i++)
		memory_free(optimize->tracks[i].open);
	memory_free(optimize->tracks);
	memory_free(optimize->sites);
	extsort_free(optimize->host);
	extsort_free(optimize->points);
	memory_free(optimize->busy.items);
	memory_free(optimize->idle.items);
	memory_free(optimize->falling.items);
	memory_free(optimize->rows);
	memory_free(optimize);
}

static bool reach(struct optimize *optimize, uint32_t track)
{
	uint32_t count = optimize->trace->track_count;
	struct optimize_track *tracks;

	if (track < optimize->track_count)
		return true;
	tracks = memory_resize_array(optimize->tracks, count, sizeof(*tracks));
	if (tracks == NULL)
		return false;
	for (uint32_t i = optimize->track_count; i < count; i++)
		tracks[i] = (struct optimize_track){.latest_ns = INT64_MIN};
	optimize->tracks = tracks;
	optimize->track_count = count;
	return true;
}

/* Has the site a place in a file: "file.py(12): name", or a file of its own? */
static bool has_place(const struct trace *trace, uint32_t site)
{
	const char *found = strstr(trace_site_name(trace, site), ".py(");

	return (found != NULL && strchr(found, ')') != NULL) ||
	       trace->sites[site].file != 0;
}

/* Calls of the API are none here; nor is the time that PyTorch's profiler was
 * on. */
static bool is_no_range(const struct trace *trace, uint32_t site)
{
	return device_work_is_api(trace, site) ||
	       strcmp(strtab_text(
			      trace->text, trace->sites[site].category, NULL),
		       "Trace") == 0;
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The document knows CUDA's runtime alone. */
static bool is_launch(const struct optimize *optimize, uint32_t site)
{
	static const char *const starts[] = {"cudaLaunchKernel",
		"__cudaLaunchKernel", "cudaLaunchCooperativeKernel"};
	const char *name = trace_site_name(optimize->trace, site);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (begins_with(name, starts[i]))
			return true;
	return optimize->options.robust;
}

/* The document takes for kernels what is not named like a copy. */
static bool is_kernel(const struct optimize *optimize, uint32_t site)
{
	static const char *const parts[] = {"mem", "cpy", "alloc", "free"};
	const char *name = trace_site_name(optimize->trace, site);

	if (optimize->options.robust)
		return device_work_kind(optimize->trace, site) ==
		       PROFILE_KERNEL;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcasestr(name, parts[i]) != NULL)
			return false;
	return true;
}

/* NULL if out of memory. */
static const struct optimize_site *site_of(
	struct optimize *optimize, uint32_t number)
{
	const struct trace *trace = optimize->trace;
	struct optimize_site *site;

	if (!memory_reach(&optimize->sites, number, &optimize->site_room,
		    sizeof(*optimize->sites)))
		return NULL;
	site = &optimize->sites[number];
	if (!site->known)
		*site = (struct optimize_site){.known = true,
			.has_place = has_place(trace, number),
			.is_call = is_no_range(trace, number),
			.is_launch = is_launch(optimize, number),
			.is_work =
				device_work_kind(trace, number) != PROFILE_HOST,
			.is_kernel = is_kernel(optimize, number)};
	return site;
}

static bool begin(struct optimize *optimize, const struct event *event)
{
	struct optimize_track *track = &optimize->tracks[event->track];
	const struct optimize_site *site = site_of(optimize, event->site);
	struct optimize_open open = {.start_ns = event->time_ns,
		.site = event->site,
		.place = event->site};

	if (site == NULL || !memory_grow32(&track->open, track->depth,
				    &track->room, sizeof(*track->open)))
		return false;
	open.is_call = site->is_call;
	open.is_launch = site->is_launch;
	if (!site->has_place)
		open.place = track->depth == 0
				     ? TRACE_NONE
				     : track->open[track->depth - 1].place;
	track->open[track->depth++] = open;
	return true;
}

static void see_host(
	struct optimize *optimize, int64_t start_ns, int64_t end_ns)
{
	if (!optimize->has_host || start_ns < optimize->first_ns)
		optimize->first_ns = start_ns;
	if (!optimize->has_host || start_ns > optimize->last_start_ns ||
		(start_ns == optimize->last_start_ns &&
			end_ns < optimize->last_end_ns)) {
		optimize->last_start_ns = start_ns;
		optimize->last_end_ns = end_ns;
	}
	if (!optimize->has_host || end_ns > optimize->latest_ns)
		optimize->latest_ns = end_ns;
	optimize->has_host = true;
}

static enum ctp_status add_range(struct optimize *optimize,
	const struct optimize_range *range, struct ctp_error *err)
{
	const struct extsort_record record = {.time_ns = range->start_ns,
		.bytes = range,
		.size = sizeof(*range)};

	see_host(optimize, range->start_ns, range->end_ns);
	return extsort_add(optimize->host, &record, err);
}

static enum ctp_status add_point(struct optimize *optimize,
	const struct optimize_point *point, struct ctp_error *err)
{
	const struct extsort_record record = {.time_ns = point->start_ns,
		.rank = (int64_t)point->is_kernel,
		.bytes = point,
		.size = sizeof(*point)};

	return extsort_add(optimize->points, &record, err);
}

static enum ctp_status end(struct optimize *optimize, uint32_t number,
	int64_t time_ns, struct ctp_error *err)
{
	struct optimize_track *track = &optimize->tracks[number];
	const struct optimize_open *open;
	uint64_t duration_ns;

	if (track->depth == 0)
		return CTP_OK;
	open = &track->open[--track->depth];
	duration_ns = (uint64_t)time_ns - (uint64_t)open->start_ns;
	if (open->is_call) {
		const struct optimize_point launch = {
			.start_ns = open->start_ns,
			.end_ns = time_ns,
			.pid = optimize->trace->tracks[number].pid,
			.id = open->id};

		return open->id != 0 && open->is_launch
			       ? add_point(optimize, &launch, err)
			       : CTP_OK;
	}
	for (uint32_t i = track->depth; i-- > 0;)
		if (!track->open[i].is_call) {
			track->open[i].children_ns += duration_ns;
			break;
		}
	return add_range(optimize,
		&(const struct optimize_range){.start_ns = open->start_ns,
			.end_ns = time_ns,
			.self_ns = duration_ns > open->children_ns
					   ? duration_ns - open->children_ns
					   : 0,
			.site = open->site,
			.place = open->place},
		err);
}

static int64_t end_of(const struct event *event)
{
	uint64_t most = (uint64_t)INT64_MAX - (uint64_t)event->time_ns;

	return event->dur_ns > most
		       ? INT64_MAX
		       : (int64_t)((uint64_t)event->time_ns + event->dur_ns);
}

static enum ctp_status add_activity(struct optimize *optimize,
	const struct event *event, struct ctp_error *err)
{
	const struct trace_track *track =
		&optimize->trace->tracks[event->track];
	const struct optimize_site *site = site_of(optimize, event->site);
	const struct optimize_point kernel = {.start_ns = event->time_ns,
		.end_ns = end_of(event),
		.pid = track->pid,
		.id = event->id,
		.is_kernel = true};

	if (site == NULL)
		return no_memory(err);
	if (track->kind != TRACE_STREAM || !site->is_work)
		return CTP_OK;
	if (optimize->options.robust && !optimize_spans_add(&optimize->busy,
						kernel.start_ns, kernel.end_ns))
		return no_memory(err);
	if (!site->is_kernel)
		return CTP_OK;
	optimize->has_kernels = true;
	return add_point(optimize, &kernel, err);
}

/* One that overlaps others without nesting stands beside them. */
static enum ctp_status add_complete(struct optimize *optimize,
	const struct event *event, struct ctp_error *err)
{
	const struct optimize_site *site = site_of(optimize, event->site);
	struct optimize_range range = {.start_ns = event->time_ns,
		.end_ns = end_of(event),
		.self_ns = event->dur_ns,
		.site = event->site,
		.place = TRACE_NONE};

	if (site == NULL)
		return no_memory(err);
	if (site->has_place)
		range.place = event->site;
	return site->is_call ? CTP_OK : add_range(optimize, &range, err);
}

/* Times that go back are taken as standing. */
static int64_t in_order(struct optimize_track *track, int64_t time_ns)
{
	if (time_ns > track->latest_ns)
		track->latest_ns = time_ns;
	return track->latest_ns;
}

enum ctp_status optimize_add(struct optimize *optimize,
	const struct event *event, struct ctp_error *err)
{
	struct optimize_track *track;
	struct event mended = *event;

	if (!reach(optimize, event->track))
		return no_memory(err);
	track = &optimize->tracks[event->track];
	switch (event->kind) {
	case EVENT_BEGIN:
		mended.time_ns = in_order(track, event->time_ns);
		return begin(optimize, &mended) ? CTP_OK : no_memory(err);
	case EVENT_END:
		return end(optimize, event->track,
			in_order(track, event->time_ns), err);
	case EVENT_COMPLETE:
		return add_complete(optimize, event, err);
	case EVENT_CORRELATION:
		if (track->depth > 0)
			track->open[track->depth - 1].id = event->id;
		return CTP_OK;
	case EVENT_ACTIVITY:
		return add_activity(optimize, event, err);
	default:
		return CTP_OK;
	}
}

/* What is open ends when the track does. */
static enum ctp_status end_all(struct optimize *optimize, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < optimize->track_count; i++) {
		struct optimize_track *track = &optimize->tracks[i];
		int64_t end_ns =
			track->depth == 0
				? 0
				: in_order(track,
					  trace_track_end(optimize->trace, i));

		while (track->depth > 0 && status == CTP_OK)
			status = end(optimize, i, end_ns, err);
	}
	return status;
}

enum ctp_status optimize_finish(
	struct optimize *optimize, struct ctp_error *err)
{
	enum ctp_status status = end_all(optimize, err);

	if (status == CTP_OK)
		status = extsort_sort(optimize->host, err);
	if (status == CTP_OK)
		status = extsort_sort(optimize->points, err);
	if (status == CTP_OK)
		status = optimize_read_queue(optimize, err);
	return status == CTP_OK ? optimize_rank(optimize, err) : status;
}

bool optimize_has_kernels(const struct optimize *optimize)
{
	return optimize->has_kernels;
}

const struct optimize_row *optimize_rows(
	const struct optimize *optimize, uint32_t *count)
{
	*count = optimize->row_count;
	return optimize->rows;
}
