/* SPDX-License-Identifier: MIT */
/*
 * A natural merge sort: a trace is written thread by thread, or by the ends of
 * its slices, so that what is already in order is found and kept, and pieces
 * that follow each other are not merged at all.
 *
 * Source: S. Buss, A. Knop, "Strategies for Stable Merge Sorting", 2019: the
 * 2-merge sort, a stack of runs each over twice as long as the one above.
 */
#include "extsort/spill_order.h"

#include <assert.h>
#include <string.h>

/* Shorter runs are made this long by insertion. */
#define RUN_MIN 12
/* Each run of the stack is over twice as long as the next. */
#define STACK_MAX 64

struct run {
	size_t begin;
	size_t end;
};

static bool before(const struct spill_order *order, const struct spill_entry *a,
	const struct spill_entry *b)
{
	int64_t a_rank;
	int64_t b_rank;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	a_rank = spill_order_record(order->bytes, a).rank;
	b_rank = spill_order_record(order->bytes, b).rank;
	if (a_rank != b_rank)
		return a_rank < b_rank;
	return (a->at < b->at) != order->reversed;
}

static void turn_round(struct spill_entry *first, struct spill_entry *end)
{
	while (first + 1 < end) {
		struct spill_entry entry = *first;

		*first++ = *--end;
		*end = entry;
	}
}

/* Puts entries from `at` to `end` where they belong in [begin, at). */
static void insert(
	const struct spill_order *order, size_t begin, size_t at, size_t end)
{
	for (; at < end; at++) {
		struct spill_entry entry = order->entries[at];
		size_t to = at;

		for (; to > begin &&
			before(order, &entry, &order->entries[to - 1]);
			to--)
			order->entries[to] = order->entries[to - 1];
		order->entries[to] = entry;
	}
}

/* The end of the run that begins here, which is in order then. */
static size_t find_run(
	const struct spill_order *order, size_t begin, size_t count)
{
	const struct spill_entry *entries = order->entries;
	size_t at = begin + 1;
	size_t end;

	if (at < count && before(order, &entries[at], &entries[at - 1])) {
		while (at < count &&
			before(order, &entries[at], &entries[at - 1]))
			at++;
		turn_round(order->entries + begin, order->entries + at);
	} else {
		while (at < count &&
			!before(order, &entries[at], &entries[at - 1]))
			at++;
	}
	if (at - begin >= RUN_MIN || at == count)
		return at;
	end = count - begin < RUN_MIN ? count : begin + RUN_MIN;
	insert(order, begin, at, end);
	return end;
}

/* The left run is the shorter one: it waits in the scratch. */
static void merge_forward(const struct spill_order *order, size_t begin,
	size_t middle, size_t end)
{
	struct spill_entry *to = order->entries + begin;
	const struct spill_entry *left = order->scratch;
	const struct spill_entry *left_end = left + (middle - begin);
	const struct spill_entry *right = order->entries + middle;
	const struct spill_entry *right_end = order->entries + end;

	memcpy(order->scratch, to, (middle - begin) * sizeof(*to));
	while (left < left_end && right < right_end)
		*to++ = before(order, right, left) ? *right++ : *left++;
	memcpy(to, left, (size_t)(left_end - left) * sizeof(*to));
}

/* The right run is the shorter one. */
static void merge_backward(const struct spill_order *order, size_t begin,
	size_t middle, size_t end)
{
	struct spill_entry *to = order->entries + end;
	const struct spill_entry *left_begin = order->entries + begin;
	const struct spill_entry *left = order->entries + middle;
	const struct spill_entry *right_begin = order->scratch;
	const struct spill_entry *right = right_begin + (end - middle);

	memcpy(order->scratch, left, (end - middle) * sizeof(*to));
	while (left > left_begin && right > right_begin)
		*--to = before(order, right - 1, left - 1) ? *--left : *--right;
	to -= right - right_begin;
	memcpy(to, right_begin, (size_t)(right - right_begin) * sizeof(*to));
}

/* The first in [begin, end) that comes after `entry`. */
static size_t find_place(const struct spill_order *order,
	const struct spill_entry *entry, size_t begin, size_t end)
{
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (before(order, entry, &order->entries[middle]))
			end = middle;
		else
			begin = middle + 1;
	}
	return begin;
}

static struct run merge(
	const struct spill_order *order, struct run left, struct run right)
{
	const struct spill_entry *entries = order->entries;
	size_t middle = right.begin;
	size_t begin;
	size_t end;

	/* What is already in its place stays there. */
	begin = find_place(order, &entries[middle], left.begin, middle);
	end = find_place(order, &entries[middle - 1], middle, right.end);
	if (middle - begin <= end - middle)
		merge_forward(order, begin, middle, end);
	else
		merge_backward(order, begin, middle, end);
	return (struct run){left.begin, right.end};
}

void spill_order_sort(const struct spill_order *order, size_t count)
{
	struct run stack[STACK_MAX];
	size_t depth = 0;
	size_t at = 0;

	/* They come the last first: of what nearly is in order each run would
	 * lie behind all that follow it, and be moved over them. */
	turn_round(order->entries, order->entries + count);
	while (at < count) {
		struct run run = {at, find_run(order, at, count)};

		at = run.end;
		while (depth > 0 &&
			stack[depth - 1].end - stack[depth - 1].begin <=
				2 * (run.end - run.begin))
			run = merge(order, stack[--depth], run);
		assert(depth < STACK_MAX);
		stack[depth++] = run;
	}
	for (; depth > 1; depth--)
		stack[depth - 2] =
			merge(order, stack[depth - 2], stack[depth - 1]);
}
