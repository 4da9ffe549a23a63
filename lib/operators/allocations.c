/* SPDX-License-Identifier: MIT */
/*
 * The events of several threads are not in order of time, and the level and its
 * peak depend on that order. Therefore events are sorted, and counted in
 * allocations_finish().
 *
 * A group's part of the peak is copied only before the group changes after the
 * peak, since in a growing heap each allocation is a new peak.
 */
#include "operators/allocations.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/memory.h"
#include "extsort/extsort.h"
#include "operators/averages.h"

#define SORT_BYTES ((size_t)4 << 20)
#define POOLS_MAX 256
#define PATHS_MAX (1u << 16)
#define GROUPS_MAX (1u << 16)
#define BLOCKS_MAX (1u << 18)
#define STEP_PREFIX "ProfilerStep#"
/* Levels saturate here; no device has as much. */
#define BYTES_MAX (INT64_C(1) << 60)

enum key {
	KEY_BYTES,
	KEY_ADDRESS,
	KEY_DEVICE_TYPE,
	KEY_DEVICE_ID,
	KEY_TOTAL,
	KEY_RESERVED,
	KEYS
};

/* Source: torch/csrc/autograd/profiler_kineto.cpp. */
const char *const allocations_args[] = {"Bytes", "Addr", "Device Type",
	"Device Id", "Total Allocated", "Total Reserved", NULL};

/* An event in order of time. */
enum change_kind { CHANGE_ALLOC, CHANGE_FREE, CHANGE_STEP };

struct change {
	enum change_kind kind;
	uint32_t pool; /* CHANGE_STEP: process */
	uint32_t group;
	uint32_t track;
	uint32_t depth;
	uint32_t path;
	bool has_address;
	bool has_total;
	bool has_reserved;
	uint64_t address;
	int64_t bytes;
	int64_t total;
	int64_t reserved;
};

/* An address that is or was allocated. */
struct block {
	uint64_t address;
	int64_t bytes; /* -1: free */
	uint32_t pool;
	uint32_t group;
	uint32_t step;
};

struct stack {
	uint32_t *sites;
	uint32_t depth;
	uint32_t room;
};

struct process {
	int64_t pid;
	uint32_t steps;
};

struct allocations {
	struct trace *trace;
	uint32_t keys[KEYS];
	uint32_t memory; /* strtab numbers of names */
	uint32_t out_of_memory;
	struct stack *stacks; /* by track */
	uint32_t stack_count;
	struct allocations_path *paths;
	uint32_t path_count, path_room;
	struct index path_index;
	struct allocations_group *groups;
	uint32_t group_count, group_room;
	struct index group_index;
	struct allocations_pool **pools;
	struct allocations_pool *sorted; /* see allocations_pools() */
	uint32_t pool_count, pool_room;
	struct process *processes;
	uint32_t process_count, process_room;
	struct block *blocks;
	uint32_t block_count, block_room;
	struct index block_index;
	bool is_full; /* some blocks alive are not known */
	struct extsort *changes;
	uint64_t unknown;
	int64_t first_ns;
	uint64_t bin_ns;
};

/* ---- tables ---- */

struct allocations *allocations_new(struct trace *trace)
{
	struct allocations *allocations =
		memory_new_zeroed(1, sizeof(*allocations));
	bool ok = allocations != NULL;

	if (!ok)
		return NULL;
	allocations->trace = trace;
	for (int i = 0; i < KEYS; i++) {
		allocations->keys[i] = strtab_add(trace->text,
			allocations_args[i], strlen(allocations_args[i]));
		ok = ok && allocations->keys[i] != STRTAB_NONE;
	}
	allocations->memory = strtab_add(
		trace->text, AVERAGES_MEMORY, strlen(AVERAGES_MEMORY));
	allocations->out_of_memory = strtab_add(trace->text,
		AVERAGES_OUT_OF_MEMORY, strlen(AVERAGES_OUT_OF_MEMORY));
	if (ok && allocations->memory != STRTAB_NONE &&
		allocations->out_of_memory != STRTAB_NONE)
		return allocations;
	allocations_free(allocations);
	return NULL;
}

