/* SPDX-License-Identifier: MIT */
#include "gaps/launch_table.h"

#include "base/memory.h"
#include "trace/correlation.h"

/* Start times of a track's open ranges. */
struct open_starts {
	int64_t *times_ns;
	uint32_t depth;
	uint32_t room;
};

struct launch_table {
	const struct trace *trace;
	struct open_starts *tracks; /* by number */
	uint32_t track_count;
	struct correlation *join; /* to places in `calls`; NULL: none yet */
	/* A ring of the launches in `join`. */
	struct launch *calls;
	uint32_t call_count;
	uint32_t call_room;
	uint32_t call_next;
};

struct launch_table *launch_table_new(const struct trace *trace)
{
	struct launch_table *table = memory_new_zeroed(1, sizeof(*table));

	if (table != NULL)
		table->trace = trace;
	return table;
}

void launch_table_free(struct launch_table *table)
{
	if (table == NULL)
		return;
	for (uint32_t i = 0; i < table->track_count; i++)
		memory_free(table->tracks[i].times_ns);
	memory_free(table->tracks);
	correlation_free(table->join);
	memory_free(table->calls);
	memory_free(table);
}

static bool push(struct open_starts *open_starts, int64_t time_ns)
{
	if (!array_reserve32(&open_starts->times_ns, open_starts->depth,
		    &open_starts->room, sizeof(*open_starts->times_ns)))
		return false;
	open_starts->times_ns[open_starts->depth++] = time_ns;
	return true;
}

/* Finds a place in the ring, whose old call the join is about to forget; false
 * if out of memory. */
static bool next_place(struct launch_table *table, uint32_t *place)
{
	*place = table->call_next;
	if (*place == table->call_count) {
		if (!array_reserve32(&table->calls, table->call_count,
			    &table->call_room, sizeof(*table->calls)))
			return false;
		table->call_count++;
	}
	table->call_next = (*place + 1) % CORRELATION_LIMIT;
	return true;
}

static bool add_call(struct launch_table *table, const struct event *event)
{
	const struct open_starts *open = &table->tracks[event->track];
	int64_t pid = table->trace->tracks[event->track].pid;
	int64_t start_ns = open->depth == 0 ? event->time_ns
					    : open->times_ns[open->depth - 1];
	uint32_t place;

	if (table->join == NULL)
		table->join = correlation_new(CORRELATION_LIMIT);
	if (table->join == NULL || !next_place(table, &place))
		return false;
	table->calls[place] = (struct launch){start_ns, event->track};
	return correlation_add(table->join, pid, event->id, place);
}

bool launch_table_add(struct launch_table *table, const struct event *event)
{
	if (event->kind != EVENT_BEGIN && event->kind != EVENT_END &&
		event->kind != EVENT_CORRELATION)
		return true;
	if (!array_ensure_index(&table->tracks, event->track,
		    &table->track_count, sizeof(*table->tracks)))
		return false;
	if (event->kind == EVENT_CORRELATION)
		return add_call(table, event);
	if (event->kind == EVENT_BEGIN)
		return push(&table->tracks[event->track], event->time_ns);
	if (table->tracks[event->track].depth > 0)
		table->tracks[event->track].depth--;
	return true;
}

bool launch_table_find(const struct launch_table *table,
	const struct event *event, struct launch *launch)
{
	int64_t pid = table->trace->tracks[event->track].pid;
	uint64_t place;

	if (table->join == NULL || event->id == 0 ||
		!correlation_find(table->join, pid, event->id, &place))
		return false;
	*launch = table->calls[place];
	return true;
}
