/* SPDX-License-Identifier: MIT */
/*
 * The tables of a profile. Functions are found by the addresses of their
 * interned text.
 */
#include "profile/profile.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "trace/event.h"

struct profile *profile_new(void)
{
	struct profile *profile = memory_new_zeroed(1, sizeof(*profile));

	if (profile == NULL)
		return NULL;
	profile->text = strtab_new();
	if (profile->text == NULL) {
		memory_free(profile);
		return NULL;
	}
	return profile;
}

void profile_clear_tables(struct profile *profile)
{
	memory_free(profile->functions);
	memory_free(profile->edges);
	memory_free(profile->nodes);
	memory_free(profile->function_index.entries);
	memory_free(profile->edge_index.entries);
	profile_children_clear(&profile->paths);
}

void profile_clear_nodes(struct profile *profile)
{
	profile_children_clear(&profile->paths);
	memory_free(profile->nodes);
	profile->nodes = NULL;
	profile->node_count = 0;
	profile->node_room = 0;
}

void profile_free(struct profile *profile)
{
	if (profile == NULL)
		return;
	profile_clear_tables(profile);
	profile_memory_free(profile->memory);
	profile_events_free(profile->events);
	profile_lines_free(profile->lines);
	strtab_free(profile->text);
	memory_free(profile);
}

/* File and line share a word: only files whose addresses differ by a multiple
 * of 4 GiB can collide, and few are so far apart. */
static uint64_t function_hash(const struct profile_function *function)
{
	return hash_pair((uintptr_t)function->name,
		(uintptr_t)function->file ^ (uint64_t)function->line << 32);
}

/* Makes room in the index, building it first if there is none. */
static bool ensure_function_index(struct profile *profile)
{
	struct index *index = &profile->function_index;
	uint32_t first = index->size == 0 ? 0 : profile->function_count;

	if (!index_reserve(index, profile->function_count))
		return false;
	for (uint32_t i = first; i < profile->function_count; i++)
		index_add(index, function_hash(&profile->functions[i]), i);
	return true;
}

static bool is_function(const struct profile_function *one,
	const struct profile_function *other)
{
	return one->name == other->name && one->file == other->file &&
	       one->line == other->line;
}

uint32_t profile_put_function(
	struct profile *profile, const struct profile_function *function)
{
	uint64_t hash = function_hash(function);
	struct index *index = &profile->function_index;
	uint32_t number;
	uint32_t slot;

	if (!ensure_function_index(profile))
		return PROFILE_NONE;
	slot = index_first(index, hash);
	while ((number = index_find(index, hash, &slot)) != INDEX_NONE) {
		if (is_function(&profile->functions[number], function))
			return number;
		slot = index_after(index, slot);
	}
	if (!array_reserve32(&profile->functions, profile->function_count,
		    &profile->function_room, sizeof(*profile->functions)))
		return PROFILE_NONE;
	profile->functions[profile->function_count] = *function;
	index_set(index, slot, hash, profile->function_count);
	return profile->function_count++;
}

uint32_t profile_add_function(struct profile *profile, const char *name,
	const char *file, uint32_t line)
{
	struct profile_function function = {.line = line};
	uint32_t name_number = strtab_add(profile->text, name, strlen(name));
	uint32_t file_number = 0;

	if (file != NULL)
		file_number = strtab_add(profile->text, file, strlen(file));
	if (name_number == STRTAB_NONE || file_number == STRTAB_NONE)
		return PROFILE_NONE;
	function.name = strtab_text(profile->text, name_number, NULL);
	function.file = strtab_text(profile->text, file_number, NULL);
	return profile_put_function(profile, &function);
}

static uint64_t edge_hash(uint32_t caller, uint32_t callee)
{
	return hash_word((uint64_t)caller << 32 | callee);
}

/* Like ensure_function_index(). */
static bool ensure_edge_index(struct profile *profile)
{
	struct index *index = &profile->edge_index;
	uint32_t first = index->size == 0 ? 0 : profile->edge_count;

	if (!index_reserve(index, profile->edge_count))
		return false;
	for (uint32_t i = first; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		index_add(index, edge_hash(edge->caller, edge->callee), i);
	}
	return true;
}

uint32_t profile_add_edge(
	struct profile *profile, uint32_t caller, uint32_t callee)
{
	uint64_t hash = edge_hash(caller, callee);
	struct index *index = &profile->edge_index;
	uint32_t number;
	uint32_t slot;