void allocations_free(struct allocations *allocations)
{
	if (allocations == NULL)
		return;
	for (uint32_t i = 0; i < allocations->stack_count; i++)
		memory_free(allocations->stacks[i].sites);
	for (uint32_t i = 0; i < allocations->pool_count; i++)
		memory_free(allocations->pools[i]);
	memory_free(allocations->stacks);
	memory_free(allocations->paths);
	memory_free(allocations->path_index.entries);
	memory_free(allocations->groups);
	memory_free(allocations->group_index.entries);
	memory_free(allocations->pools);
	memory_free(allocations->sorted);
	memory_free(allocations->processes);
	memory_free(allocations->blocks);
	memory_free(allocations->block_index.entries);
	extsort_free(allocations->changes);
	memory_free(allocations);
}

/* Saturating. */
static int64_t add_bytes(int64_t left, int64_t right)
{
	int64_t sum;

	if (__builtin_add_overflow(left, right, &sum))
		sum = left < 0 ? -BYTES_MAX : BYTES_MAX;
	return sum > BYTES_MAX    ? BYTES_MAX
	       : sum < -BYTES_MAX ? -BYTES_MAX
				  : sum;
}

/* Finds or adds a path; ALLOCATIONS_NO_PATH if there are too many. False if out
 * of memory. */
static bool find_path(struct allocations *allocations,
	const struct allocations_path *path, uint32_t *number)
{
	uint64_t hash =
		hash_bytes(path->sites, path->count * sizeof(*path->sites));
	uint32_t slot;

	*number = ALLOCATIONS_NO_PATH;
	if (!index_reserve(&allocations->path_index, allocations->path_count))
		return false;
	slot = index_first(&allocations->path_index, hash);
	while ((*number = index_find(&allocations->path_index, hash, &slot)) !=
		INDEX_NONE) {
		const struct allocations_path *at =
			&allocations->paths[*number];

		if (at->count == path->count &&
			memcmp(at->sites, path->sites,
				path->count * sizeof(*path->sites)) == 0)
			return true;
		slot = index_after(&allocations->path_index, slot);
	}
	if (allocations->path_count == PATHS_MAX)
		return true;
	if (!array_reserve32(&allocations->paths, allocations->path_count,
		    &allocations->path_room, sizeof(*allocations->paths)))
		return false;
	*number = allocations->path_count++;
	allocations->paths[*number] = *path;
	index_set(&allocations->path_index, slot, hash, *number);
	return true;
}

/* Finds or adds a group; the last one takes all others. False if out of
 * memory. */
static bool find_group(struct allocations *allocations, uint32_t pool,
	uint32_t path, uint32_t *number)
{
	uint64_t hash;
	uint32_t slot;

	if (allocations->group_count >= GROUPS_MAX)
		path = ALLOCATIONS_NO_PATH;
	hash = hash_pair(pool, path);
	if (!index_reserve(&allocations->group_index, allocations->group_count))
		return false;
	slot = index_first(&allocations->group_index, hash);
	while ((*number = index_find(&allocations->group_index, hash, &slot)) !=
		INDEX_NONE) {
		if (allocations->groups[*number].pool == pool &&
			allocations->groups[*number].path == path)
			return true;
		slot = index_after(&allocations->group_index, slot);
	}
	if (!array_reserve32(&allocations->groups, allocations->group_count,
		    &allocations->group_room, sizeof(*allocations->groups)))
		return false;
	*number = allocations->group_count++;
	allocations->groups[*number] =
		(struct allocations_group){.pool = pool, .path = path};
	index_set(&allocations->group_index, slot, hash, *number);
	return true;
}

/* The process with this number; UINT32_MAX if out of memory, or if there are
 * too many. */
static uint32_t find_process(struct allocations *allocations, int64_t pid)
{
	uint32_t i = 0;

	while (i < allocations->process_count &&
		allocations->processes[i].pid != pid)
		i++;
	if (i < allocations->process_count)
		return i;
	if (i == POOLS_MAX || !array_reserve32(&allocations->processes, i,
				      &allocations->process_room,
				      sizeof(*allocations->processes)))
		return UINT32_MAX;
	allocations->processes[i] = (struct process){.pid = pid};
	return allocations->process_count++;
}

