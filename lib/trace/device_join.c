/* SPDX-License-Identifier: MIT */
/*
 * Calls lie in a ring, in the order in which they came, which grows up to the
 * limit and only then goes round. Two indexes find them:
 *
 * - `near` has one slot for each id, by its lowest bits. Recorders count calls,
 *   so most ids are neighbours of the one before, and so are their slots: a
 *   hash would take a line of the cache for each of them.
 * - `far` has those whose slot was taken. It is hashed, with open addressing
 *   and linear probing, and at most half full, whatever the ids are.
 *
 * A call whose id comes again is added again: the later one is found, since it
 * takes the place of the earlier one, or stands in `near`, which is asked
 * first. The earlier one goes unnoticed when its turn comes.
 */
#include "trace/device_join.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

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
	/* Both have numbers of calls + 1; 0: free. Sizes are powers of two. */
	uint32_t *near;
	uint32_t near_size;
	uint32_t *far; /* NULL: none was needed yet */
	uint32_t far_size;
	uint32_t far_count;
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
	memory_free(join->near);
	memory_free(join->far);
	memory_free(join);
}

/* Processes count from the same number, so each begins elsewhere. */
static uint32_t *near_slot(
	const struct device_join *join, int64_t pid, uint64_t id)
{
	uint64_t at = id + (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15);

	return &join->near[at & (join->near_size - 1)];
}

static bool is_call(const struct device_join *join, uint32_t number,
	int64_t pid, uint64_t id)
{
	return number != 0 && join->calls[number - 1].id == id &&
	       join->calls[number - 1].pid == pid;
}

static uint32_t home_of(
	const struct device_join *join, int64_t pid, uint64_t id)
{
	return (uint32_t)hash_pair((uint64_t)pid, id) & (join->far_size - 1);
}

/* The slot of `far` that has this call, or the free one where it belongs. */
static uint32_t far_slot(
	const struct device_join *join, int64_t pid, uint64_t id)
{
	uint32_t mask = join->far_size - 1;
	uint32_t slot = home_of(join, pid, id);

	while (join->far[slot] != 0 && !is_call(join, join->far[slot], pid, id))
		slot = (slot + 1) & mask;
	return slot;
}

/* Makes room for one more in `far`. */
static bool grow_far(struct device_join *join)
{
	uint32_t size = join->far_size == 0 ? FIRST_ROOM : 2 * join->far_size;
	uint32_t *old = join->far;
	uint32_t old_size = join->far_size;
	uint32_t *more;

	if (join->far_count < join->far_size / 2)
		return true;
	more = memory_new_zeroed(size, sizeof(*more));
	if (more == NULL)
		return false;
	join->far = more;
	join->far_size = size;
	for (uint32_t i = 0; i < old_size; i++) {
		const struct call *call;

		if (old[i] == 0)
			continue;
		call = &join->calls[old[i] - 1];
		more[far_slot(join, call->pid, call->id)] = old[i];
	}
	memory_free(old);
	return true;
}

/* The index learns where a call is going to be. */
static bool put(
	struct device_join *join, int64_t pid, uint64_t id, uint32_t number)
{
	uint32_t *near = near_slot(join, pid, id);
	uint32_t slot;

	if (*near == 0 || is_call(join, *near, pid, id)) {
		*near = number;
		return true;
	}
	if (!grow_far(join))
		return false;
	slot = far_slot(join, pid, id);
	join->far_count += join->far[slot] == 0;
	join->far[slot] = number;
	return true;
}

/* Both indexes anew. Fewer calls share a slot of `near` than before it grew, so
 * `far` has room for them. */
static void fill_indexes(struct device_join *join)
{
	join->far_count = 0;
	if (join->far != NULL)
		memset(join->far, 0, join->far_size * sizeof(*join->far));
	for (uint32_t i = 0; i < join->count; i++)
		(void)put(join, join->calls[i].pid, join->calls[i].id, i + 1);
}

/* Twice as much room, up to the limit. */
static bool grow(struct device_join *join)
{
	uint32_t room = join->room == 0 ? FIRST_ROOM : 2 * join->room;
	uint32_t size = 2 * FIRST_ROOM;
	struct call *calls;
	uint32_t *near;

	if (room > join->limit)
		room = join->limit;
	while (size < 2 * room)
		size *= 2;
	calls = memory_resize_array(join->calls, room, sizeof(*calls));
	if (calls == NULL)
		return false;
	join->calls = calls;
	near = memory_new_zeroed(size, sizeof(*near));
	if (near == NULL)
		return false;
	memory_free(join->near);
	join->near = near;
	join->near_size = size;
	join->room = room;
	fill_indexes(join);
	return true;
}

/* Takes a slot out of `far`: what was put behind it, because it was not free,
 * moves up, so that a search never ends too early. */
static void clear_far(struct device_join *join, uint32_t slot)
{
	uint32_t mask = join->far_size - 1;
	uint32_t next = slot;

	for (;;) {
		const struct call *call;
		uint32_t home;

		next = (next + 1) & mask;
		if (join->far[next] == 0)
			break;
		call = &join->calls[join->far[next] - 1];
		home = home_of(join, call->pid, call->id);
		if (((next - home) & mask) < ((next - slot) & mask))
			continue; /* its home is behind the gap */
		join->far[slot] = join->far[next];
		slot = next;
	}
	join->far[slot] = 0;
	join->far_count--;
}

/* Makes the place of the oldest call free, and returns it. */
static uint32_t forget_oldest(struct device_join *join)
{
	uint32_t place = join->oldest;
	const struct call *call = &join->calls[place];
	uint32_t *near = near_slot(join, call->pid, call->id);

	join->oldest = place + 1 == join->limit ? 0 : place + 1;
	if (*near == place + 1) {
		*near = 0;
	} else if (join->far_count > 0) {
		uint32_t slot = far_slot(join, call->pid, call->id);

		if (join->far[slot] == place + 1)
			clear_far(join, slot);
	}
	return place;
}

bool device_join_add(
	struct device_join *join, int64_t pid, uint64_t id, uint64_t value)
{
	uint32_t place;

	if (join->count == join->room && join->room < join->limit &&
		!grow(join))
		return false;
	place = join->count < join->room ? join->count : forget_oldest(join);
	/* The indexes are asked before the call is in its place: the free one
	 * may hold anything. */
	if (!put(join, pid, id, place + 1))
		return false;
	join->calls[place] = (struct call){pid, id, value};
	join->count += place == join->count;
	return true;
}

bool device_join_find(const struct device_join *join, int64_t pid, uint64_t id,
	uint64_t *value)
{
	uint32_t number;

	if (join->count == 0)
		return false;
	number = *near_slot(join, pid, id);
	if (!is_call(join, number, pid, id)) {
		if (join->far_count == 0)
			return false;
		number = join->far[far_slot(join, pid, id)];
	}
	if (number != 0)
		*value = join->calls[number - 1].value;
	return number != 0;
}
