/* SPDX-License-Identifier: MIT */
/*
 * The ranking: how far a range's share of idle time, and its own time, are
 * above the mean of all ranges that overlap a phase in which the queue ran
 * empty, in standard deviations of that sample.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gaps/optimize_queue.h"

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
	struct spill *rows; /* struct optimize_row, as the ranges began */
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
		struct spill_record record;
		struct optimize_range range;
		struct optimize_row row;

		status = spill_next(optimize->host, &record, err);
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
		status = spill_add(ranking->rows, &record, err);
		if (status != CTP_OK)
			return status;
	}
	return status == CTP_END ? spill_sort(ranking->rows, err) : status;
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
		struct spill_record record;
		struct optimize_row row;

		status = spill_next(ranking->rows, &record, err);
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

enum ctp_status optimize_rank(struct optimize *optimize, struct ctp_error *err)
{
	struct ranking ranking = {
		.optimize = optimize, .rows = spill_new(OPTIMIZE_SORT_BYTES)};
	enum ctp_status status = CTP_OK;

	if (ranking.rows == NULL)
		return no_memory(err);
	status = choose(&ranking, err);
	if (status == CTP_OK)
		status = score(&ranking, err);
	spill_free(ranking.rows);
	return status;
}