/* Finds or adds a pool; UINT32_MAX if there are too many. False if out of
 * memory. */
static bool find_pool(struct allocations *allocations,
	const struct allocations_pool *like, uint32_t *number)
{
	struct allocations_pool *pool;
	uint32_t i = 0;

	for (; i < allocations->pool_count; i++) {
		pool = allocations->pools[i];
		if (pool->number == like->number && pool->pid == like->pid &&
			pool->type == like->type)
			break;
	}
	*number = i == POOLS_MAX ? UINT32_MAX : i;
	if (i < allocations->pool_count || i == POOLS_MAX)
		return true;
	if (!array_reserve32(&allocations->pools, i, &allocations->pool_room,
		    sizeof(*allocations->pools)))
		return false;
	pool = memory_new_zeroed(1, sizeof(*pool));
	if (pool == NULL)
		return false;
	pool->pid = like->pid;
	pool->type = like->type;
	pool->number = like->number;
	allocations->pools[allocations->pool_count++] = pool;
	return true;
}

/* ---- events ---- */

static const struct event_arg *find_arg(const struct allocations *allocations,
	const struct event *event, enum key key)
{
	for (uint32_t i = 0; i < event->arg_count; i++)
		if (event->args[i].key == allocations->keys[key] &&
			event->args[i].kind == ARG_INT)
			return &event->args[i];
	return NULL;
}

static int64_t clamp_bytes(int64_t bytes)
{
	return add_bytes(bytes, 0);
}

static void set_log_change(struct change *change, struct allocations_pool *pool,
	const struct event *event)
{
	change->kind = event->kind == EVENT_FREE ? CHANGE_FREE : CHANGE_ALLOC;
	change->has_address = true;
	change->address = event->id;
	change->bytes = event->bytes > (uint64_t)BYTES_MAX
				? BYTES_MAX
				: (int64_t)event->bytes;
	pool->number = event->device < 0 ? -1 : event->device;
	pool->type = event->device < 0 ? TRACE_DEVICE_CPU : TRACE_DEVICE_CUDA;
}

/* False if it lacks its bytes. */
static bool set_instant_change(const struct allocations *allocations,
	struct change *change, struct allocations_pool *pool,
	const struct event *event)
{
	const struct event_arg *args[KEYS];

	for (int key = 0; key < KEYS; key++)
		args[key] = find_arg(allocations, event, (enum key)key);
	pool->type = args[KEY_DEVICE_TYPE] == NULL
			     ? TRACE_DEVICE_CPU
			     : args[KEY_DEVICE_TYPE]->value.integer;
	pool->number =
		pool->type == TRACE_DEVICE_CPU || args[KEY_DEVICE_ID] == NULL
			? -1
			: args[KEY_DEVICE_ID]->value.integer;
	if (args[KEY_ADDRESS] != NULL) {
		change->has_address = true;
		change->address = (uint64_t)args[KEY_ADDRESS]->value.integer;
	}
	/* The host's allocator does not count: it has zeros. */
	if (args[KEY_TOTAL] != NULL && pool->type != TRACE_DEVICE_CPU) {
		change->has_total = true;
		change->total = clamp_bytes(args[KEY_TOTAL]->value.integer);
	}
	if (args[KEY_RESERVED] != NULL && pool->type != TRACE_DEVICE_CPU) {
		change->has_reserved = true;
		change->reserved =
			clamp_bytes(args[KEY_RESERVED]->value.integer);
	}
	if (args[KEY_BYTES] == NULL)
		return false;
	change->bytes = clamp_bytes(args[KEY_BYTES]->value.integer);
	change->kind = change->bytes < 0 ? CHANGE_FREE : CHANGE_ALLOC;
	change->bytes = change->bytes < 0 ? -change->bytes : change->bytes;
	return true;
}

