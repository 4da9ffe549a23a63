/* SPDX-License-Identifier: MIT */
/*
 * Calls lie in a ring, in the order in which they came; an index with open
 * addressing and linear probing, at most half full, finds them. The ring grows
 * up to the limit and only then goes round. A call whose id comes again is
 * added again: the index knows the later one only, and the earlier one goes
 * unnoticed when its turn comes.
 */
#include "device_join.h"

#include <assert.h>
#include <string.h>

#include "memory.h"
#include "strtab.h"

#define FIRST_ROOM 256

struct call {
	int64_t pid;
	uint64_t id;
	uint64_t value;
};

struct device_join {
	struct call *calls;
	uint32_t room;
	uint32_t count;
	uint32_t oldest; /* once the ring is full */
	uint32_t limit;
	uint32_t *index; /* number of a call + 1; 0: free */
	uint32_t index_size;
};

struct device_join *device_join_new(uint32_t limit)
{
	struct device_join *join = memory_new_zeroed(1, sizeof(*join));

	assert(limit > 0 && limit <= UINT32_MAX / 8);
	if (join != NULL)
		join->limit = limit;
	return join;
}

void device_join_free(struct device_join *join)
{
	if (join == NULL)
		return;
	memory_free(join->calls);
	memory_free(join->index);
	memory_free(join);
}

static uint32_t home_of(
	const struct device_join *join, int64_t pid, uint64_t id)
{
	uint64_t key[2] = {(uint64_t)pid, id};

	return (uint32_t)strtab_hash(key, sizeof(key)) & (join->index_size - 1);
}

/* The slot that has this call, or the free one where it belongs. */
static uint32_t slot_of(
	const struct device_join *join, int64_t pid, uint64_t id)
{
	uint32_t mask = join->index_size - 1;
	uint32_t slot = home_of(join, pid, id);

	for (; join->index[slot] != 0; slot = (slot + 1) & mask) {
		const struct call *call = &join->calls[join->index[slot] - 1];

		if (call->id == id && call->pid == pid)
			break;
	}
	return slot;
}

static bool grow_index(struct device_join *join)
{
	uint32_t size = join->index_size;
	uint32_t *index;

	while (size < 2 * join->room)
		size = size == 0 ? 2 * FIRST_ROOM : 2 * size;
	index = memory_new_zeroed(size, sizeof(*index));
	if (index == NULL)
		return false;
	memory_free(join->index);
	join->index = index;
	join->index_size = size;
	for (uint32_t i = 0; i < join->count; i++)
		index[slot_of(join, join->calls[i].pid, join->calls[i].id)] =
			i + 1;
	return true;
}

/* Twice as much room, up to the limit. */
static bool grow(struct device_join *join)
{
	uint32_t room = join->room == 0 ? FIRST_ROOM : 2 * join->room;
	struct call *calls;

	if (room > join->limit)
		room = join->limit;
	calls = memory_resize_array(join->calls, room, sizeof(*calls));
	if (calls == NULL)
		return false;
	join->calls = calls;
	join->room = room;
	return join->index_size >= 2 * room || grow_index(join);
}

/* Takes a slot out of the index: what was put behind it, because it was not
 * free, moves up, so that a search never ends too early. */
static void clear_slot(struct device_join *join, uint32_t slot)
{
	uint32_t mask = join->index_size - 1;
	uint32_t next = slot;

	for (;;) {
		const struct call *call;
		uint32_t home;

		next = (next + 1) & mask;
		if (join->index[next] == 0)
			break;
		call = &join->calls[join->index[next] - 1];
		home = home_of(join, call->pid, call->id);
		if (((next - home) & mask) < ((next - slot) & mask))
			continue; /* its home is behind the gap */
		join->index[slot] = join->index[next];
		slot = next;
	}
	join->index[slot] = 0;
}

/* Makes the place of the oldest call free, and returns it. */
static uint32_t forget_oldest(struct device_join *join)
{
	uint32_t place = join->oldest;
	const struct call *call = &join->calls[place];
	uint32_t slot = slot_of(join, call->pid, call->id);

	if (join->index[slot] == place + 1)
		clear_slot(join, slot);
	join->oldest = place + 1 == join->limit ? 0 : place + 1;
	return place;
}

bool device_join_add(
	struct device_join *join, int64_t pid, uint64_t id, uint64_t value)
{
	uint32_t place;

	if (join->count == join->room && join->room < join->limit &&
		!grow(join))
		return false;
	place = join->count < join->room ? join->count++ : forget_oldest(join);
	/* The index is asked before the call is in its place: the free one may
	 * hold anything. */
	join->index[slot_of(join, pid, id)] = place + 1;
	join->calls[place] = (struct call){pid, id, value};
	return true;
}

bool device_join_find(const struct device_join *join, int64_t pid, uint64_t id,
	uint64_t *value)
{
	uint32_t found;

	if (join->count == 0)
		return false;
	found = join->index[slot_of(join, pid, id)];
	if (found != 0)
		*value = join->calls[found - 1].value;
	return found != 0;
}
