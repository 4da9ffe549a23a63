/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_correlation.h"

#include <stdlib.h>

#include "base/memory.h"

void chrome_correlation_init(
	struct chrome_correlation *table, const struct trace *trace)
{
	*table = (struct chrome_correlation){.trace = trace};
}

static void clear(struct chrome_correlation_ids *ids)
{
	memory_free(ids->ids);
	*ids = (struct chrome_correlation_ids){.ids = NULL};
}

void chrome_correlation_clear(struct chrome_correlation *table)
{
	clear(&table->calls);
	clear(&table->external);
	clear(&table->work);
	memory_free(table->seen);
	table->seen = NULL;
}

static bool add(struct chrome_correlation_ids *ids, uint64_t id)
{
	if (!array_reserve(
		    &ids->ids, ids->count, &ids->room, sizeof(*ids->ids)))
		return false;
	ids->ids[ids->count++] = id;
	return true;
}

bool chrome_correlation_add_call(
	struct chrome_correlation *table, uint64_t correlation)
{
	if (table->calls.count == CHROME_CORRELATION_LIMIT)
		table->full = true;
	return table->full || add(&table->calls, correlation);
}

bool chrome_correlation_add_work(
	struct chrome_correlation *table, struct chrome_cause_ids cause)
{
	if (cause.external == 0)
		return true;
	if (cause.external != cause.correlation)
		table->real = true;
	if (table->work.count == CHROME_CORRELATION_LIMIT)
		table->full = true;
	return table->full || (add(&table->work, cause.correlation) &&
				      add(&table->external, cause.external));
}

/* Frees unused room, which may be all of it. */
static void shrink(struct chrome_correlation_ids *ids)
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

static void sort(struct chrome_correlation_ids *ids)
{
	if (ids->count > 1)
		qsort(ids->ids, ids->count, sizeof(*ids->ids), compare);
}

/* The index of an id; SIZE_MAX: not found. */
static size_t find(const struct chrome_correlation_ids *ids, uint64_t id)
{
	const uint64_t *found = NULL;

	if (ids->count > 0)
		found = bsearch(&id, ids->ids, ids->count, sizeof(id), compare);
	return found == NULL ? SIZE_MAX : (size_t)(found - ids->ids);
}

static bool by_external(const struct chrome_correlation *table)
{
	return table->trace->request.join == READ_JOIN_EXTERNAL;
}

/* Keeps the External ids that will be looked up, each once. */
static void retain_needed(struct chrome_correlation *table)
{
	struct chrome_correlation_ids *ids = &table->external;
	size_t count = 0;

	for (size_t i = 0; i < ids->count; i++)
		if (by_external(table) ||
			find(&table->calls, table->work.ids[i]) == SIZE_MAX)
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

bool chrome_correlation_finish(struct chrome_correlation *table)
{
	bool none = table->trace->request.join == READ_JOIN_CORRELATION ||
		    (!by_external(table) && (!table->real || table->full));

	if (none) {
		/* These large tables will not be used. */
		clear(&table->calls);
		clear(&table->external);
	} else {
		sort(&table->calls);
		retain_needed(table);
	}
	clear(&table->work);
	table->seen =
		memory_new_zeroed(table->external.count + 1, sizeof(bool));
	return table->seen != NULL;
}

uint64_t chrome_correlation_call(
	const struct chrome_correlation *table, uint64_t correlation)
{
	return by_external(table) ? 0 : correlation;
}

uint64_t chrome_correlation_op(
	struct chrome_correlation *table, uint64_t external)
{
	size_t place = find(&table->external, external);

	if (external == 0)
		return 0;
	if (place != SIZE_MAX)
		table->seen[place] = true;
	else if (!by_external(table) || !table->full)
		return 0;
	return external | TRACE_EXTERNAL_ID_BIT;
}

uint64_t chrome_correlation_work(
	const struct chrome_correlation *table, struct chrome_cause_ids cause)
{
	size_t place;

	if (cause.external == 0 || (table->external.count == 0 && !table->full))
		return cause.correlation;
	if (by_external(table) && table->full)
		return cause.external | TRACE_EXTERNAL_ID_BIT;
	if (!by_external(table) &&
		find(&table->calls, cause.correlation) != SIZE_MAX)
		return cause.correlation;
	place = find(&table->external, cause.external);
	if (place == SIZE_MAX || !table->seen[place])
		return cause.correlation;
	return cause.external | TRACE_EXTERNAL_ID_BIT;
}
