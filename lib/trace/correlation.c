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
#include "trace/correlation.h"

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

struct correlation {
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

struct correlation *correlation_new(uint32_t limit)
{
	struct correlation *correlation =
		memory_new_zeroed(1, sizeof(*correlation));

	assert(limit > 0 && limit <= UINT32_MAX / 8);
	if (correlation != NULL)
		correlation->limit = limit;
	return correlation;
}

void correlation_free(struct correlation *correlation)
{
	if (correlation == NULL)
		return;
	memory_free(correlation->calls);
	memory_free(correlation->near);
	memory_free(correlation->far);
	memory_free(correlation);
}

/* Processes count from the same number, so each begins elsewhere. */
static uint32_t *near_slot(
	const struct correlation *correlation, int64_t pid, uint64_t id)
{
	uint64_t at = id + (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15);

	return &correlation->near[at & (correlation->near_size - 1)];
}

static bool is_call(const struct correlation *correlation, uint32_t number,
	int64_t pid, uint64_t id)
{
	return number != 0 && correlation->calls[number - 1].id == id &&
	       correlation->calls[number - 1].pid == pid;
}

static uint32_t home_of(
	const struct correlation *correlation, int64_t pid, uint64_t id)
{
	return (uint32_t)hash_pair((uint64_t)pid, id) &
	       (correlation->far_size - 1);
}

/* The slot of `far` that has this call, or the free one where it belongs. */
static uint32_t far_slot(
	const struct correlation *correlation, int64_t pid, uint64_t id)
{
	uint32_t mask = correlation->far_size - 1;
	uint32_t slot = home_of(correlation, pid, id);

	while (correlation->far[slot] != 0 &&
		!is_call(correlation, correlation->far[slot], pid, id))
		slot = (slot + 1) & mask;
	return slot;
}

/* Makes room for one more in `far`. */
static bool grow_far(struct correlation *correlation)
{
	uint32_t size = correlation->far_size == 0 ? FIRST_ROOM
						   : 2 * correlation->far_size;
	uint32_t *old = correlation->far;
	uint32_t old_size = correlation->far_size;
	uint32_t *more;

	if (correlation->far_count < correlation->far_size / 2)
		return true;
	more = memory_new_zeroed(size, sizeof(*more));
	if (more == NULL)
		return false;
	correlation->far = more;
	correlation->far_size = size;
	for (uint32_t i = 0; i < old_size; i++) {
		const struct call *call;

		if (old[i] == 0)
			continue;
		call = &correlation->calls[old[i] - 1];
		more[far_slot(correlation, call->pid, call->id)] = old[i];
	}
	memory_free(old);
	return true;
}

/* The index learns where a call is going to be. */
static bool put(struct correlation *correlation, int64_t pid, uint64_t id,
	uint32_t number)
{
	uint32_t *near = near_slot(correlation, pid, id);
	uint32_t slot;

	if (*near == 0 || is_call(correlation, *near, pid, id)) {
		*near = number;
		return true;
	}
	if (!grow_far(correlation))
		return false;
	slot = far_slot(correlation, pid, id);
	correlation->far_count += correlation->far[slot] == 0;
	correlation->far[slot] = number;
	return true;
}

/* Both indexes anew. Fewer calls share a slot of `near` than before it grew, so
 * `far` has room for them. */
static void fill_indexes(struct correlation *correlation)
{
	correlation->far_count = 0;
	if (correlation->far != NULL)
		memset(correlation->far, 0,
			correlation->far_size * sizeof(*correlation->far));
	for (uint32_t i = 0; i < correlation->count; i++)
		(void)put(correlation, correlation->calls[i].pid,
			correlation->calls[i].id, i + 1);
}

/* Twice as much room, up to the limit. */
static bool grow(struct correlation *correlation)
{
	uint32_t room =
		correlation->room == 0 ? FIRST_ROOM : 2 * correlation->room;
	uint32_t size = 2 * FIRST_ROOM;
	struct call *calls;
	uint32_t *near;

	if (room > correlation->limit)
		room = correlation->limit;
	while (size < 2 * room)
		size *= 2;
	calls = memory_resize_array(correlation->calls, room, sizeof(*calls));
	if (calls == NULL)
		return false;
	correlation->calls = calls;
	near = memory_new_zeroed(size, sizeof(*near));
	if (near == NULL)
		return false;
	memory_free(correlation->near);
	correlation->near = near;
	correlation->near_size = size;
	correlation->room = room;
	fill_indexes(correlation);
	return true;
}

/* Takes a slot out of `far`: what was put behind it, because it was not free,
 * moves up, so that a search never ends too early. */
static void clear_far(struct correlation *correlation, uint32_t slot)
{
	uint32_t mask = correlation->far_size - 1;
	uint32_t next = slot;

	for (;;) {
		const struct call *call;
		uint32_t home;

		next = (next + 1) & mask;
		if (correlation->far[next] == 0)
			break;
		call = &correlation->calls[correlation->far[next] - 1];
		home = home_of(correlation, call->pid, call->id);
		if (((next - home) & mask) < ((next - slot) & mask))
			continue; /* its home is behind the gap */
		correlation->far[slot] = correlation->far[next];
		slot = next;
	}
	correlation->far[slot] = 0;
	correlation->far_count--;
}

/* Makes the place of the oldest call free, and returns it. */
static uint32_t forget_oldest(struct correlation *correlation)
{
	uint32_t place = correlation->oldest;
	const struct call *call = &correlation->calls[place];
	uint32_t *near = near_slot(correlation, call->pid, call->id);

	correlation->oldest = place + 1 == correlation->limit ? 0 : place + 1;
	if (*near == place + 1) {
		*near = 0;
	} else if (correlation->far_count > 0) {
		uint32_t slot = far_slot(correlation, call->pid, call->id);

		if (correlation->far[slot] == place + 1)
			clear_far(correlation, slot);
	}
	return place;
}

bool correlation_add(struct correlation *correlation, int64_t pid, uint64_t id,
	uint64_t value)
{
	uint32_t place;

	if (correlation->count == correlation->room &&
		correlation->room < correlation->limit && !grow(correlation))
		return false;
	place = correlation->count < correlation->room
			? correlation->count
			: forget_oldest(correlation);
	/* The indexes are asked before the call is in its place: the free one
	 * may hold anything. */
	if (!put(correlation, pid, id, place + 1))
		return false;
	correlation->calls[place] = (struct call){pid, id, value};
	correlation->count += place == correlation->count;
	return true;
}

bool correlation_find(const struct correlation *correlation, int64_t pid,
	uint64_t id, uint64_t *value)
{
	uint32_t number;

	if (correlation->count == 0)
		return false;
	number = *near_slot(correlation, pid, id);
	if (!is_call(correlation, number, pid, id)) {
		if (correlation->far_count == 0)
			return false;
		number = correlation->far[far_slot(correlation, pid, id)];
	}
	if (number != 0)
		*value = correlation->calls[number - 1].value;
	return number != 0;
}
