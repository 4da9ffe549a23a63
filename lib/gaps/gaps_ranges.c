/* SPDX-License-Identifier: MIT */
/*
 * Begins and ends of ranges, of which there are more than of all else. The
 * times of a thread do not go back, so they need no sorting: each thread's are
 * packed into blocks, of a few bytes for each, and it is the blocks that are
 * sorted, by their thread.
 *
 * A block has the time from which it counts, and then of each: a byte that says
 * how many bytes there are of the time since the one before it, and of the site
 * plus one, of which an end has none; and these.
 */
#include <string.h>

#include "gaps/gaps_private.h"
#include "base/memory.h"
#include "base/packed.h"

#define BLOCK_BYTES 512
/* What writing one may touch: the byte before it, its time, and its site. */
#define RANGE_ROOM (1 + 2 * PACKED_MAX)
#define SITE_SHIFT 4

struct gaps_block {
	uint32_t used;
	uint8_t bytes[BLOCK_BYTES];
};

static enum ctp_status put_block(
	struct gaps *gaps, uint32_t track, struct ctp_error *err)
{
	const struct gaps_block *block = gaps->extents[track].block;
	const struct spill_record record = {
		.time_ns = track, .bytes = block->bytes, .size = block->used};

	return spill_add(gaps->host, &record, err);
}

/* Begins a block of a track, after the one that is full. */
static enum ctp_status begin_block(
	struct gaps *gaps, uint32_t track, struct ctp_error *err)
{
	struct gaps_extent *extent = &gaps->extents[track];
	enum ctp_status status = CTP_OK;

	if (extent->block != NULL) {
		status = put_block(gaps, track, err);
	} else {
		extent->block = memory_new(sizeof(*extent->block));
		if (extent->block == NULL)
			status = gaps_no_memory(err);
	}
	if (status != CTP_OK)
		return status;
	memcpy(extent->block->bytes, &extent->range_ns,
		sizeof(extent->range_ns));
	extent->block->used = sizeof(extent->range_ns);
	return CTP_OK;
}

enum ctp_status gaps_ranges_add(
	struct gaps *gaps, const struct event *event, struct ctp_error *err)
{
	struct gaps_extent *extent = &gaps->extents[event->track];
	struct gaps_block *block = extent->block;
	uint64_t site =
		event->kind == EVENT_BEGIN ? (uint64_t)event->site + 1 : 0;
	/* A time that goes back would change the order. */
	uint64_t later_ns =
		event->time_ns > extent->range_ns
			? (uint64_t)event->time_ns - (uint64_t)extent->range_ns
			: 0;
	unsigned time_size = packed_size(later_ns);
	unsigned site_size = packed_size(site);
	uint8_t *at;

	if (block == NULL || block->used > BLOCK_BYTES - RANGE_ROOM) {
		enum ctp_status status = begin_block(gaps, event->track, err);

		if (status != CTP_OK)
			return status;
		block = extent->block;
	}
	at = &block->bytes[block->used];
	*at = (uint8_t)(time_size | site_size << SITE_SHIFT);
	packed_write(at + 1, later_ns);
	packed_write(at + 1 + time_size, site);
	block->used += 1 + time_size + site_size;
	extent->range_ns = (int64_t)((uint64_t)extent->range_ns + later_ns);
	return CTP_OK;
}

enum ctp_status gaps_ranges_finish(struct gaps *gaps, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < gaps->extent_count && status == CTP_OK; i++)
		if (gaps->extents[i].block != NULL)
			status = put_block(gaps, i, err);
	return status == CTP_OK ? spill_sort(gaps->host, err) : status;
}

struct gaps_ranges gaps_ranges_open(const struct spill_record *record)
{
	const uint8_t *bytes = record->bytes;
	struct gaps_ranges ranges = {.at = bytes + sizeof(ranges.time_ns),
		.end = bytes + record->size};

	memcpy(&ranges.time_ns, bytes, sizeof(ranges.time_ns));
	return ranges;
}

bool gaps_ranges_next(struct gaps_ranges *ranges, struct gaps_range *range)
{
	unsigned time_size;
	unsigned site_size;

	if (ranges->at == ranges->end)
		return false;
	time_size = *ranges->at & ((1U << SITE_SHIFT) - 1);
	site_size = (unsigned)*ranges->at >> SITE_SHIFT;
	ranges->at += 1 + time_size;
	ranges->time_ns = (int64_t)((uint64_t)ranges->time_ns +
				    packed_read(ranges->at, time_size));
	ranges->at += site_size;
	*range = (struct gaps_range){
		.time_ns = ranges->time_ns, .site = TRACE_NONE};
	if (site_size > 0)
		range->site =
			(uint32_t)(packed_read(ranges->at, site_size) - 1);
	return true;
}