static enum ctp_status add_change(struct allocations *allocations,
	const struct change *change, int64_t time_ns, struct ctp_error *err)
{
	if (allocations->changes == NULL)
		allocations->changes = extsort_new(SORT_BYTES);
	if (allocations->changes == NULL)
		return ctp_no_memory(err);
	return extsort_add(allocations->changes,
		&(struct extsort_record){.time_ns = time_ns,
			.bytes = change,
			.size = sizeof(*change)},
		err);
}

static bool is_step(const struct allocations *allocations, uint32_t site)
{
	const char *name = trace_site_name(allocations->trace, site);

	return name[0] == 'P' &&
	       strncmp(name, STEP_PREFIX, strlen(STEP_PREFIX)) == 0;
}

/* Adds the open ranges of its thread, and the group of an allocation. False if
 * out of memory. */
static bool set_path(struct allocations *allocations, struct change *change)
{
	const struct stack *stack =
		change->track < allocations->stack_count
			? &allocations->stacks[change->track]
			: NULL;
	struct allocations_path path = {0};
	uint32_t near = ALLOCATIONS_NO_PATH;

	change->depth = stack == NULL ? 0 : stack->depth;
	while (path.count < ALLOCATIONS_PATH && path.count < change->depth) {
		path.sites[path.count] =
			stack->sites[change->depth - 1 - path.count];
		path.count++;
	}
	if (!find_path(allocations, &path, &change->path))
		return false;
	if (change->kind == CHANGE_FREE)
		return true;
	/* Steps are one group. */
	for (uint32_t i = 0; i < path.count; i++)
		if (i == ALLOCATIONS_NEAR ||
			is_step(allocations, path.sites[i]))
			path.count = i;
	return find_path(allocations, &path, &near) &&
	       find_group(allocations, change->pool, near, &change->group);
}

static enum ctp_status add_memory(struct allocations *allocations,
	const struct event *event, struct ctp_error *err)
{
	struct allocations_pool like = {
		.pid = allocations->trace->tracks[event->track].pid};
	struct change change;
	bool has_bytes = true;
	bool failed = event->kind == EVENT_INSTANT &&
		      allocations->trace->sites[event->site].name ==
			      allocations->out_of_memory;

	/* The padding is written, too. */
	memset(&change, 0, sizeof(change));
	change.track = event->track;
	if (event->kind == EVENT_INSTANT)
		has_bytes =
			set_instant_change(allocations, &change, &like, event);
	else
		set_log_change(&change, &like, event);
	if (!has_bytes && !failed)
		return CTP_OK;
	if (!find_pool(allocations, &like, &change.pool))
		return ctp_no_memory(err);
	if (change.pool == UINT32_MAX) {
		allocations->unknown++;
		return CTP_OK;
	}
	if (failed) {
		allocations->pools[change.pool]->failed++;
		return CTP_OK;
	}
	if (!set_path(allocations, &change))
		return ctp_no_memory(err);
	return add_change(allocations, &change, event->time_ns, err);
}

static enum ctp_status add_step(struct allocations *allocations,
	const struct event *event, struct ctp_error *err)
{
	struct change change;

	memset(&change, 0, sizeof(change));
	change.kind = CHANGE_STEP;
	change.pool = find_process(
		allocations, allocations->trace->tracks[event->track].pid);
	return change.pool == UINT32_MAX
		       ? CTP_OK
		       : add_change(allocations, &change, event->time_ns, err);
}

static enum ctp_status begin(struct allocations *allocations,
	const struct event *event, struct ctp_error *err)
{
	struct stack *stack;

	if (!array_ensure_index(&allocations->stacks, event->track,
		    &allocations->stack_count, sizeof(*allocations->stacks)))
		return ctp_no_memory(err);
	stack = &allocations->stacks[event->track];
	if (!array_reserve32(&stack->sites, stack->depth, &stack->room,
		    sizeof(*stack->sites)))
		return ctp_no_memory(err);
	stack->sites[stack->depth++] = event->site;
	return is_step(allocations, event->site)
		       ? add_step(allocations, event, err)
		       : CTP_OK;
}

