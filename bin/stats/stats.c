/* SPDX-License-Identifier: MIT */
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"

#define MILLION 1000000
#define NO_OWNER (UINT32_MAX - 1)

const char *stats_memory_owner(const struct stats *stats, uint32_t owner,
	char text[PROFILE_OWNER_TEXT])
{
	return profile_owner_text(
		text, &stats->profile->memory->owners[owner].owner);
}

static int compare_owners(const void *a, const void *b, void *user)
{
	const struct profile_memory *memory = user;
	const uint32_t *left = a;
	const uint32_t *right = b;
	const struct profile_owner *one = &memory->owners[*left].owner;
	const struct profile_owner *two = &memory->owners[*right].owner;

	return profile_owner_is_before(two, one) -
	       profile_owner_is_before(one, two);
}

/* The owner of this name; NO_OWNER if there is none. */
static uint32_t find_owner(const struct stats *stats, const char *name)
{
	char text[PROFILE_OWNER_TEXT];

	for (uint32_t i = 0; i < stats->owner_count; i++)
		if (strcmp(stats_memory_owner(stats, stats->owners[i], text),
			    name) == 0)
			return stats->owners[i];
	return NO_OWNER;
}

/* Finds the owners of memory. False if out of memory. */
static bool init_memory(struct stats *stats)
{
	struct profile_memory *memory = stats->profile->memory;
	const struct profile_memory_part *part;

	if (stats->options->key_owner != NULL)
		stats->key_owner = NO_OWNER;
	if (memory == NULL)
		return true;
	stats->owners = memory_resize_array(
		NULL, memory->owner_count, sizeof(*stats->owners));
	if (stats->owners == NULL)
		return false;
	for (part = profile_memory_first(memory, memory->all); part != NULL;
		part = profile_memory_next(memory, part)) {
		stats->owners[stats->owner_count++] = part->owner;
		stats->failed[part->owner] = part->amount.failed != 0;
	}
	qsort_r(stats->owners, stats->owner_count, sizeof(*stats->owners),
		compare_owners, memory);
	if (stats->options->key_owner != NULL)
		stats->key_owner = find_owner(stats, stats->options->key_owner);
	return true;
}

struct profile_amount stats_memory_of(const struct stats *stats,
	const struct profile_function *function, uint32_t owner)
{
	return profile_memory_of(
		stats->profile->memory, function->use.memory, owner);
}

bool stats_memory_has(const struct stats *stats, uint32_t owner)
{
	for (uint32_t i = 0; i < stats->owner_count; i++)
		if (stats->owners[i] == owner)
			return true;
	return false;
}

/* Whether there is memory of the owners in --sort. */
static bool has_memory_key(const struct stats *stats)
{
	bool host = stats_memory_has(stats, PROFILE_MEMORY_HOST);

	if (stats->options->key->index == PROFILE_MEMORY_DEVICES)
		return stats->owner_count > host;
	return stats_memory_has(stats, stats->key_owner);
}

/* Ties keep the profile's order, which is total. */
static int compare(const void *a, const void *b, void *user)
{
	const struct stats *stats = user;
	const uint32_t *left = a;
	const uint32_t *right = b;
	int order = 0;

	if (stats->values[*left] != stats->values[*right])
		return stats->values[*left] > stats->values[*right] ? -1 : 1;
	if (stats->key.type == COLUMN_TEXT)
		order = strcmp(stats->profile->functions[*left].name,
			stats->profile->functions[*right].name);
	return order != 0 ? order : *left < *right ? -1 : *left > *right;
}

/* Smallest time of a shown function. */
uint64_t stats_least_time(
	const struct stats_options *options, uint64_t whole_ns)
{
	uint64_t parts = options->min_parts;
	uint64_t share = whole_ns / MILLION * parts +
			 whole_ns % MILLION * parts / MILLION;

	return share > options->min_cumtime_ns ? share
					       : options->min_cumtime_ns;
}

static void sum_device(struct stats *stats)
{
	const struct profile *profile = stats->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (function->device.captured_ns != 0)
			stats->has_captures = true;
		if (function->device.kind == PROFILE_HOST) {
			stats->host_ns = saturate_sum(
				stats->host_ns, function->cost.tottime_ns);
			continue;
		}
		stats->has_device = true;
		stats->device_ns = saturate_sum(
			stats->device_ns, function->device.self_ns);
		stats->activities =
			saturate_sum(stats->activities, function->cost.ncalls);
	}
}

bool stats_has_key(const struct stats *stats)
{
	const struct column *key = stats->options->key;

	if (key->type == COLUMN_BYTES)
		return has_memory_key(stats);
	if ((key->when & STATS_NEEDS_FLOPS) != 0)
		return stats->profile->flops != 0;
	return (key->when & STATS_NEEDS_DEVICE) == 0 || stats->has_device;
}

/* The profile is sorted by total time already. */
static bool is_sorted(const struct stats *stats)
{
	return stats->key.sort == stats_key("cumtime")->sort;
}

/* Sets the values of functions to sort by. */
static bool set_values(struct stats *stats)
{
	const struct profile *profile = stats->profile;

	if (is_sorted(stats))
		return true;
	stats->values = memory_resize_array(NULL,
		(size_t)profile->function_count + 1, sizeof(*stats->values));
	for (uint32_t i = 0;
		stats->values != NULL && i < profile->function_count; i++)
		stats->values[i] =
			stats_sort_value(stats, &profile->functions[i]);
	return stats->values != NULL;
}

