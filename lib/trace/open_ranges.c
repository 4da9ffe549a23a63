/* SPDX-License-Identifier: MIT */
#include "trace/open_ranges.h"

#include <assert.h>

#include "trace/event.h"
#include "base/hash.h"
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
	return array_ensure_index(&ranges->tracks, track, &ranges->room,
		       sizeof(*ranges->tracks))
		       ? &ranges->tracks[track]
		       : NULL;
}

struct open_range *open_track_push(
	struct open_track *track, const struct event *begin)
{
	struct open_range *range;

	if (!array_ensure_index(&track->ranges, track->depth, &track->room,
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
	if (!array_reserve32(&range->bound, range->bound_count,
		    &range->bound_room, sizeof(*range->bound)))
		return false;
	if (!event_copy(&range->bound[range->bound_count], event))
		return false;
	range->bound_count++;
	return true;
}

/* ---- asynchronous ranges ---- */

/* Bound on the candidates with the right name and id that are searched for one
 * on the same track, so that an end does not scan all open ranges. */
#define TRACKS_SEARCHED 256

static uint32_t name_of(const struct trace *trace, const struct event *event)
{
	return event->site < trace->site_count ? trace->sites[event->site].name
					       : 0;
}

static uint32_t *head_of(
	const struct open_asyncs *asyncs, uint32_t name, uint64_t id)
{
	return &asyncs->heads[hash_pair(name, id) & (asyncs->head_count - 1)];
}

void open_asyncs_clear(struct open_asyncs *asyncs)
{
	for (uint32_t i = 0; i < asyncs->count; i++)
		event_copy_clear(&asyncs->items[i].begin);
	memory_free(asyncs->items);
	memory_free(asyncs->heads);
	*asyncs = (struct open_asyncs){0};
}

/* Rebuilds the chains, oldest first. Chains keep their order, because reused
 * places do not reflect age. */
static bool grow_heads(struct open_asyncs *asyncs)
{
	uint32_t count = asyncs->head_count == 0 ? 64 : 2 * asyncs->head_count;
	struct open_asyncs old = *asyncs;
	uint32_t *heads;

	if (asyncs->used < asyncs->head_count)
		return true;
	heads = memory_new_zeroed(count, sizeof(*heads));
	if (heads == NULL)
		return false;
	asyncs->heads = heads;
	asyncs->head_count = count;
	for (uint32_t i = 0; i < old.head_count; i++) {
		uint32_t place = old.heads[i];
		uint32_t last[2] = {0, 0}; /* of the two new chains */

		while (place != 0) {
			struct open_async *item = &asyncs->items[place - 1];
			uint32_t *head =
				head_of(asyncs, item->name, item->begin.id);
			uint32_t half = head - heads >= old.head_count;
			uint32_t next = item->older;

			if (last[half] == 0)
				*head = place;
			else
				asyncs->items[last[half] - 1].older = place;
			item->older = 0;
			last[half] = place;
			place = next;
		}
	}
	memory_free(old.heads);
	return true;
}

static struct open_async *new_item(struct open_asyncs *asyncs)
{
	struct open_async *item;

	if (asyncs->free != 0) {
		item = &asyncs->items[asyncs->free - 1];
		asyncs->free = item->older;
		event_copy_clear(&item->begin);
		return item;
	}
	if (!array_reserve32(&asyncs->items, asyncs->count, &asyncs->room,
		    sizeof(*asyncs->items)))
		return NULL;
	item = &asyncs->items[asyncs->count++];
	*item = (struct open_async){0};
	return item;
}

/* Appends to the list by age. */
static void link_aged(struct open_asyncs *asyncs, uint32_t number)
{
	struct open_async *item = &asyncs->items[number - 1];

	item->before = asyncs->last;
	item->after = 0;
	if (asyncs->last == 0)
		asyncs->first = number;
	else
		asyncs->items[asyncs->last - 1].after = number;
	asyncs->last = number;
}

static void unlink_aged(
	struct open_asyncs *asyncs, const struct open_async *item)
{
	if (item->before == 0)
		asyncs->first = item->after;
	else
		asyncs->items[item->before - 1].after = item->after;
	if (item->after == 0)
		asyncs->last = item->before;
	else
		asyncs->items[item->after - 1].before = item->before;
}

struct open_async *open_asyncs_add(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *begin)
{
	struct open_async *item = new_item(asyncs);
	uint32_t *head;

	if (item == NULL)
		return NULL;
	item->shown = false;
	item->name = name_of(trace, begin);
	if (!grow_heads(asyncs) || !event_copy(&item->begin, begin))
		return NULL;
	head = head_of(asyncs, item->name, begin->id);
	item->older = *head;
	*head = (uint32_t)(item - asyncs->items) + 1;
	link_aged(asyncs, *head);
	asyncs->used++;
	return item;
}

/* Returns the link to the range that ends in its chain; NULL if there is
 * none. */
static uint32_t *find_begun(
	struct open_asyncs *asyncs, uint32_t name, const struct event *end)
{
	uint32_t *found = NULL;
	uint32_t *place;
	uint32_t looked = 0;

	if (asyncs->used == 0)
		return NULL;
	for (place = head_of(asyncs, name, end->id); *place != 0;
		place = &asyncs->items[*place - 1].older) {
		const struct open_async *item = &asyncs->items[*place - 1];

		if (item->name != name || item->begin.id != end->id)
			continue;
		if (item->begin.track == end->track)
			return place;
		if (found == NULL)
			found = place;
		if (++looked == TRACKS_SEARCHED)
			break;
	}
	return found;
}

struct open_async *open_asyncs_remove(struct open_asyncs *asyncs,
	const struct trace *trace, const struct event *end)
{
	uint32_t *place = find_begun(asyncs, name_of(trace, end), end);
	struct open_async *item;
	uint32_t number;

	if (place == NULL)
		return NULL;
	number = *place;
	item = &asyncs->items[number - 1];
	*place = item->older;
	item->older = asyncs->free;
	asyncs->free = number;
	asyncs->used--;
	unlink_aged(asyncs, item);
	return item;
}
