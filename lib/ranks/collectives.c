/* SPDX-License-Identifier: MIT */
#include "ranks/collectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "base/stable_hash.h"

void collectives_clear(struct collectives *collectives)
{
	for (uint32_t i = 0; i < collectives->kind_count; i++)
		spread_clear(&collectives->kinds[i].durations);
	memory_free(collectives->kinds);
	memory_free(collectives->kind_index.entries);
	memory_free(collectives->instances);
	memory_free(collectives->instance_index.entries);
	*collectives = (struct collectives){.kind_count = 0};
}

uint32_t collectives_kind(
	struct collectives *collectives, const struct collective_kind *kind)
{
	uint64_t hash = collective_kind_hash(kind);
	uint32_t count = collectives->kind_count;
	uint32_t slot;
	uint32_t found;

	if (!index_reserve(&collectives->kind_index, count))
		return INDEX_NONE;
	slot = index_first(&collectives->kind_index, hash);
	while ((found = index_find(&collectives->kind_index, hash, &slot)) !=
		INDEX_NONE) {
		if (collective_kind_compare(
			    &collectives->kinds[found].kind, kind) == 0)
			return found;
		slot = index_after(&collectives->kind_index, slot);
	}
	if (!array_reserve32(&collectives->kinds, count,
		    &collectives->kind_room, sizeof(*collectives->kinds)))
		return INDEX_NONE;
	collectives->kinds[count] = (struct collective_stats){.kind = *kind};
	collectives->kinds[count].kind.members = 0;
	index_set(&collectives->kind_index, slot, hash, count);
	return collectives->kind_count++;
}

static uint64_t instance_hash(const struct collective_instance *instance)
{
	const uint64_t key[] = {instance->series, instance->number};

	return stable_hash(key, sizeof(key));
}

static void join(struct collectives *collectives,
	struct collective_instance *to, const struct collective_instance *from)
{
	if (from->kind != to->kind &&
		collective_kind_compare(&collectives->kinds[from->kind].kind,
			&collectives->kinds[to->kind].kind) < 0)
		to->kind = from->kind;
	if (from->min_ns < to->min_ns ||
		(from->min_ns == to->min_ns && from->min_rank < to->min_rank))
		to->min_rank = from->min_rank;
	if (from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->count = saturate_sum(to->count, from->count);
	to->sum_ns = saturate_sum(to->sum_ns, from->sum_ns);
}

bool collectives_add_instance(struct collectives *collectives,
	const struct collective_instance *instance)
{
	struct index *index = &collectives->instance_index;
	uint64_t hash = instance_hash(instance);
	uint32_t count = collectives->instance_count;
	uint32_t slot;
	uint32_t found;

	if (!index_reserve(index, count))
		return false;
	slot = index_first(index, hash);
	while ((found = index_find(index, hash, &slot)) != INDEX_NONE) {
		struct collective_instance *known =
			&collectives->instances[found];

		if (known->series == instance->series &&
			known->number == instance->number) {
			join(collectives, known, instance);
			return true;
		}
		slot = index_after(index, slot);
	}
	if (!array_reserve32(&collectives->instances, count,
		    &collectives->instance_room,
		    sizeof(*collectives->instances)))
		return false;
	collectives->instances[count] = *instance;
	index_set(index, slot, hash, count);
	collectives->instance_count++;
	return true;
}

bool collectives_add(struct collectives *to, const struct collectives *from)
{
	uint32_t *kinds =
		memory_new_zeroed((size_t)from->kind_count + 1, sizeof(*kinds));
	bool done = kinds != NULL;

	for (uint32_t i = 0; i < from->kind_count && done; i++) {
		kinds[i] = collectives_kind(to, &from->kinds[i].kind);
		done = kinds[i] != INDEX_NONE &&
		       spread_add(&to->kinds[kinds[i]].durations,
			       &from->kinds[i].durations);
	}
	for (uint32_t i = 0; i < from->instance_count && done; i++) {
		struct collective_instance instance = from->instances[i];

		instance.kind = kinds[instance.kind];
		done = collectives_add_instance(to, &instance);
	}
	memory_free(kinds);
	to->left_out = saturate_sum(to->left_out, from->left_out);
	return done;
}

static int compare_stats(const void *left, const void *right)
{
	const struct collective_stats *one = left;
	const struct collective_stats *other = right;

	return collective_kind_compare(&one->kind, &other->kind);
}

static int compare_instances(const void *left, const void *right)
{
	const struct collective_instance *one = left;
	const struct collective_instance *other = right;

	if (one->series != other->series)
		return one->series < other->series ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

/* Sorts the kinds and sets their new places. False if out of memory. */
static bool sort_kinds(struct collectives *collectives)
{
	uint32_t count = collectives->kind_count;
	struct collective_kind *old =
		memory_resize_array(NULL, (size_t)count + 1, sizeof(*old));
	uint32_t *places =
		memory_new_zeroed((size_t)count + 1, sizeof(*places));
	bool done = old != NULL && places != NULL;

	for (uint32_t i = 0; i < count && done; i++)
		old[i] = collectives->kinds[i].kind;
	if (done && count > 0)
		qsort(collectives->kinds, count, sizeof(*collectives->kinds),
			compare_stats);
	if (done && collectives->kind_index.size > 0)
		index_clear(&collectives->kind_index);
	for (uint32_t i = 0; i < count && done; i++)
		index_add(&collectives->kind_index,
			collective_kind_hash(&collectives->kinds[i].kind), i);
	for (uint32_t i = 0; i < count && done; i++)
		places[i] = collectives_kind(collectives, &old[i]);
	for (uint32_t i = 0; i < collectives->instance_count && done; i++)
		collectives->instances[i].kind =
			places[collectives->instances[i].kind];
	memory_free(old);
	memory_free(places);
	return done;
}

bool collectives_sort(struct collectives *collectives)
{
	uint32_t count = collectives->instance_count;

	if (!sort_kinds(collectives))
		return false;
	if (count == 0)
		return true;
	qsort(collectives->instances, count, sizeof(*collectives->instances),
		compare_instances);
	index_clear(&collectives->instance_index);
	for (uint32_t i = 0; i < count; i++)
		index_add(&collectives->instance_index,
			instance_hash(&collectives->instances[i]), i);
	return true;
}

struct collective_sums *collectives_sum(const struct collectives *collectives)
{
	struct collective_sums *sums = memory_new_zeroed(
		(size_t)collectives->kind_count + 1, sizeof(*sums));

	if (sums == NULL)
		return NULL;
	for (uint32_t i = 0; i < collectives->instance_count; i++) {
		const struct collective_instance *instance =
			&collectives->instances[i];
		struct collective_sums *sum = &sums[instance->kind];
		uint64_t transfers_ns =
			saturate_product(instance->count, instance->min_ns);

		sum->transfers++;
		sum->transfer_ns =
			saturate_sum(sum->transfer_ns, instance->min_ns);
		if (instance->count < 2)
			continue;
		sum->instances++;
		if (instance->sum_ns > transfers_ns)
			sum->wait_ns = saturate_sum(
				sum->wait_ns, instance->sum_ns - transfers_ns);
		sum->skew_ns = saturate_sum(
			sum->skew_ns, instance->max_ns - instance->min_ns);
	}
	for (uint32_t i = 0; i < collectives->kind_count; i++) {
		const struct collective_stats *stats = &collectives->kinds[i];

		if (collective_op_waits(stats->kind.op))
			continue;
		sums[i].transfers = stats->durations.count;
		sums[i].transfer_ns = stats->durations.sum_ns;
	}
	return sums;
}
