/* SPDX-License-Identifier: MIT */
#include "gaps/launches.h"

#include "trace/device_join.h"
#include "base/memory.h"

/* When the ranges of a track began that are open. */
struct starts {
	int64_t *times_ns;
	uint32_t depth;
	uint32_t room;
};

struct launches {
	const struct trace *trace;
	struct starts *tracks; /* by number */
	uint32_t track_count;
	struct device_join *join; /* to places in `calls`; NULL: none yet */
	/* As many as are joined, in a ring. */
	struct launch *calls;
	uint32_t call_count;
	uint32_t call_room;
	uint32_t call_next;
};

struct launches *launches_new(const struct trace *trace)
{
	struct launches *launches = memory_new_zeroed(1, sizeof(*launches));

	if (launches != NULL)
		launches->trace = trace;
	return launches;
}

void launches_free(struct launches *launches)
{
	if (launches == NULL)
		return;
	for (uint32_t i = 0; i < launches->track_count; i++)
		memory_free(launches->tracks[i].times_ns);
	memory_free(launches->tracks);
	device_join_free(launches->join);
	memory_free(launches->calls);
	memory_free(launches);
}

static bool push(struct starts *starts, int64_t time_ns)
{
	if (!memory_grow32(&starts->times_ns, starts->depth, &starts->room,
		    sizeof(*starts->times_ns)))
		return false;
	starts->times_ns[starts->depth++] = time_ns;
	return true;
}

/* A place in the ring, whose call the join is about to forget; false if out of
 * memory. */
static bool take_place(struct launches *launches, uint32_t *place)
{
	*place = launches->call_next;
	if (*place == launches->call_count) {
		if (!memory_grow32(&launches->calls, launches->call_count,
			    &launches->call_room, sizeof(*launches->calls)))
			return false;
		launches->call_count++;
	}
	launches->call_next = (*place + 1) % DEVICE_JOIN_LIMIT;
	return true;
}

static bool add_call(struct launches *launches, const struct event *event)
{
	const struct starts *open = &launches->tracks[event->track];
	int64_t pid = launches->trace->tracks[event->track].pid;
	int64_t start_ns = open->depth == 0 ? event->time_ns
					    : open->times_ns[open->depth - 1];
	uint32_t place;

	if (launches->join == NULL)
		launches->join = device_join_new(DEVICE_JOIN_LIMIT);
	if (launches->join == NULL || !take_place(launches, &place))
		return false;
	launches->calls[place] = (struct launch){start_ns, event->track};
	return device_join_add(launches->join, pid, event->id, place);
}

bool launches_see(struct launches *launches, const struct event *event)
{
	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END &&
		event->kind != EVENT_CORRELATION)
		return true;
	if (!memory_reach(&launches->tracks, event->track,
		    &launches->track_count, sizeof(*launches->tracks)))
		return false;
	if (event->kind == EVENT_CORRELATION)
		return add_call(launches, event);
	if (event->kind == EVENT_BEGIN)
		return push(&launches->tracks[event->track], event->time_ns);
	if (launches->tracks[event->track].depth > 0)
		launches->tracks[event->track].depth--;
	return true;
}

bool launches_find(const struct launches *launches, const struct event *event,
	struct launch *launch)
{
	int64_t pid = launches->trace->tracks[event->track].pid;
	uint64_t place;

	if (launches->join == NULL || event->id == 0 ||
		!device_join_find(launches->join, pid, event->id, &place))
		return false;
	*launch = launches->calls[place];
	return true;
}
