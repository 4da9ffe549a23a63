/* SPDX-License-Identifier: MIT */
#include "profile/function_match.h"

#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "names/symbol_normalize.h"

bool function_match_init(struct function_match *match, enum match_key key)
{
	*match = (struct function_match){.key = key, .keys = strtab_new()};
	return match->keys != NULL;
}

void function_match_clear(struct function_match *match)
{
	strtab_free(match->keys);
	memory_free(match->first);
	buffer_clear(&match->name);
	buffer_clear(&match->file);
	*match = (struct function_match){0};
}

void function_match_name(enum match_key key,
	const struct profile_function *function, struct buffer *name,
	struct buffer *file)
{
	bool host = function->device.kind == PROFILE_HOST;
	const char *from = host && key != MATCH_KEY_NAME ? function->file : "";

	if (key == MATCH_KEY_EXACT) {
		buffer_add_text(name, function->name);
		buffer_add_text(file, from);
		return;
	}
	symbol_normalize(name, function->name, strlen(function->name));
	symbol_normalize_file(file, from, strlen(from));
}

/* Number of the compared fields as one text. */
static uint32_t key_of(
	struct function_match *match, const struct profile_function *function)
{
	uint32_t line = match->key < MATCH_KEY_LINE ? 0 : function->line;
	uint32_t kind = (uint32_t)function->device.kind;

	match->name.used = 0;
	match->file.used = 0;
	function_match_name(match->key, function, &match->name, &match->file);
	buffer_add_byte(&match->name, '\0');
	buffer_add(&match->name, match->file.bytes, match->file.used);
	buffer_add_byte(&match->name, '\0');
	buffer_add(&match->name, &line, sizeof(line));
	buffer_add(&match->name, &kind, sizeof(kind));
	if (match->name.failed || match->file.failed)
		return STRTAB_NONE;
	return strtab_add(
		match->keys, (const char *)match->name.bytes, match->name.used);
}

uint32_t function_match_find(struct function_match *match,
	const struct profile *profile, uint32_t function)
{
	uint32_t key = key_of(match, &profile->functions[function]);
	uint32_t place = key - 1; /* number 0 is the table's own "" */

	if (key == STRTAB_NONE)
		return PROFILE_NONE;
	if (place == match->count) {
		if (!array_reserve32(&match->first, match->count, &match->room,
			    sizeof(*match->first)))
			return PROFILE_NONE;
		match->first[match->count++] = function;
	}
	return match->first[place];
}

/* ---- joining a profile ---- */

/* By function; except `first`, used only in a group's first function. */
struct group {
	uint32_t first; /* first function of this one's group */
	uint32_t called;
	uint32_t open;
	uint64_t total_ns;
};

static bool is_host(const struct profile *profile, uint32_t function)
{
	return profile->functions[function].device.kind == PROFILE_HOST;
}

/* Finds the groups; `*joined` is set if one has several functions. */
static bool find_groups(const struct profile *profile, enum match_key key,
	struct group *groups, bool *joined)
{
	struct function_match match;
	bool ok = function_match_init(&match, key);

	*joined = false;
	for (uint32_t i = 0; ok && i < profile->function_count; i++) {
		uint32_t first = function_match_find(&match, profile, i);

		ok = first != PROFILE_NONE;
		if (!ok)
			break;
		groups[i].first = first;
		if (!is_host(profile, i) ||
			profile->functions[i].cost.ncalls == 0)
			continue;
		*joined |= ++groups[first].called > 1;
	}
	function_match_clear(&match);
	return ok;
}

/* Links of a node; 0 means none, since the root is not a child. */
struct path {
	uint32_t child;
	uint32_t sibling;
	uint64_t total_ns;
};

static struct path *find_paths(const struct profile *profile)
{
	struct path *paths =
		memory_new_zeroed(profile->node_count, sizeof(*paths));

	for (uint32_t i = profile->node_count - 1; paths != NULL && i > 0;
		i--) {
		struct path *parent = &paths[profile->nodes[i].parent];

		paths[i].total_ns = saturate_sum(
			paths[i].total_ns, profile->nodes[i].self_ns);
		parent->total_ns =
			saturate_sum(parent->total_ns, paths[i].total_ns);
		paths[i].sibling = parent->child;
		parent->child = i;
	}
	return paths;
}

/* The time of the outermost calls of each group. False if out of memory. */
static bool sum_paths(const struct profile *profile, struct group *groups)
{
	const struct profile_node *nodes = profile->nodes;
	struct path *paths = find_paths(profile);
	uint32_t at;

	if (paths == NULL)
		return false;
	at = paths[0].child;
	while (at != 0) {
		struct group *group = &groups[groups[nodes[at].function].first];

		if (group->open++ == 0)
			group->total_ns = saturate_sum(
				group->total_ns, paths[at].total_ns);
		if (paths[at].child != 0) {
			at = paths[at].child;
			continue;
		}
		for (; at != 0; at = nodes[at].parent) {
			groups[groups[nodes[at].function].first].open--;
			if (paths[at].sibling != 0)
				break;
		}
		at = paths[at].sibling;
	}
	memory_free(paths);
	return true;
}

static uint64_t most(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* Bounds a group's time by its sum and its calls from outside the group. */
static bool bound_times(const struct profile *profile, struct group *groups)
{
	struct bound {
		uint64_t sum_ns, longest_ns, outside_ns;
	} *bounds = memory_new_zeroed(
		(size_t)profile->function_count + 1, sizeof(*bounds));

	if (bounds == NULL)
		return false;
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		struct bound *bound = &bounds[groups[i].first];

		bound->sum_ns =
			saturate_sum(bound->sum_ns, function->cost.cumtime_ns);
		bound->longest_ns =
			most(bound->longest_ns, function->cost.cumtime_ns);
		bound->outside_ns = saturate_sum(
			bound->outside_ns, function->root.cumtime_ns);
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];
		uint32_t callee = groups[edge->callee].first;

		if (groups[edge->caller].first != callee)
			bounds[callee].outside_ns =
				saturate_sum(bounds[callee].outside_ns,
					edge->cost.cumtime_ns);
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct bound *bound = &bounds[i];

		groups[i].total_ns =
			bound->sum_ns < bound->outside_ns
				? bound->sum_ns
				: most(bound->longest_ns, bound->outside_ns);
	}
	memory_free(bounds);
	return true;
}

static void move_costs(struct profile *profile, const struct group *groups)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_cost *cost = &profile->functions[i].cost;
		uint32_t first = groups[i].first;

		if (groups[first].called < 2 || first == i)
			continue;
		profile_cost_add(&profile->functions[first].cost, cost);
		*cost = (struct profile_cost){0};
	}
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (groups[i].called > 1)
			profile->functions[i].cost.cumtime_ns =
				groups[i].total_ns;
}

enum ctp_status function_match_join(
	struct profile *profile, enum match_key key, struct ctp_error *err)
{
	struct group *groups = memory_new_zeroed(
		(size_t)profile->function_count + 1, sizeof(*groups));
	bool joined = false;
	bool ok = groups != NULL && find_groups(profile, key, groups, &joined);

	if (ok && joined)
		ok = profile->node_count > 1 ? sum_paths(profile, groups)
					     : bound_times(profile, groups);
	if (ok && joined)
		move_costs(profile, groups);
	memory_free(groups);
	return ok ? CTP_OK : ctp_no_memory(err);
}
