/* SPDX-License-Identifier: MIT */
/*
 * Calls are kept in a ring in order of arrival. It grows up to the limit and
 * wraps only then. Two indexes find them:
 *
 * - `direct` has one slot for each id, by its lowest bits. Recorders count calls,
 *   so most ids are neighbours of the one before, and so are their slots: a
 *   hash would take a line of the cache for each of them.
 * - `overflow` has those whose slot was taken. It is hashed, with open addressing
 *   and linear probing, and at most half full, whatever the ids are.
 *
 * A repeated id adds a second call. The search finds the later one, since it
 * replaces the earlier one or is in `direct`, which is searched first. The
 * earlier one is dropped when the ring reaches it.
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
	uint32_t oldest; /* used once the ring is full */
	uint32_t limit;
	/* Both hold call numbers + 1; 0: free. Sizes are powers of two. */
	uint32_t *direct;
	uint32_t direct_size;
	uint32_t *overflow; /* NULL until needed */
	uint32_t overflow_size;
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
	memory_free(correlation->overflow);
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

static uint32_t home_of(
	const struct correlation *correlation, int64_t pid, uint64_t id)
{
	return (uint32_t)hash_pair((uint64_t)pid, id) &
	       (correlation->overflow_size - 1);
}

/* The slot of `overflow` that has this call, or the free slot for it. */
static uint32_t overflow_slot(
	const struct correlation *correlation, int64_t pid, uint64_t id)
{
	uint32_t mask = correlation->overflow_size - 1;
	uint32_t slot = home_of(correlation, pid, id);

	while (correlation->overflow[slot] != 0 &&
		!is_call(correlation, correlation->overflow[slot], pid, id))
		slot = (slot + 1) & mask;
	return slot;
}

/* Makes room for one more call in `overflow`. */
static bool grow_overflow(struct correlation *correlation)
{
	uint32_t size = correlation->overflow_size == 0
				? FIRST_ROOM
				: 2 * correlation->overflow_size;
	uint32_t *old = correlation->overflow;
	uint32_t old_size = correlation->overflow_size;
	uint32_t *more;

	if (correlation->overflow_count < correlation->overflow_size / 2)
		return true;
	more = memory_new_zeroed(size, sizeof(*more));
	if (more == NULL)
		return false;
	correlation->overflow = more;
	correlation->overflow_size = size;
	for (uint32_t i = 0; i < old_size; i++) {
		const struct call *call;

		if (old[i] == 0)
			continue;
		call = &correlation->calls[old[i] - 1];
		more[overflow_slot(correlation, call->pid, call->id)] = old[i];
	}
	memory_free(old);
	return true;
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
	if (!grow_overflow(correlation))
		return false;
	slot = overflow_slot(correlation, pid, id);
	correlation->overflow_count += correlation->overflow[slot] == 0;
	correlation->overflow[slot] = number;
	return true;
}

/* Rebuilds both indexes. Fewer calls share a slot of `direct` than before the
 * growth, so `overflow` has enough room. */
static void fill_indexes(struct correlation *correlation)
{
	correlation->overflow_count = 0;
	if (correlation->overflow != NULL)
		memset(correlation->overflow, 0,
			correlation->overflow_size *
				sizeof(*correlation->overflow));
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

/* Takes a slot out of `overflow`: what was put behind it, because it was not free,
 * moves up, so that a search never ends too early. */
static void clear_overflow(struct correlation *correlation, uint32_t slot)
{
	uint32_t mask = correlation->overflow_size - 1;
	uint32_t next = slot;

	for (;;) {
		const struct call *call;
		uint32_t home;

		next = (next + 1) & mask;
		if (correlation->overflow[next] == 0)
			break;
		call = &correlation->calls[correlation->overflow[next] - 1];
		home = home_of(correlation, call->pid, call->id);
		if (((next - home) & mask) < ((next - slot) & mask))
			continue; /* its home is after the gap */
		correlation->overflow[slot] = correlation->overflow[next];
		slot = next;
	}
	correlation->overflow[slot] = 0;
	correlation->overflow_count--;
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
		uint32_t slot = overflow_slot(correlation, call->pid, call->id);

		if (correlation->overflow[slot] == place + 1)
			clear_overflow(correlation, slot);
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
		slot = overflow_slot(correlation, pid, id);
		number = correlation->overflow[slot];
	}
	if (number != 0)
		*value = correlation->calls[number - 1].value;
	return number != 0;
}