	if (!ensure_edge_index(profile))
		return PROFILE_NONE;
	slot = index_first(index, hash);
	while ((number = index_find(index, hash, &slot)) != INDEX_NONE) {
		if (profile->edges[number].caller == caller &&
			profile->edges[number].callee == callee)
			return number;
		slot = index_after(index, slot);
	}
	if (!array_reserve32(&profile->edges, profile->edge_count,
		    &profile->edge_room, sizeof(*profile->edges)))
		return PROFILE_NONE;
	profile->edges[profile->edge_count] =
		(struct profile_edge){.caller = caller, .callee = callee};
	index_set(index, slot, hash, profile->edge_count);
	return profile->edge_count++;
}

void profile_remove_root(struct profile *profile, uint32_t function)
{
	uint32_t last = profile->function_count - 1;
	uint32_t kept = 0;

	assert(function <= last && profile->node_count == 0);
	for (uint32_t i = 0; i < profile->function_count; i++)
		profile->functions[i].root = (struct profile_cost){0};
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		struct profile_edge edge = profile->edges[i];

		assert(edge.callee != function);
		if (edge.caller == function) {
			profile->functions[edge.callee].root = edge.cost;
			continue;
		}
		edge.caller = edge.caller == last ? function : edge.caller;
		edge.callee = edge.callee == last ? function : edge.callee;
		profile->edges[kept++] = edge;
	}
	profile->edge_count = kept;
	profile->functions[function] = profile->functions[last];
	profile->function_count = last;
	/* The next search makes them again. */
	memory_free(profile->function_index.entries);
	memory_free(profile->edge_index.entries);
	profile->function_index = (struct index){0};
	profile->edge_index = (struct index){0};
}

uint32_t profile_add_node(
	struct profile *profile, uint32_t parent, uint32_t function)
{
	if (!array_reserve32(&profile->nodes, profile->node_count + 1,
		    &profile->node_room, sizeof(*profile->nodes)))
		return PROFILE_NONE;
	if (profile->node_count == 0)
		profile->nodes[profile->node_count++] = (struct profile_node){
			.function = PROFILE_NONE, .parent = PROFILE_NONE};
	if (function == PROFILE_NONE)
		return 0;
	assert(parent < profile->node_count);
	profile->nodes[profile->node_count] =
		(struct profile_node){.function = function, .parent = parent};
	return profile->node_count++;
}

/*
 * Most contexts have one child: the first child is found by its parent's
 * number, others in a hash table with open addressing and linear probing, at
 * most half full. The highest bits of the hash give a node's slot, so that
 * nodes keep their order, and nearly their place in memory, when the table
 * grows.
 */
void profile_children_clear(struct profile_children *children)
{
	memory_free(children->index.entries);
	memory_free(children->first);
	*children = (struct profile_children){0};
}

/* Finds or adds a node that is not its parent's first child. */
static uint32_t find_other_child(struct profile_children *children,
	struct profile *profile, uint32_t parent, uint32_t function)
{
	uint64_t hash = hash_word((uint64_t)parent << 32 | function);
	uint32_t node;
	uint32_t slot;

	if (!index_reserve(&children->index, children->count))
		return PROFILE_NONE;
	slot = index_first(&children->index, hash);
	while ((node = index_find(&children->index, hash, &slot)) !=
		INDEX_NONE) {
		if (profile->nodes[node].parent == parent &&
			profile->nodes[node].function == function)
			return node;
		slot = index_after(&children->index, slot);
	}
	node = profile_add_node(profile, parent, function);
	if (node == PROFILE_NONE)
		return PROFILE_NONE;
	index_set(&children->index, slot, hash, node);
	children->count++;
	return node;
}

uint32_t profile_children_find(struct profile_children *children,
	struct profile *profile, uint32_t parent, uint32_t function)
{
	uint32_t node;

	if (!array_ensure_index(&children->first, parent, &children->first_room,
		    sizeof(*children->first)))
		return PROFILE_NONE;
	node = children->first[parent];
	if (node == 0) {
		node = profile_add_node(profile, parent, function);
		if (node != PROFILE_NONE)
			children->first[parent] = node;
		return node;
	}
	return profile->nodes[node].function == function
		       ? node
		       : find_other_child(children, profile, parent, function);
}

enum profile_kind profile_kind_of(const struct trace *trace, uint32_t site)
{
	const char *category =
		strtab_text(trace->text, trace->sites[site].category, NULL);

