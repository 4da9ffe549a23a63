/* SPDX-License-Identifier: MIT */
/*
 * Calls are kept in a ring in order of arrival. It grows up to the limit and
 * wraps only then. Two indexes find them:
 *
 * - `direct` has one slot for each id, by its lowest bits. Recorders count calls,
 *   so most ids are neighbours of the one before, and so are their slots: a
 *   hash would take a line of the cache for each of them.
 * - `overflow` has those whose slot was taken, by their hashes.
 *
 * A repeated id adds a second call. The search finds the later one, since it
 * replaces the earlier one or is in `direct`, which is searched first. The
 * earlier one is dropped when the ring reaches it.
 */
#include "trace/correlation.h"

#include <assert.h>

#include "base/hash.h"
#include "base/index.h"
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
	uint32_t oldest; /* used once the ring is full */
	uint32_t limit;
	/* Call numbers + 1; 0: free. The size is a power of two. */
	uint32_t *direct;
	uint32_t direct_size;
	struct index overflow; /* over calls */
	uint32_t overflow_count;
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
	memory_free(correlation->direct);
	memory_free(correlation->overflow.entries);
	memory_free(correlation);
}

/* All processes count from the same number, so each starts at another slot. */
static uint32_t *direct_slot(
	const struct correlation *correlation, int64_t pid, uint64_t id)
{
	uint64_t at = id + (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15);

	return &correlation->direct[at & (correlation->direct_size - 1)];
}

static bool is_call(const struct correlation *correlation, uint32_t number,
	int64_t pid, uint64_t id)
{
	return number != 0 && correlation->calls[number - 1].id == id &&
	       correlation->calls[number - 1].pid == pid;
}

static uint64_t hash_call(int64_t pid, uint64_t id)
{
	return hash_pair((uint64_t)pid, id);
}

/* The number + 1 of this call in `overflow`, which is not empty; 0 if it is
 * missing. Sets its slot, or the free slot for it. */
static uint32_t find_overflow(const struct correlation *correlation,
	int64_t pid, uint64_t id, uint32_t *slot)
{
	const struct index *overflow = &correlation->overflow;
	uint64_t hash = hash_call(pid, id);
	uint32_t number;

	*slot = index_first(overflow, hash);
	while ((number = index_find(overflow, hash, slot)) != INDEX_NONE) {
		if (is_call(correlation, number + 1, pid, id))
			return number + 1;
		*slot = index_after(overflow, *slot);
	}
	return 0;
}

/* Adds the future place of a call to an index. */
static bool index_call(struct correlation *correlation, int64_t pid,
	uint64_t id, uint32_t number)
{
	uint32_t *direct = direct_slot(correlation, pid, id);
	uint32_t slot;

	if (*direct == 0 || is_call(correlation, *direct, pid, id)) {
		*direct = number;
		return true;
	}
	if (!index_reserve(&correlation->overflow, correlation->overflow_count))
		return false;
	correlation->overflow_count +=
		find_overflow(correlation, pid, id, &slot) == 0;
	index_set(&correlation->overflow, slot, hash_call(pid, id), number - 1);
	return true;
}

/* Rebuilds both indexes. Fewer calls share a slot of `direct` than before the
 * growth, so `overflow` has enough room. */
static void fill_indexes(struct correlation *correlation)
{
	correlation->overflow_count = 0;
	index_clear(&correlation->overflow);
	for (uint32_t i = 0; i < correlation->count; i++)
		(void)index_call(correlation, correlation->calls[i].pid,
			correlation->calls[i].id, i + 1);
}

/* Doubles the ring, up to the limit. */
static bool grow(struct correlation *correlation)
{
	uint32_t room =
		correlation->room == 0 ? FIRST_ROOM : 2 * correlation->room;
	uint32_t size = 2 * FIRST_ROOM;
	struct call *calls;
	uint32_t *direct;

	if (room > correlation->limit)
		room = correlation->limit;
	while (size < 2 * room)
		size *= 2;
	calls = memory_resize_array(correlation->calls, room, sizeof(*calls));
	if (calls == NULL)
		return false;
	correlation->calls = calls;
	direct = memory_new_zeroed(size, sizeof(*direct));
	if (direct == NULL)
		return false;
	memory_free(correlation->direct);
	correlation->direct = direct;
	correlation->direct_size = size;
	correlation->room = room;
	fill_indexes(correlation);
	return true;
}

/* Frees the place of the oldest call and returns it. */
static uint32_t forget_oldest(struct correlation *correlation)
{
	uint32_t place = correlation->oldest;
	const struct call *call = &correlation->calls[place];
	uint32_t *direct = direct_slot(correlation, call->pid, call->id);

	correlation->oldest = place + 1 == correlation->limit ? 0 : place + 1;
	if (*direct == place + 1) {
		*direct = 0;
	} else if (correlation->overflow_count > 0) {
		uint32_t slot;

		if (find_overflow(correlation, call->pid, call->id, &slot) ==
			place + 1) {
			index_remove(&correlation->overflow, slot);
			correlation->overflow_count--;
		}
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
	/* The indexes are updated before the call is stored, so the free place
	 * may hold anything. */
	if (!index_call(correlation, pid, id, place + 1))
		return false;
	correlation->calls[place] = (struct call){pid, id, value};
	correlation->count += place == correlation->count;
	return true;
}

bool correlation_find(const struct correlation *correlation, int64_t pid,
	uint64_t id, uint64_t *value)
{
	uint32_t number;
	uint32_t slot;

	if (correlation->count == 0)
		return false;
	number = *direct_slot(correlation, pid, id);
	if (!is_call(correlation, number, pid, id)) {
		if (correlation->overflow_count == 0)
			return false;
		number = find_overflow(correlation, pid, id, &slot);
	}
	if (number != 0)
		*value = correlation->calls[number - 1].value;
	return number != 0;
}
