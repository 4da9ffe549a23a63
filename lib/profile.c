/* SPDX-License-Identifier: MIT */
/*
 * The tables of a profile, and their order. Both hash tables use open
 * addressing with linear probing and are at most half full. Functions are
 * found by the addresses of their interned text; where an entry lands
 * therefore differs from run to run, but nothing ever walks a hash table, so
 * no output can show it.
 */
#include "profile.h"

#include <assert.h>
#include <string.h>

#include "memory.h"
#include "profile_private.h"
#include "saturate.h"

#define FIRST_ROOM 64u

/* Source: the finaliser of MurmurHash3. */
static uint64_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= UINT64_C(0xff51afd7ed558ccd);
	value ^= value >> 33;
	value *= UINT64_C(0xc4ceb9fe1a85ec53);
	return value ^ value >> 33;
}

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
	memory_free(profile->function_index);
	memory_free(profile->edge_index);
}

void profile_free(struct profile *profile)
{
	if (profile == NULL)
		return;
	profile_clear_tables(profile);
	profile_memory_free(profile->memory);
	strtab_free(profile->text);
	memory_free(profile);
}

/* An array with room for one more; NULL, the old one untouched, if out of
 * memory. */
static void *grow(void *array, uint32_t *room, size_t size)
{
	uint32_t more = *room == 0 ? FIRST_ROOM : *room * 2;

	if (*room > UINT32_MAX / 4)
		return NULL;
	array = memory_resize(array, more * size);
	if (array != NULL)
		*room = more;
	return array;
}

static uint64_t function_hash(const struct profile_function *function)
{
	uint64_t hash = mix((uintptr_t)function->name);

	return mix(hash ^ (uintptr_t)function->file ^
		   (uint64_t)function->line << 32);
}

/* The slot that holds this function, or the free one where it belongs. */
static uint32_t function_slot(
	const struct profile *profile, const struct profile_function *function)
{
	uint32_t mask = profile->function_index_size - 1;
	uint32_t slot = (uint32_t)function_hash(function) & mask;

	for (; profile->function_index[slot] != 0; slot = (slot + 1) & mask) {
		const struct profile_function *other =
			&profile->functions[profile->function_index[slot] - 1];

		if (other->name == function->name &&
			other->file == function->file &&
			other->line == function->line)
			break;
	}
	return slot;
}

static bool grow_function_index(struct profile *profile)
{
	uint32_t size = profile->function_index_size * 2;
	uint32_t *index;

	if (size == 0)
		size = 2 * FIRST_ROOM;
	index = memory_new_zeroed(size, sizeof(*index));
	if (index == NULL)
		return false;
	memory_free(profile->function_index);
	profile->function_index = index;
	profile->function_index_size = size;
	for (uint32_t i = 0; i < profile->function_count; i++)
		index[function_slot(profile, &profile->functions[i])] = i + 1;
	return true;
}

uint32_t profile_put_function(
	struct profile *profile, const struct profile_function *function)
{
	struct profile_function *functions;
	uint32_t slot;