enum ctp_status allocations_add(struct allocations *allocations,
	const struct event *event, struct ctp_error *err)
{
	uint32_t name;

	switch (event->kind) {
	case EVENT_BEGIN:
		return begin(allocations, event, err);
	case EVENT_END:
		if (event->track < allocations->stack_count &&
			allocations->stacks[event->track].depth > 0)
			allocations->stacks[event->track].depth--;
		return CTP_OK;
	case EVENT_STEP:
		return add_step(allocations, event, err);
	case EVENT_INSTANT:
		name = allocations->trace->sites[event->site].name;
		if (name != allocations->memory &&
			name != allocations->out_of_memory)
			return CTP_OK;
		return add_memory(allocations, event, err);
	case EVENT_ALLOC:
	case EVENT_FREE:
		return add_memory(allocations, event, err);
	default:
		return CTP_OK;
	}
}

/* ---- in order of time ---- */

/* Keeps the group's part of the peak before it changes. */
static void keep_peak(
	struct allocations_group *group, const struct allocations_pool *pool)
{
	if (group->epoch == pool->epoch)
		return;
	group->epoch = pool->epoch;
	group->peak_bytes = group->live_bytes;
	group->peak_count = group->live_count;
}

/* The block of an address; `*slot` is its place, or a free one. */
static uint32_t find_block(struct allocations *allocations, uint32_t pool,
	uint64_t address, uint32_t *slot)
{
	uint64_t hash = hash_pair(pool, address);
	uint32_t number;

	*slot = index_first(&allocations->block_index, hash);
	while ((number = index_find(&allocations->block_index, hash, slot)) !=
		INDEX_NONE) {
		if (allocations->blocks[number].pool == pool &&
			allocations->blocks[number].address == address)
			break;
		*slot = index_after(&allocations->block_index, *slot);
	}
	return number;
}

/* Forgets the blocks that are free. */
static void drop_free(struct allocations *allocations)
{
	uint32_t kept = 0;

	index_clear(&allocations->block_index);
	for (uint32_t i = 0; i < allocations->block_count; i++) {
		const struct block *block = &allocations->blocks[i];

		if (block->bytes < 0)
			continue;
		allocations->blocks[kept] = *block;
		index_add(&allocations->block_index,
			hash_pair(block->pool, block->address), kept++);
	}
	allocations->block_count = kept;
}

/* NULL if there are too many blocks alive. False if out of memory. */
static bool add_block(struct allocations *allocations,
	const struct change *change, struct block **block)
{
	uint32_t number;
	uint32_t slot;

	*block = NULL;
	if (!index_reserve(&allocations->block_index, allocations->block_count))
		return false;
	number = find_block(allocations, change->pool, change->address, &slot);
	if (number == INDEX_NONE) {
		if (allocations->is_full)
			return true;
		if (allocations->block_count == BLOCKS_MAX) {
			drop_free(allocations);
			/* If few were dropped, it would soon happen again. */
			allocations->is_full =
				allocations->block_count > BLOCKS_MAX / 4 * 3;
		}
		if (allocations->is_full)
			return true;
		if (!array_reserve32(&allocations->blocks,
			    allocations->block_count, &allocations->block_room,
			    sizeof(*allocations->blocks)))
			return false;
		number = allocations->block_count++;
		allocations->blocks[number] =
			(struct block){change->address, -1, change->pool, 0, 0};
		index_add(&allocations->block_index,
			hash_pair(change->pool, change->address), number);
	}
	*block = &allocations->blocks[number];
	return true;
}

static void end_block(struct allocations *allocations,
	struct allocations_pool *pool, struct block *block)
{
	struct allocations_group *group = &allocations->groups[block->group];

	keep_peak(group, pool);
	group->live_bytes = add_bytes(group->live_bytes, -block->bytes);
	group->live_count--;
	pool->bytes = add_bytes(pool->bytes, -block->bytes);
	if (block->step != 0 && block->step == pool->steps) {
		group->step_bytes = add_bytes(group->step_bytes, block->bytes);
		group->step_count++;
		group->steps += group->last_step != pool->steps;
		group->last_step = pool->steps;
	}
	block->bytes = -1;
}

