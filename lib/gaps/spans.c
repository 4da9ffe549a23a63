/* SPDX-License-Identifier: MIT */
#include "gaps/spans.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"

bool spans_add(struct spans *spans, int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= to_ns)
		return true;
	if (!array_reserve(&spans->items, spans->count, &spans->room,
		    sizeof(*spans->items)))
		return false;
	spans->items[spans->count++] = (struct span){from_ns, to_ns, 0};
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct span *one = left;
	const struct span *other = right;

	return (one->from_ns > other->from_ns) -
	       (one->from_ns < other->from_ns);
}

void spans_join(struct spans *spans)
{
	size_t kept = 0;
	uint64_t sum_ns = 0;

	if (spans->count == 0)
		return;
	qsort(spans->items, spans->count, sizeof(*spans->items), compare);
	for (size_t i = 1; i < spans->count; i++) {
		struct span *last = &spans->items[kept];
		const struct span *span = &spans->items[i];

		if (span->from_ns > last->to_ns)
			spans->items[++kept] = *span;
		else if (span->to_ns > last->to_ns)
			last->to_ns = span->to_ns;
	}
	spans->count = kept + 1;
	for (size_t i = 0; i < spans->count; i++) {
		struct span *span = &spans->items[i];

		span->before_ns = sum_ns;
		sum_ns += (uint64_t)span->to_ns - (uint64_t)span->from_ns;
	}
}

/* Time covered before `time_ns`. */
static uint64_t before(const struct spans *spans, int64_t time_ns)
{
	const struct span *span;
	size_t at;

	SEARCH_FIRST(at, spans->count, spans->items[at].from_ns < time_ns);
	if (at == 0)
		return 0;
	span = &spans->items[at - 1];
	if (time_ns > span->to_ns)
		time_ns = span->to_ns;
	return span->before_ns + ((uint64_t)time_ns - (uint64_t)span->from_ns);
}

uint64_t spans_cover(const struct spans *spans, int64_t from_ns, int64_t to_ns)
{
	return to_ns <= from_ns ? 0
				: before(spans, to_ns) - before(spans, from_ns);
}
