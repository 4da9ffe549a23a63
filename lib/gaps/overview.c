/* SPDX-License-Identifier: MIT */
/*
 * A bin's length is a power of two and its start a multiple of it, so that a
 * bin is always completely inside a longer one: contents are moved, never
 * split.
 *
 * The leader of a bin is found by voting: the leader's time adds to its lead,
 * other time reduces it. The true time is at least the remaining lead, and a
 * site with more than half of a bin always leads. Source: R. S. Boyer, J S.
 * Moore, MJRTY - A Fast Majority Vote Algorithm, 1991.
 */
#include "gaps/overview.h"

#include <stdbool.h>
#include <string.h>

#include "profile/profile.h"
#include "base/memory.h"

#define OVERVIEW_TRACKS (TRACE_CALLS + 1)

/* Most bins in use after lengthening. */
#define BINS_USED (OVERVIEW_BINS / 4 * 3)

struct row {
	struct overview_bin *bins;
	uint32_t *open; /* sites */
	uint32_t depth;
	uint32_t room;
	int64_t since_ns; /* earlier time is in the bins */
};

struct overview {
	const struct trace *trace;
	struct row *rows; /* by track */
	uint32_t row_count;
	unsigned shift; /* bins are 1 << shift ns long */
	int64_t start_ns;
	int64_t first_ns;
	int64_t last_ns;
	bool any; /* the times are set by an event */
	/* Events by kind and kind of track. */
	uint64_t seen[EVENT_KINDS][OVERVIEW_TRACKS];
	uint64_t activities;
	struct overview_counts counts;
};

struct overview *overview_new(const struct trace *trace)
{
	struct overview *overview = memory_new_zeroed(1, sizeof(*overview));

	if (overview != NULL)
		overview->trace = trace;
	return overview;
}

void overview_free(struct overview *overview)
{
	if (overview == NULL)
		return;
	for (uint32_t i = 0; i < overview->row_count; i++) {
		memory_free(overview->rows[i].bins);
		memory_free(overview->rows[i].open);
	}
	memory_free(overview->rows);
	memory_free(overview);
}