static bool count_alloc(struct allocations *allocations,
	struct allocations_pool *pool, const struct change *change)
{
	struct allocations_group *group = &allocations->groups[change->group];
	struct block *block = NULL;

	pool->allocs++;
	if (change->has_address && !add_block(allocations, change, &block))
		return false;
	if (block != NULL && block->bytes >= 0) {
		pool->repeats++;
		end_block(allocations, pool, block);
	}
	group->count++;
	group->bytes = add_bytes(group->bytes, change->bytes);
	pool->bytes = add_bytes(pool->bytes, change->bytes);
	if (block == NULL)
		return true;
	keep_peak(group, pool);
	group->live_bytes = add_bytes(group->live_bytes, change->bytes);
	group->live_count++;
	block->bytes = change->bytes;
	block->group = change->group;
	block->step = pool->steps;
	return true;
}

static void count_free(struct allocations *allocations,
	struct allocations_pool *pool, const struct change *change)
{
	uint32_t number = INDEX_NONE;
	uint32_t slot;

	pool->frees++;
	if (change->has_address && allocations->block_count > 0)
		number = find_block(
			allocations, change->pool, change->address, &slot);
	if (number != INDEX_NONE && allocations->blocks[number].bytes >= 0) {
		end_block(allocations, pool, &allocations->blocks[number]);
	} else if (number != INDEX_NONE) {
		pool->doubles++;
	} else {
		pool->bytes = add_bytes(pool->bytes, -change->bytes);
		if (change->has_address && !allocations->is_full) {
			pool->strays++;
			pool->earlier = add_bytes(pool->earlier, change->bytes);
		}
	}
}

static void mark_level(const struct allocations *allocations,
	struct allocations_pool *pool, const struct change *change,
	int64_t time_ns)
{
	uint64_t number =
		((uint64_t)time_ns - (uint64_t)allocations->first_ns) /
		allocations->bin_ns;
	struct allocations_bin *bin =
		&pool->bins[number < ALLOCATIONS_BINS ? number
						      : ALLOCATIONS_BINS - 1];

	if (!bin->is_set || pool->bytes < bin->least)
		bin->least = pool->bytes;
	if (!bin->is_set || pool->bytes > bin->most)
		bin->most = pool->bytes;
	bin->last = pool->bytes;
	bin->is_set = true;
	if (pool->bytes < pool->least)
		pool->least = pool->bytes;
	if (change->has_reserved && change->reserved > bin->reserved)
		bin->reserved = change->reserved;
	if (pool->has_peak && pool->bytes <= pool->peak.bytes)
		return;
	pool->has_peak = true;
	pool->epoch++;
	pool->peak = (struct allocations_peak){pool->bytes, time_ns,
		change->track, change->depth, change->path};
}

/* The first step often allocates memory that is kept. */
static void begin_step(struct allocations_pool *pool, uint32_t steps)
{
	pool->steps = steps;
	if (steps == 2) {
		pool->step_bytes = pool->bytes;
		pool->high_bytes = pool->bytes;
	} else if (steps > 2 && pool->bytes > pool->high_bytes) {
		pool->growths++;
		pool->high_bytes = pool->bytes;
	}
	if (steps > 2)
		pool->grown_bytes = add_bytes(pool->bytes, -pool->step_bytes);
}

static bool count_change(struct allocations *allocations,
	const struct change *change, int64_t time_ns)
{
	struct allocations_pool *pool;

	if (change->kind == CHANGE_STEP) {
		struct process *process = &allocations->processes[change->pool];

		process->steps++;
		for (uint32_t i = 0; i < allocations->pool_count; i++)
			if (allocations->pools[i]->pid == process->pid)
				begin_step(
					allocations->pools[i], process->steps);
		return true;
	}
	pool = allocations->pools[change->pool];
	pool->has_addresses |= change->has_address;
	pool->has_totals |= change->has_total;
	pool->has_reserved |= change->has_reserved && change->reserved > 0;
	if (change->kind == CHANGE_FREE)
		count_free(allocations, pool, change);
	else if (!count_alloc(allocations, pool, change))
		return false;
	if (change->has_total)
		pool->bytes = change->total;
	if (change->reserved > pool->reserved_bytes)
		pool->reserved_bytes = change->reserved;
	mark_level(allocations, pool, change, time_ns);
	return true;
}

