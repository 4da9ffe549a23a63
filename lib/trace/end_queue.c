/* SPDX-License-Identifier: MIT */
#include "trace/end_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "trace/event.h"
#include "base/memory.h"

/* Bound on the calls searched; real traces do not have more at one moment. */
#define CALLS_SEARCHED 1024

void end_queue_clear(struct end_queue *queue)
{
	for (size_t i = 0; i < queue->count; i++)
		event_copy_clear(&queue->items[i]);
	memory_free(queue->items);
	*queue = (struct end_queue){0};
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

static void rise(struct end_queue *queue, size_t at)
{
	for (; at > 0; at = (at - 1) / 2) {
		struct event *parent = &queue->items[(at - 1) / 2];

		if (!ends_before(&queue->items[at], parent))
			break;
		swap(&queue->items[at], parent);
	}
}

static void sink(struct end_queue *queue, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count &&
			ends_before(
				&queue->items[child + 1], &queue->items[child]))
			child++;
		if (!ends_before(&queue->items[child], &queue->items[at]))
			break;
		swap(&queue->items[child], &queue->items[at]);
		at = child;
	}
}

bool end_queue_add(struct end_queue *queue, const struct event *event)
{
	if (!array_reserve(&queue->items, queue->count, &queue->room,
		    sizeof(*queue->items)))
		return false;
	if (!event_copy(&queue->items[queue->count], event))
		return false;
	rise(queue, queue->count++);
	return true;
}

const struct event *end_queue_first(const struct end_queue *queue)
{
	return queue->count == 0 ? NULL : queue->items;
}

struct event end_queue_pop(struct end_queue *queue)
{
	struct event first = queue->items[0];

	assert(queue->count > 0);
	queue->items[0] = queue->items[--queue->count];
	sink(queue, 0);
	return first;
}

bool end_queue_pop_call(
	struct end_queue *queue, const struct event *begin, struct event *call)
{
	for (size_t i = 0; i < queue->count && i < CALLS_SEARCHED; i++) {
		struct event *item = &queue->items[i];

		if (item->kind != EVENT_UNCLIPPED_CALL ||
			item->track != begin->track ||
			item->site != begin->site ||
			(uint64_t)begin->time_ns - (uint64_t)item->time_ns !=
				begin->shift_ns)
			continue;
		*call = *item;
		*item = queue->items[--queue->count];
		if (i < queue->count) {
			sink(queue, i);
			rise(queue, i);
		}
		return true;
	}
	return false;
}

bool end_queue_move_calls(struct end_queue *from, struct end_queue *to)
{
	size_t kept = 0;
	bool done = true;

	for (size_t i = 0; i < from->count; i++) {
		struct event *item = &from->items[i];

		if (done && item->kind == EVENT_UNCLIPPED_CALL) {
			done = end_queue_add(to, item);
			event_copy_clear(item);
		} else {
			from->items[kept++] = *item;
		}
	}
	from->count = kept;
	end_queue_restore(from);
	return done;
}

/* Enclosing events first. */
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

void end_queue_sort(struct end_queue *queue)
{
	if (queue->count > 0)
		qsort(queue->items, queue->count, sizeof(*queue->items),
			compare);
}

void end_queue_restore(struct end_queue *queue)
{
	for (size_t i = queue->count / 2; i > 0; i--)
		sink(queue, i - 1);
}
