/* SPDX-License-Identifier: MIT */
#include "chrome/trace_join.h"

#include <stdlib.h>

#include "base/memory.h"

void trace_join_init(struct trace_join_table *join, const struct trace *trace)
{
	*join = (struct trace_join_table){.trace = trace};
}

static void clear(struct trace_ids *ids)
{
	memory_free(ids->ids);
	*ids = (struct trace_ids){.ids = NULL};
}

void trace_join_clear(struct trace_join_table *join)
{
	clear(&join->calls);
	clear(&join->external);
	clear(&join->work);
	memory_free(join->seen);
	join->seen = NULL;
}

static bool add(struct trace_ids *ids, uint64_t id)
{
	if (!memory_grow(&ids->ids, ids->count, &ids->room, sizeof(*ids->ids)))
		return false;
	ids->ids[ids->count++] = id;
	return true;
}

bool trace_join_add_call(struct trace_join_table *join, uint64_t correlation)
{
	if (join->calls.count == TRACE_JOIN_LIMIT)
		join->full = true;
	return join->full || add(&join->calls, correlation);
}

bool trace_join_add_work(
	struct trace_join_table *join, struct trace_cause cause)
{
	if (cause.external == 0)
		return true;
	if (cause.external != cause.correlation)
		join->real = true;
	if (join->work.count == TRACE_JOIN_LIMIT)
		join->full = true;
	return join->full || (add(&join->work, cause.correlation) &&
				     add(&join->external, cause.external));
}

/* Gives back the room that is not used, which may be all of it. */
static void shrink(struct trace_ids *ids)
{
	uint64_t *fewer = memory_resize_array(
		ids->ids, ids->count + 1, sizeof(*ids->ids));

	if (fewer == NULL)
		return;
	ids->ids = fewer;
	ids->room = ids->count + 1;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void sort(struct trace_ids *ids)
{
	if (ids->count > 1)
		qsort(ids->ids, ids->count, sizeof(*ids->ids), compare);
}

/* The place of an id; SIZE_MAX: it is not there. */
static size_t find(const struct trace_ids *ids, uint64_t id)
{
	const uint64_t *found = NULL;

	if (ids->count > 0)
		found = bsearch(&id, ids->ids, ids->count, sizeof(id), compare);
	return found == NULL ? SIZE_MAX : (size_t)(found - ids->ids);
}

static bool by_external(const struct trace_join_table *join)
{
	return join->trace->join == TRACE_JOIN_EXTERNAL;
}

/* Keeps the External ids that somebody will ask for, each once. */
static void choose(struct trace_join_table *join)
{
	struct trace_ids *ids = &join->external;
	size_t count = 0;

	for (size_t i = 0; i < ids->count; i++)
		if (by_external(join) ||
			find(&join->calls, join->work.ids[i]) == SIZE_MAX)
			ids->ids[count++] = ids->ids[i];
	ids->count = count;
	sort(ids);
	count = 0;
	for (size_t i = 0; i < ids->count; i++)
		if (i == 0 || ids->ids[i] != ids->ids[i - 1])
			ids->ids[count++] = ids->ids[i];
	ids->count = count;
	shrink(ids);
}

bool trace_join_finish(struct trace_join_table *join)
{
	bool none = join->trace->join == TRACE_JOIN_CORRELATION ||
		    (!by_external(join) && (!join->real || join->full));

	if (none) {
		/* Nobody asks for these, which are large. */
		clear(&join->calls);
		clear(&join->external);
	} else {
		sort(&join->calls);
		choose(join);
	}
	clear(&join->work);
	join->seen = memory_new_zeroed(join->external.count + 1, sizeof(bool));
	return join->seen != NULL;
}

uint64_t trace_join_call(
	const struct trace_join_table *join, uint64_t correlation)
{
	return by_external(join) ? 0 : correlation;
}

uint64_t trace_join_op(struct trace_join_table *join, uint64_t external)
{
	size_t place = find(&join->external, external);

	if (external == 0)
		return 0;
	if (place != SIZE_MAX)
		join->seen[place] = true;
	else if (!by_external(join) || !join->full)
		return 0;
	return external | TRACE_EXTERNAL_ID_BIT;
}

uint64_t trace_join_work(
	const struct trace_join_table *join, struct trace_cause cause)
{
	size_t place;

	if (cause.external == 0 || (join->external.count == 0 && !join->full))
		return cause.correlation;
	if (by_external(join) && join->full)
		return cause.external | TRACE_EXTERNAL_ID_BIT;
	if (!by_external(join) &&
		find(&join->calls, cause.correlation) != SIZE_MAX)
		return cause.correlation;
	place = find(&join->external, cause.external);
	if (place == SIZE_MAX || !join->seen[place])
		return cause.correlation;
	return cause.external | TRACE_EXTERNAL_ID_BIT;
}