/* Adds the memory in use before the first event to all levels. */
static void finish_pool(struct allocations_pool *pool)
{
	if (!pool->has_totals) {
		pool->before_bytes = pool->earlier > -pool->least
					     ? pool->earlier
					     : -pool->least;
		for (int i = 0; i < ALLOCATIONS_BINS; i++) {
			struct allocations_bin *bin = &pool->bins[i];

			bin->least = add_bytes(bin->least, pool->before_bytes);
			bin->most = add_bytes(bin->most, pool->before_bytes);
			bin->last = add_bytes(bin->last, pool->before_bytes);
		}
		pool->peak.bytes =
			add_bytes(pool->peak.bytes, pool->before_bytes);
	}
	pool->end_bytes = add_bytes(pool->bytes, pool->before_bytes);
}

static int compare_groups(const void *a, const void *b)
{
	const struct allocations_group *left = a;
	const struct allocations_group *right = b;

	if (left->pool != right->pool)
		return left->pool < right->pool ? -1 : 1;
	if (left->peak_bytes != right->peak_bytes)
		return left->peak_bytes < right->peak_bytes ? 1 : -1;
	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? 1 : -1;
	return (left->path > right->path) - (left->path < right->path);
}

static bool finish_tables(struct allocations *allocations)
{
	struct allocations_pool *pools = memory_new_zeroed(
		(size_t)allocations->pool_count + 1, sizeof(*pools));

	if (pools == NULL)
		return false;
	for (uint32_t i = 0; i < allocations->group_count; i++)
		keep_peak(&allocations->groups[i],
			allocations->pools[allocations->groups[i].pool]);
	for (uint32_t i = 0; i < allocations->pool_count; i++) {
		finish_pool(allocations->pools[i]);
		pools[i] = *allocations->pools[i];
	}
	allocations->sorted = pools;
	if (allocations->group_count > 0)
		qsort(allocations->groups, allocations->group_count,
			sizeof(*allocations->groups), compare_groups);
	return true;
}

enum ctp_status allocations_finish(struct allocations *allocations,
	int64_t first_ns, int64_t last_ns, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	struct extsort_record record;
	struct change change;

	allocations->first_ns = first_ns;
	allocations->bin_ns =
		((uint64_t)last_ns - (uint64_t)first_ns) / ALLOCATIONS_BINS + 1;
	if (allocations->changes != NULL)
		status = extsort_sort(allocations->changes, err);
	while (allocations->changes != NULL && status == CTP_OK) {
		status = extsort_next(allocations->changes, &record, err);
		if (status != CTP_OK)
			break;
		memcpy(&change, record.bytes, sizeof(change));
		if (!count_change(allocations, &change, record.time_ns))
			status = ctp_no_memory(err);
	}
	if (status != CTP_OK && status != CTP_END)
		return status;
	return finish_tables(allocations) ? CTP_OK : ctp_no_memory(err);
}

/* ---- results ---- */

const struct allocations_pool *allocations_pools(
	const struct allocations *allocations, uint32_t *count)
{
	*count = allocations->pool_count;
	return allocations->sorted;
}

const struct allocations_group *allocations_groups(
	const struct allocations *allocations, uint32_t *count)
{
	*count = allocations->group_count;
	return allocations->groups;
}

struct allocations_path allocations_path(
	const struct allocations *allocations, uint32_t path)
{
	return path == ALLOCATIONS_NO_PATH ? (struct allocations_path){0}
					   : allocations->paths[path];
}

uint64_t allocations_bin_ns(const struct allocations *allocations)
{
	return allocations->bin_ns;
}

uint64_t allocations_unknown(const struct allocations *allocations)
{
	return allocations->unknown;
}
