/* SPDX-License-Identifier: MIT */
#include "trace/open_ranges.h"

#include <assert.h>

#include "trace/event.h"
#include "base/memory.h"

static void forget(struct open_range *range)
{
	event_copy_clear(&range->begin);
	for (uint32_t i = 0; i < range->bound_count; i++)
		event_copy_clear(&range->bound[i]);
	range->bound_count = 0;
}

void open_ranges_clear(struct open_ranges *ranges)
{
	for (uint32_t i = 0; i < ranges->room; i++) {
		struct open_track *track = &ranges->tracks[i];

		for (uint32_t j = 0; j < track->room; j++) {
			forget(&track->ranges[j]);
			memory_free(track->ranges[j].bound);
		}
		memory_free(track->ranges);
	}
	memory_free(ranges->tracks);
	*ranges = (struct open_ranges){0};
}

struct open_track *open_ranges_track(struct open_ranges *ranges, uint32_t track)
{
	return memory_reach(&ranges->tracks, track, &ranges->room,
		       sizeof(*ranges->tracks))
		       ? &ranges->tracks[track]
		       : NULL;
}

struct open_range *open_track_push(
	struct open_track *track, const struct event *begin)
{
	struct open_range *range;

	if (!memory_reach(&track->ranges, track->depth, &track->room,
		    sizeof(*track->ranges)))
		return NULL;
	range = &track->ranges[track->depth];
	forget(range);
	if (!event_copy(&range->begin, begin))
		return NULL;
	range->hidden = false;
	range->shown = false;
	track->depth++;
	return range;
}

struct open_range *open_track_top(const struct open_track *track)
{
	return track->depth == 0 ? NULL : &track->ranges[track->depth - 1];
}

void open_track_pop(struct open_track *track)
{
	assert(track->depth > 0);
	track->depth--;
	if (track->shown > track->depth)
		track->shown = track->depth;
}

bool open_range_bind(struct open_range *range, const struct event *event)
{
	if (!memory_grow32(&range->bound, range->bound_count,
		    &range->bound_room, sizeof(*range->bound)))
		return false;
	if (!event_copy(&range->bound[range->bound_count], event))
		return false;
	range->bound_count++;
	return true;
}
