/* SPDX-License-Identifier: MIT */
#include "operators/fx_scopes.h"

#include "trace/event.h"
#include "base/memory.h"

#define RANGE_NONE UINT32_MAX

struct fx_scope {
	uint32_t number;
	uint32_t range; /* that it is; RANGE_NONE: it comes with its length */
	int64_t end_ns; /* then; INT64_MIN: it was a range */
};

void fx_track_clear(struct fx_track *track)
{
	for (size_t i = 0; i < FX_SCOPE_KINDS; i++)
		memory_free(track->scopes[i].items);
	memory_free(track->ranges);
	*track = (struct fx_track){0};
}

static bool is_over(const struct fx_scope *scope, int64_t time_ns)
{
	return scope->range == RANGE_NONE && scope->end_ns <= time_ns;
}

bool fx_track_innermost(struct fx_track *track, enum fx_scope_kind kind,
	int64_t time_ns, uint32_t *number)
{
	struct fx_scopes *scopes = &track->scopes[kind];

	while (scopes->count > 0) {
		const struct fx_scope *last = &scopes->items[scopes->count - 1];

		if (!is_over(last, time_ns)) {
			*number = last->number;
			return true;
		}
		scopes->count--;
	}
	return false;
}

/* Takes out what is over; ranges learn where their scopes are now. */
static void tidy(
	struct fx_track *track, enum fx_scope_kind kind, int64_t time_ns)
{
	struct fx_scopes *scopes = &track->scopes[kind];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < scopes->count; i++) {
		const struct fx_scope *scope = &scopes->items[i];

		if (is_over(scope, time_ns))
			continue;
		if (scope->range != RANGE_NONE)
			track->ranges[scope->range].scope = kept;
		scopes->items[kept++] = *scope;
	}
	scopes->count = kept;
}

/* Makes room for one more. */
static bool reach(
	struct fx_track *track, enum fx_scope_kind kind, int64_t time_ns)
{
	struct fx_scopes *scopes = &track->scopes[kind];

	if (scopes->count < scopes->room)
		return true;
	tidy(track, kind, time_ns);
	/* Else it would be tidied again soon. */
	if (scopes->count < scopes->room / 2)
		return true;
	return memory_enlarge32(
		&scopes->items, &scopes->room, sizeof(*scopes->items));
}

struct fx_range *fx_track_push(struct fx_track *track)
{
	if (!memory_grow32(&track->ranges, track->depth, &track->room,
		    sizeof(*track->ranges)))
		return NULL;
	track->ranges[track->depth] = (struct fx_range){0};
	return &track->ranges[track->depth++];
}

void fx_track_pop(struct fx_track *track)
{
	const struct fx_range *range;
	struct fx_scope *scope;

	if (track->depth == 0)
		return;
	range = &track->ranges[--track->depth];
	if (!range->is_scope)
		return;
	scope = &track->scopes[range->kind].items[range->scope];
	scope->range = RANGE_NONE;
	scope->end_ns = INT64_MIN;
}

bool fx_track_open(struct fx_track *track, const struct event *event,
	enum fx_scope_kind kind, uint32_t number)
{
	struct fx_scopes *scopes = &track->scopes[kind];
	struct fx_scope scope = {number, RANGE_NONE, event_end(event)};

	if (!reach(track, kind, event->time_ns))
		return false;
	if (event->kind == EVENT_BEGIN) {
		struct fx_range *range = &track->ranges[track->depth - 1];

		scope.range = track->depth - 1;
		range->is_scope = true;
		range->kind = kind;
		range->scope = scopes->count;
	}
	scopes->items[scopes->count++] = scope;
	return true;
}