	/* Source: kineto's ActivityType.h: MTIA's events on the device. */
	if (strcmp(category, "kernel") == 0 ||
		strcmp(category, "mtia_ccp_events") == 0)
		return PROFILE_KERNEL;
	if (strcmp(category, "gpu_memcpy") == 0)
		return PROFILE_COPY;
	if (strcmp(category, "gpu_memset") == 0)
		return PROFILE_SET;
	return PROFILE_HOST;
}

bool profile_is_activity(const struct trace *trace, const struct event *event)
{
	return event->kind == EVENT_ACTIVITY &&
	       trace->tracks[event->track].kind == TRACE_STREAM &&
	       profile_kind_of(trace, event->site) != PROFILE_HOST;
}

void profile_cost_add(struct profile_cost *to, const struct profile_cost *from)
{
	to->ncalls = saturate_sum(to->ncalls, from->ncalls);
	to->pcalls = saturate_sum(to->pcalls, from->pcalls);
	to->tottime_ns = saturate_sum(to->tottime_ns, from->tottime_ns);
	to->cumtime_ns = saturate_sum(to->cumtime_ns, from->cumtime_ns);
}

void profile_device_add(
	struct profile_device *to, const struct profile_device *from)
{
	to->self_ns = saturate_sum(to->self_ns, from->self_ns);
	to->total_ns = saturate_sum(to->total_ns, from->total_ns);
	to->captured_ns = saturate_sum(to->captured_ns, from->captured_ns);
	to->bytes = saturate_sum(to->bytes, from->bytes);
	if (from->kind == PROFILE_HOST)
		return;
	if (to->kind == PROFILE_HOST || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (to->kind == PROFILE_HOST || from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	if (to->kind == PROFILE_HOST || from->number < to->number)
		to->number = from->number;
	if (to->kind == PROFILE_HOST || from->kind < to->kind)
		to->kind = from->kind;
}

bool profile_has_device(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].device.kind != PROFILE_HOST)
			return true;
	return false;
}

static bool copy_nodes(struct profile *to, const struct profile *from)
{
	if (from->node_count == 0)
		return true;
	to->nodes =
		memory_resize_array(NULL, from->node_count, sizeof(*to->nodes));
	if (to->nodes == NULL)
		return false;
	memcpy(to->nodes, from->nodes, from->node_count * sizeof(*to->nodes));
	to->node_count = from->node_count;
	to->node_room = from->node_count;
	return true;
}

static bool add_functions(
	struct profile *to, const struct profile *from, uint32_t *map)
{
	for (uint32_t i = 0; i < from->function_count; i++) {
		const struct profile_function *function = &from->functions[i];
		struct profile_function *sum;

		map[i] = profile_add_function(
			to, function->name, function->file, function->line);
		if (map[i] == PROFILE_NONE)
			return false;
		sum = &to->functions[map[i]];
		profile_cost_add(&sum->cost, &function->cost);
		profile_cost_add(&sum->root, &function->root);
		profile_device_add(&sum->device, &function->device);
		sum->use.flops =
			saturate_sum(sum->use.flops, function->use.flops);
	}
	return true;
}

/* Adds the memory of `from`; map[] has the numbers of its functions in the
 * target. */
static bool add_memory(
	struct profile *to, const struct profile *from, const uint32_t *map)
{
	uint32_t owners[PROFILE_OWNERS_MAX];

	if (from->memory == NULL)
		return true;
	if (to->memory == NULL)
		to->memory = profile_memory_new();
	if (to->memory == NULL ||
		!profile_memory_map(to->memory, from->memory, owners))
		return false;
	profile_memory_add_mapped(to->memory, &to->memory->all, from->memory,
		from->memory->all, owners);
	for (uint32_t i = 0; i < from->function_count; i++)
		profile_memory_add_mapped(to->memory,
			&to->functions[map[i]].use.memory, from->memory,
			from->functions[i].use.memory, owners);
	return !to->memory->failed;
}

bool profile_add_edges(
	struct profile *to, const struct profile *from, const uint32_t *map)
{
	for (uint32_t i = 0; i < from->edge_count; i++) {
		const struct profile_edge *edge = &from->edges[i];
		uint32_t number = profile_add_edge(
			to, map[edge->caller], map[edge->callee]);

		if (number == PROFILE_NONE ||
			!profile_events_add_row(to->events,
				&to->edges[number].events, from->events,
				edge->events))
			return false;
		profile_cost_add(&to->edges[number].cost, &edge->cost);
	}
	return true;
}