/* Sorts and truncates a table; `all` is the number of functions before the
 * limits. */
static void sort_table(
	struct stats *stats, uint32_t *table, uint32_t *count, uint32_t all)
{
	uint32_t top = stats->options->top;

	if (!is_sorted(stats))
		qsort_r(table, *count, sizeof(*table), compare, stats);
	if (top != 0 && *count > top)
		*count = top;
	all -= *count;
	if (table == stats->work)
		stats->work_hidden = all;
	else
		stats->hidden = all;
}

/* The device time of a host function: launched or captured, whichever is
 * more. */
static uint64_t device_time(const struct profile_function *function)
{
	const struct profile_device *device = &function->device;

	return device->total_ns > device->captured_ns ? device->total_ns
						      : device->captured_ns;
}

/* Whether the function may be shown. */
static bool is_candidate(
	const struct stats *stats, const struct profile_function *function)
{
	const struct stats_ops *ops = stats->options->ops;

	if (stats->options->called && function->cost.ncalls == 0)
		return false;
	if (ops == NULL)
		return true;
	/* Device time is in the modules that launched it. */
	if (ops->group == AVERAGES_MODULE &&
		function->device.kind != PROFILE_HOST)
		return false;
	return !ops->top_level || function->root.ncalls != 0;
}

static void choose_rows(struct stats *stats)
{
	const struct profile *profile = stats->profile;
	bool gpu = stats->options->gpu;
	uint64_t least = stats_least_time(
		stats->options, stats->options->gpu ? stats->device_ns
						    : stats->profile->total_ns);
	uint32_t all = 0;
	uint32_t all_work = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint64_t time_ns =
			gpu ? device_time(function) : function->cost.cumtime_ns;

		if (!is_candidate(stats, function))
			continue;
		if (gpu && function->device.kind != PROFILE_HOST) {
			all_work++;
			if (time_ns >= least)
				stats->work[stats->work_count++] = i;
		} else if (!gpu || time_ns != 0) {
			all++;
			if (time_ns >= least)
				stats->order[stats->count++] = i;
		}
	}
	sort_table(stats, stats->order, &stats->count, all);
	sort_table(stats, stats->work, &stats->work_count, all_work);
}

/* Edges are sorted by callee; this indexes them by caller. */
static bool index_callees(struct stats *stats)
{
	const struct profile *profile = stats->profile;
	uint32_t *first = memory_new_zeroed(
		(size_t)profile->function_count + 2, sizeof(*first));
	uint32_t *edges = memory_resize_array(
		NULL, (size_t)profile->edge_count + 1, sizeof(*edges));

	stats->callees = first;
	stats->callee_edges = edges;
	if (first == NULL || edges == NULL)
		return false;
	for (uint32_t i = 0; i < profile->edge_count; i++)
		first[profile->edges[i].caller + 2]++;
	for (uint32_t i = 2; i < profile->function_count + 2; i++)
		first[i] += first[i - 1];
	/* Filling shifted by one entry moves every start to its place. */
	for (uint32_t i = 0; i < profile->edge_count; i++)
		edges[first[profile->edges[i].caller + 1]++] = i;
	return true;
}

/* The sort key; memory that was not asked for by name is that of devices, if
 * there is any. */
static struct column choose_key(const struct stats *stats)
{
	const struct stats_options *options = stats->options;
	bool host = stats_memory_has(stats, PROFILE_MEMORY_HOST);
	struct column key;

	if (options->key_default && options->key == stats_key("self-memory") &&
		stats->owner_count > host)
		return *stats_key("self-device-memory");
	if (!stats_has_key(stats))
		return *stats_key(options->key_default ? "tottime" : "cumtime");
	key = *options->key;
	if (key.type == COLUMN_BYTES && key.index != PROFILE_MEMORY_DEVICES)
		key.index = stats->key_owner;
	return key;
}

enum ctp_status stats_init(struct stats *stats, const struct profile *profile,
	const struct stats_options *options, struct ctp_error *err)
{
	*stats = (struct stats){.profile = profile, .options = options};
	stats->order = memory_resize_array(NULL,
		(size_t)profile->function_count + 1, sizeof(*stats->order));
	stats->work = memory_resize_array(NULL,
		(size_t)profile->function_count + 1, sizeof(*stats->work));
	if (stats->order == NULL || stats->work == NULL || !init_memory(stats))
		return ctp_no_memory(err);
	sum_device(stats);
	stats->key = choose_key(stats);
	if (!set_values(stats))
		return ctp_no_memory(err);
	choose_rows(stats);
	if (options->callers) {
		stats->callers = profile_callers(profile);
		if (stats->callers == NULL)
			return ctp_no_memory(err);
	}
	if (options->callees && !index_callees(stats))
		return ctp_no_memory(err);
	return CTP_OK;
}

void stats_clear(struct stats *stats)
{
	memory_free(stats->values);
	memory_free(stats->owners);
	memory_free(stats->order);
	memory_free(stats->work);
	memory_free(stats->callers);
	memory_free(stats->callees);
	memory_free(stats->callee_edges);
}