	if (profile->function_count >= profile->function_index_size / 2 &&
		!grow_function_index(profile))
		return PROFILE_NONE;
	slot = function_slot(profile, function);
	if (profile->function_index[slot] != 0)
		return profile->function_index[slot] - 1;
	if (profile->function_count == profile->function_room) {
		functions = grow(profile->functions, &profile->function_room,
			sizeof(*functions));
		if (functions == NULL)
			return PROFILE_NONE;
		profile->functions = functions;
	}
	profile->functions[profile->function_count] = *function;
	profile->function_index[slot] = ++profile->function_count;
	return profile->function_count - 1;
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

/*
 * An entry of the edge index is the upper half of the key's hash over the
 * edge's number + 1, so that a probe seldom has to look at the edge itself. The
 * highest bits say where it belongs: entries keep their order, and so nearly
 * their places in memory, when the index grows.
 */
static uint32_t first_slot(const struct profile *profile, uint64_t hash)
{
	return (uint32_t)((hash >> 32) * profile->edge_index_size >> 32);
}

static uint64_t edge_hash(uint32_t caller, uint32_t callee)
{
	return mix((uint64_t)caller << 32 | callee);
}

/* The slot of this edge, or the free one where it belongs. */
static uint32_t edge_slot(
	const struct profile *profile, uint32_t caller, uint32_t callee)
{
	uint64_t hash = edge_hash(caller, callee);
	uint32_t mask = profile->edge_index_size - 1;
	uint32_t slot = first_slot(profile, hash);

	for (; profile->edge_index[slot] != 0; slot = (slot + 1) & mask) {
		uint64_t entry = profile->edge_index[slot];
		const struct profile_edge *edge;

		if (entry >> 32 != hash >> 32)
			continue;
		edge = &profile->edges[(uint32_t)entry - 1];
		if (edge->caller == caller && edge->callee == callee)
			break;
	}
	return slot;
}

/* Enters an edge that is not in the index. */
static void put_entry(struct profile *profile, uint64_t entry)
{
	uint32_t mask = profile->edge_index_size - 1;
	uint32_t slot = first_slot(profile, entry);

	while (profile->edge_index[slot] != 0)
		slot = (slot + 1) & mask;
	profile->edge_index[slot] = entry;
}

static uint64_t edge_entry(const struct profile_edge *edge, uint32_t number)
{
	uint64_t hash = edge_hash(edge->caller, edge->callee);

	return (hash >> 32) << 32 | (number + 1);
}

/* Makes the index twice as large, or that of edges which have moved anew. */
static bool grow_edge_index(struct profile *profile)
{
	uint64_t *old = profile->edge_index;
	uint32_t old_size = profile->edge_index_size;
	uint32_t size = old_size < FIRST_ROOM ? FIRST_ROOM : old_size;
	uint64_t *index;

	do {
		if (size > UINT32_MAX / 4)
			return false;
		size *= 2;
	} while (profile->edge_count >= size / 2);
	index = memory_new_zeroed(size, sizeof(*index));
	if (index == NULL)
		return false;
	profile->edge_index = index;
	profile->edge_index_size = size;
	for (uint32_t i = 0; i < old_size && !profile->edges_moved; i++)
		if (old[i] != 0)
			put_entry(profile, old[i]);
	for (uint32_t i = 0; i < profile->edge_count && profile->edges_moved;
		i++)
		put_entry(profile, edge_entry(&profile->edges[i], i));
	profile->edges_moved = false;
	memory_free(old);
	return true;
}

uint32_t profile_add_edge(
	struct profile *profile, uint32_t caller, uint32_t callee)
{
	struct profile_edge *edges;
	uint32_t slot;

	if ((profile->edge_count >= profile->edge_index_size / 2 ||
		    profile->edges_moved) &&
		!grow_edge_index(profile))
		return PROFILE_NONE;
	slot = edge_slot(profile, caller, callee);
	if (profile->edge_index[slot] != 0)
		return (uint32_t)profile->edge_index[slot] - 1;
	if (profile->edge_count == profile->edge_room) {
		edges = grow(
			profile->edges, &profile->edge_room, sizeof(*edges));
		if (edges == NULL)
			return PROFILE_NONE;
		profile->edges = edges;
	}
	profile->edges[profile->edge_count] =
		(struct profile_edge){.caller = caller, .callee = callee};
	profile->edge_index[slot] = edge_entry(
		&profile->edges[profile->edge_count], profile->edge_count);
	return profile->edge_count++;
}

uint32_t profile_add_node(
	struct profile *profile, uint32_t parent, uint32_t function)
{
	struct profile_node *nodes;

	if (profile->node_room - profile->node_count < 2) {
		nodes = grow(
			profile->nodes, &profile->node_room, sizeof(*nodes));
		if (nodes == NULL)
			return PROFILE_NONE;
		profile->nodes = nodes;
	}
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

void profile_cost_add(struct profile_cost *to, const struct profile_cost *from)
{
	to->ncalls += from->ncalls;
	to->pcalls += from->pcalls;
	to->tottime_ns += from->tottime_ns;
	to->cumtime_ns += from->cumtime_ns;
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

/* Adds the memory of `from`, whose functions map[] names. */
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

		if (number == PROFILE_NONE)
			return false;
		profile_cost_add(&to->edges[number].cost, &edge->cost);
	}
	return true;
}

bool profile_add(struct profile *to, const struct profile *from)
{
	uint32_t *map =
		memory_new(((size_t)from->function_count + 1) * sizeof(*map));
	bool done = map != NULL && add_functions(to, from, map) &&
		    profile_add_edges(to, from, map) &&
		    add_memory(to, from, map);

	memory_free(map);
	to->total_ns += from->total_ns;
	to->open_calls += from->open_calls;
	to->unmatched += from->unmatched;
	to->flops = saturate_sum(to->flops, from->flops);
	to->thread_count += from->thread_count;
	to->no_root = to->no_root || from->no_root;
	return done;
}

struct profile *profile_copy(const struct profile *from)
{
	struct profile *to = profile_new();

	if (to == NULL)
		return NULL;
	/* What is added to nothing keeps its numbers. */
	if (!profile_add(to, from) || !copy_nodes(to, from)) {
		profile_free(to);
		return NULL;
	}
	return to;
}