/* Before the functions are added: decides which events the sum has. */
static bool join_events(struct profile *to, const struct profile *from)
{
	bool first = to->function_count == 0;

	if (from->function_count == 0)
		return true;
	if (!first && to->events != NULL && from->events != NULL &&
		profile_events_are_equal(to->events, from->events))
		return true;
	profile_events_free(to->events);
	to->events = NULL;
	if (!first || from->events == NULL)
		return true;
	to->events = profile_events_copy(from->events);
	return to->events != NULL;
}

/* Adds the events of the functions of `from`; map[] as above. */
static bool add_events(
	struct profile *to, const struct profile *from, const uint32_t *map)
{
	if (to->events == NULL)
		return true;
	for (uint32_t i = 0; i < from->function_count; i++) {
		uint32_t row = from->functions[i].use.events;
		uint32_t *sum = &to->functions[map[i]].use.events;

		if (!profile_events_add_row(
			    to->events, sum, from->events, row) ||
			!profile_events_set_object(to->events, sum,
				profile_events_object(from->events, row)))
			return false;
	}
	return true;
}

/* Finds the nodes that were not added by add_nodes(). */
static bool index_nodes(struct profile *profile)
{
	struct profile_children *children = &profile->paths;

	if (children->first != NULL)
		return true;
	for (uint32_t i = 1; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->nodes[i];
		uint32_t parent = node->parent;

		if (!array_ensure_index(&children->first, parent,
			    &children->first_room, sizeof(*children->first)) ||
			!index_reserve(&children->index, children->count))
			return false;
		if (children->first[parent] == 0) {
			children->first[parent] = i;
			continue;
		}
		index_add(&children->index,
			hash_word((uint64_t)parent << 32 | node->function), i);
		children->count++;
	}
	return true;
}

/* Adds the tree of `from`; map[] translates function numbers. */
static bool add_nodes(
	struct profile *to, const struct profile *from, const uint32_t *map)
{
	uint32_t *nodes =
		memory_new_zeroed((size_t)from->node_count + 1, sizeof(*nodes));
	bool done = nodes != NULL && index_nodes(to);

	if (done && to->node_count == 0 && from->node_count != 0)
		done = profile_add_node(to, 0, PROFILE_NONE) != PROFILE_NONE;
	for (uint32_t i = 1; i < from->node_count && done; i++) {
		const struct profile_node *node = &from->nodes[i];

		nodes[i] = profile_children_find(&to->paths, to,
			nodes[node->parent], map[node->function]);
		done = nodes[i] != PROFILE_NONE;
		if (!done)
			break;
		to->nodes[nodes[i]].ncalls =
			saturate_sum(to->nodes[nodes[i]].ncalls, node->ncalls);
		to->nodes[nodes[i]].self_ns = saturate_sum(
			to->nodes[nodes[i]].self_ns, node->self_ns);
	}
	memory_free(nodes);
	return done;
}

static bool add_all(
	struct profile *to, const struct profile *from, bool with_paths)
{
	uint32_t *map =
		memory_new(((size_t)from->function_count + 1) * sizeof(*map));
	bool done = map != NULL && join_events(to, from) &&
		    add_functions(to, from, map) &&
		    profile_add_edges(to, from, map) &&
		    add_memory(to, from, map) && add_events(to, from, map) &&
		    (!with_paths || add_nodes(to, from, map));

	memory_free(map);
	to->total_ns = saturate_sum(to->total_ns, from->total_ns);
	to->open_calls = saturate_sum(to->open_calls, from->open_calls);
	to->unmatched = saturate_sum(to->unmatched, from->unmatched);
	to->flops = saturate_sum(to->flops, from->flops);
	if (__builtin_add_overflow(
		    to->thread_count, from->thread_count, &to->thread_count))
		to->thread_count = UINT32_MAX;
	to->no_root = to->no_root || from->no_root;
	return done;
}

bool profile_add(struct profile *to, const struct profile *from)
{
	return add_all(to, from, false);
}

bool profile_add_with_paths(struct profile *to, const struct profile *from)
{
	return add_all(to, from, true);
}

struct profile *profile_copy(const struct profile *from)
{
	struct profile *to = profile_new();

	if (to == NULL)
		return NULL;
	/* An empty profile takes over the numbers. */
	if (!profile_add(to, from) || !copy_nodes(to, from)) {
		profile_free(to);
		return NULL;
	}
	return to;
}
