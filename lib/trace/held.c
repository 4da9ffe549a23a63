/* SPDX-License-Identifier: MIT */
#include "trace/held.h"

#include <assert.h>
#include <stdlib.h>

#include "trace/event_copy.h"
#include "base/memory.h"

/* Calls at one moment: more would take too long, and nobody makes them. */
#define WHOLES_SEARCHED 1024

void held_clear(struct held *held)
{
	for (size_t i = 0; i < held->count; i++)
		event_copy_clear(&held->items[i]);
	memory_free(held->items);
	*held = (struct held){0};
}

static void swap(struct event *a, struct event *b)
{
	struct event other = *a;

	*a = *b;
	*b = other;
}

static bool ends_before(const struct event *a, const struct event *b)
{
	return event_end(a) < event_end(b);
}

static void rise(struct held *held, size_t at)
{
	for (; at > 0; at = (at - 1) / 2) {
		struct event *parent = &held->items[(at - 1) / 2];

		if (!ends_before(&held->items[at], parent))
			break;
		swap(&held->items[at], parent);
	}
}

static void sink(struct held *held, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= held->count)
			break;
		if (child + 1 < held->count &&
			ends_before(
				&held->items[child + 1], &held->items[child]))
			child++;
		if (!ends_before(&held->items[child], &held->items[at]))
			break;
		swap(&held->items[child], &held->items[at]);
		at = child;
	}
}

bool held_add(struct held *held, const struct event *event)
{
	if (!memory_grow(&held->items, held->count, &held->room,
		    sizeof(*held->items)))
		return false;
	if (!event_copy(&held->items[held->count], event))
		return false;
	rise(held, held->count++);
	return true;
}

const struct event *held_first(const struct held *held)
{
	return held->count == 0 ? NULL : held->items;
}

struct event held_take(struct held *held)
{
	struct event first = held->items[0];

	assert(held->count > 0);
	held->items[0] = held->items[--held->count];
	sink(held, 0);
	return first;
}

bool held_take_whole(
	struct held *held, const struct event *begin, struct event *whole)
{
	for (size_t i = 0; i < held->count && i < WHOLES_SEARCHED; i++) {
		struct event *item = &held->items[i];

		if (item->kind != EVENT_WHOLE || item->track != begin->track ||
			item->site != begin->site ||
			(uint64_t)begin->time_ns - (uint64_t)item->time_ns !=
				begin->dur_ns)
			continue;
		*whole = *item;
		*item = held->items[--held->count];
		if (i < held->count) {
			sink(held, i);
			rise(held, i);
		}
		return true;
	}
	return false;
}

bool held_move_wholes(struct held *from, struct held *to)
{
	size_t kept = 0;
	bool done = true;

	for (size_t i = 0; i < from->count; i++) {
		struct event *item = &from->items[i];

		if (done && item->kind == EVENT_WHOLE) {
			done = held_add(to, item);
			event_copy_clear(item);
		} else {
			from->items[kept++] = *item;
		}
	}
	from->count = kept;
	held_restore(from);
	return done;
}

/* What encloses others comes first. */
static int compare(const void *a, const void *b)
{
	const struct event *left = a;
	const struct event *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	if (left->dur_ns != right->dur_ns)
		return left->dur_ns > right->dur_ns ? -1 : 1;
	if (left->track != right->track)
		return left->track < right->track ? -1 : 1;
	return (left->site > right->site) - (left->site < right->site);
}

void held_sort(struct held *held)
{
	if (held->count > 0)
		qsort(held->items, held->count, sizeof(*held->items), compare);
}

void held_restore(struct held *held)
{
	for (size_t i = held->count / 2; i > 0; i--)
		sink(held, i - 1);
}