static uint64_t distance(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

static int64_t align(int64_t time_ns, unsigned shift)
{
	return (int64_t)((uint64_t)time_ns >> shift << shift);
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void vote(struct overview *overview, struct overview_bin *bin,
	uint32_t site, uint64_t time_ns)
{
	const struct trace_site *sites = overview->trace->sites;

	if (bin->lead_ns != 0 && sites[bin->site].name == sites[site].name) {
		bin->lead_ns = sum(bin->lead_ns, time_ns);
	} else if (bin->lead_ns >= time_ns) {
		bin->lead_ns -= time_ns;
	} else {
		bin->lead_ns = time_ns - bin->lead_ns;
		bin->site = site;
	}
}

/* Moves a row's contents to bins of another start and length. */
static void move_row(struct overview *overview, struct row *row,
	int64_t start_ns, unsigned shift)
{
	struct overview_bin bins[OVERVIEW_BINS] = {0};

	if (row->bins == NULL)
		return;
	for (uint64_t i = 0; i < OVERVIEW_BINS; i++) {
		const struct overview_bin *from = &row->bins[i];
		uint64_t at =
			(uint64_t)overview->start_ns + (i << overview->shift);
		struct overview_bin *to;

		if (from->busy_ns == 0)
			continue;
		to = &bins[(at - (uint64_t)start_ns) >> shift];
		to->busy_ns = sum(to->busy_ns, from->busy_ns);
		if (from->lead_ns != 0)
			vote(overview, to, from->site, from->lead_ns);
	}
	memcpy(row->bins, bins, sizeof(bins));
}

/* Lengthens the bins until they cover all known time; the spare ones are on the
 * growing side. */
static void lengthen(struct overview *overview, bool leftwards)
{
	unsigned shift = overview->shift;
	int64_t start_ns;
	uint64_t spare_ns;

	while (distance(align(overview->first_ns, shift), overview->last_ns) >>
		shift >= BINS_USED)
		shift++;
	start_ns = align(overview->first_ns, shift);
	if (leftwards) {
		uint64_t used = distance(start_ns, overview->last_ns) >> shift;

		spare_ns = (OVERVIEW_BINS - 1 - used) << shift;
		if (spare_ns > distance(INT64_MIN, start_ns))
			spare_ns = distance(INT64_MIN, start_ns);
		start_ns = (int64_t)((uint64_t)start_ns - spare_ns);
	}
	for (uint32_t i = 0; i < overview->row_count; i++)
		move_row(overview, &overview->rows[i], start_ns, shift);
	overview->start_ns = start_ns;
	overview->shift = shift;
}

/* Ensures a bin for this time and all between it and the others. */
static inline void extend_span(struct overview *overview, int64_t time_ns)
{
	if (!overview->any) {
		overview->any = true;
		overview->start_ns = time_ns;
		overview->first_ns = time_ns;
		overview->last_ns = time_ns;
	} else if (time_ns > overview->last_ns) {
		overview->last_ns = time_ns;
		if (distance(overview->start_ns, time_ns) >> overview->shift >=
			OVERVIEW_BINS)
			lengthen(overview, false);
	} else if (time_ns < overview->first_ns) {
		overview->first_ns = time_ns;
		if (time_ns < overview->start_ns)
			lengthen(overview, true);
	}
}

/* The row of a track; NULL if out of memory. */
static struct row *row_of(struct overview *overview, uint32_t track)
{
	return array_ensure_index(&overview->rows, track, &overview->row_count,
		       sizeof(*overview->rows))
		       ? &overview->rows[track]
		       : NULL;
}

/* Adds a time interval to the bins; TRACE_NONE does not lead. False if out of
 * memory. */
static bool fill(struct overview *overview, struct row *row, int64_t from_ns,
	int64_t until_ns, uint32_t site)
{
	if (row->bins == NULL)
		row->bins =
			memory_new_zeroed(OVERVIEW_BINS, sizeof(*row->bins));
	if (row->bins == NULL)
		return false;
	while (from_ns < until_ns) {
		uint64_t number = distance(overview->start_ns, from_ns) >>
				  overview->shift;
		struct overview_bin *bin = &row->bins[number];
		uint64_t left_ns = distance(from_ns, until_ns);
		uint64_t bin_ns = UINT64_C(1) << overview->shift;
		uint64_t part_ns =
			bin_ns -
			distance(align(from_ns, overview->shift), from_ns);

		if (part_ns > left_ns)
			part_ns = left_ns;
		bin->busy_ns = sum(bin->busy_ns, part_ns);
		if (site != TRACE_NONE)
			vote(overview, bin, site, part_ns);
		from_ns = (int64_t)((uint64_t)from_ns + part_ns);
	}
	return true;
}

/* Adds the time until now to the innermost open range; false if out of
 * memory. */
static bool advance(struct overview *overview, struct row *row, int64_t now_ns)
{
	bool ok = true;

	if (row->depth > 0 && now_ns > row->since_ns)
		ok = fill(overview, row, row->since_ns, now_ns,
			row->open[row->depth - 1]);
	if (row->depth == 0 || now_ns > row->since_ns)
		row->since_ns = now_ns;
	return ok;
}

static bool push(struct row *row, uint32_t site)
{
	if (!array_reserve32(
		    &row->open, row->depth, &row->room, sizeof(*row->open)))
		return false;
	row->open[row->depth++] = site;
	return true;
}

static bool add_nested(
	struct overview *overview, struct row *row, const struct event *event)
{
	if (!advance(overview, row, event->time_ns))
		return false;
	if (event->kind == EVENT_BEGIN)
		return push(row, event->site);
	row->depth -= row->depth > 0;
	return true;
}

/* Adds events with a duration. On tracks with nested ranges, those show more of
 * the work than overlapping ones. */
static bool add_whole(
	struct overview *overview, struct row *row, const struct event *event)
{
	bool nests = row->room > 0;
	int64_t end_ns;

	if (__builtin_add_overflow(event->time_ns, event->dur_ns, &end_ns))
		end_ns = INT64_MAX;
	extend_span(overview, end_ns);
	/* Waiting and the tool's own overhead are not work. */
	if (event->kind == EVENT_ACTIVITY &&
		profile_kind_of(overview->trace, event->site) == PROFILE_HOST)
		return true;
	if (event->kind == EVENT_COMPLETE &&
		trace_site_is_span(overview->trace, event->site))
		return true;
	return fill(overview, row, event->time_ns, end_ns,
		nests ? TRACE_NONE : event->site);
}

static uint64_t sum_kind(const struct overview *overview, enum event_kind kind)
{
	uint64_t count = 0;

	for (int i = 0; i < OVERVIEW_TRACKS; i++)
		count += overview->seen[kind][i];
	return count;
}

static void set_counts(struct overview *overview)
{
	const uint64_t *complete = overview->seen[EVENT_COMPLETE];

	overview->counts = (struct overview_counts){
		.ranges = sum_kind(overview, EVENT_BEGIN) +
			  sum_kind(overview, EVENT_COMPLETE) -
			  complete[TRACE_STREAM],
		.activities = overview->activities,
		.instants = sum_kind(overview, EVENT_INSTANT),
		.counters = sum_kind(overview, EVENT_COUNTER),
		.async = sum_kind(overview, EVENT_ASYNC_BEGIN),
		.memory = sum_kind(overview, EVENT_ALLOC) +
			  sum_kind(overview, EVENT_FREE),
		.steps = sum_kind(overview, EVENT_STEP),
	};
}

enum ctp_status overview_add(struct overview *overview,
	const struct event *event, struct ctp_error *err)
{
	struct row *row;
	bool ok = true;

	if (event->kind == EVENT_ARGS)
		return CTP_OK;
	overview->seen[event->kind]
		      [overview->trace->tracks[event->track].kind]++;
	overview->activities += profile_is_activity(overview->trace, event);
	extend_span(overview, event->time_ns);
	row = row_of(overview, event->track);
	if (row == NULL)
		ok = false;
	else if (event->kind == EVENT_BEGIN || event->kind == EVENT_END)
		ok = add_nested(overview, row, event);
	else if (event->kind == EVENT_COMPLETE || event->kind == EVENT_ACTIVITY)
		ok = add_whole(overview, row, event);
	return ok ? CTP_OK : ctp_no_memory(err);
}

enum ctp_status overview_finish(
	struct overview *overview, struct ctp_error *err)
{
	set_counts(overview);
	for (uint32_t i = 0; i < overview->row_count; i++) {
		struct row *row = &overview->rows[i];
		int64_t end_ns;

		if (row->depth == 0)
			continue;
		end_ns = trace_track_end(overview->trace, i);
		extend_span(overview, end_ns);
		if (!advance(overview, row, end_ns))
			return ctp_no_memory(err);
		row->depth = 0;
	}
	return CTP_OK;
}

const struct overview_counts *overview_counts(const struct overview *overview)
{
	return &overview->counts;
}

void overview_span(
	const struct overview *overview, int64_t *first_ns, int64_t *last_ns)
{
	*first_ns = overview->first_ns;
	*last_ns = overview->last_ns;
}

int64_t overview_start(const struct overview *overview, uint64_t *bin_ns)
{
	*bin_ns = UINT64_C(1) << overview->shift;
	return overview->start_ns;
}

const struct overview_bin *overview_track(
	const struct overview *overview, uint32_t track, uint64_t *busy_ns)
{
	uint64_t bin_ns = UINT64_C(1) << overview->shift;
	const struct overview_bin *bins =
		track < overview->row_count ? overview->rows[track].bins : NULL;

	*busy_ns = 0;
	for (uint32_t i = 0; bins != NULL && i < OVERVIEW_BINS; i++)
		*busy_ns += bins[i].busy_ns < bin_ns ? bins[i].busy_ns : bin_ns;
	return bins;
}
