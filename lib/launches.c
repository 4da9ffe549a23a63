/* SPDX-License-Identifier: MIT */
#include "launches.h"

#include "device_join.h"
#include "memory.h"

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
	/* By process and correlation; NULL until a call is met. */
	struct device_join *starts; /* the time */
	struct device_join *threads;
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
	device_join_free(launches->starts);
	device_join_free(launches->threads);
	memory_free(launches);
}

static bool reach(struct launches *launches, uint32_t track)
{
	uint32_t count = launches->trace->track_count;
	struct starts *tracks;

	if (track < launches->track_count)
		return true;
	tracks = memory_resize_array(launches->tracks, count, sizeof(*tracks));
	if (tracks == NULL)
		return false;
	for (uint32_t i = launches->track_count; i < count; i++)
		tracks[i] = (struct starts){0};
	launches->tracks = tracks;
	launches->track_count = count;
	return true;
}

static bool push(struct starts *starts, int64_t time_ns)
{
	if (!memory_grow32(&starts->times_ns, starts->depth, &starts->room,
		    sizeof(*starts->times_ns)))
		return false;
	starts->times_ns[starts->depth++] = time_ns;
	return true;
}

static bool add_call(struct launches *launches, const struct event *event)
{
	const struct starts *open = &launches->tracks[event->track];
	int64_t pid = launches->trace->tracks[event->track].pid;
	int64_t start_ns = open->depth == 0 ? event->time_ns
					    : open->times_ns[open->depth - 1];

	if (launches->starts == NULL)
		launches->starts = device_join_new(DEVICE_JOIN_LIMIT);
	if (launches->threads == NULL)
		launches->threads = device_join_new(DEVICE_JOIN_LIMIT);
	return launches->starts != NULL && launches->threads != NULL &&
	       device_join_add(
		       launches->starts, pid, event->id, (uint64_t)start_ns) &&
	       device_join_add(launches->threads, pid, event->id, event->track);
}

bool launches_see(struct launches *launches, const struct event *event)
{
	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END &&
		event->kind != EVENT_CORRELATION)
		return true;
	if (!reach(launches, event->track))
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
	uint64_t start;
	uint64_t thread;

	if (launches->starts == NULL || event->id == 0 ||
		!device_join_find(launches->starts, pid, event->id, &start) ||
		!device_join_find(launches->threads, pid, event->id, &thread))
		return false;
	*launch = (struct launch){(int64_t)start, (uint32_t)thread};
	return true;
}
