/* SPDX-License-Identifier: MIT */
#include "profile/profile_events.h"

#include <string.h>

#include "base/memory.h"

struct profile_events *profile_events_new(void)
{
	struct profile_events *events = memory_new_zeroed(1, sizeof(*events));

	if (events == NULL)
		return NULL;
	events->text = strtab_new();
	if (events->text == NULL) {
		memory_free(events);
		return NULL;
	}
	return events;
}

void profile_events_free(struct profile_events *events)
{
	if (events == NULL)
		return;
	strtab_free(events->text);
	memory_free(events->costs);
	memory_free(events->objects);
	memory_free(events);
}

static const char *text_of(const struct profile_events *events, uint32_t number)
{
	return strtab_text(events->text, number, NULL);
}

struct profile_events *profile_events_copy(const struct profile_events *from)
{
	struct profile_events *events = profile_events_new();
	bool done = events != NULL;

	for (uint32_t i = 0; done && i < from->count; i++)
		done = profile_events_add_name(
			events, text_of(from, from->names[i]));
	for (uint32_t i = 0; done && i < from->definition_count; i++)
		done = profile_events_add_definition(
			events, text_of(from, from->definitions[i]));
	if (done)
		return events;
	profile_events_free(events);
	return NULL;
}

bool profile_events_are_equal(
	const struct profile_events *events, const struct profile_events *other)
{
	if (events->count != other->count)
		return false;
	for (uint32_t i = 0; i < events->count; i++)
		if (strcmp(text_of(events, events->names[i]),
			    text_of(other, other->names[i])) != 0)
			return false;
	return true;
}

bool profile_events_add_name(struct profile_events *events, const char *name)
{
	uint32_t number;

	if (events->count == PROFILE_EVENTS_MAX)
		return false;
	number = strtab_add(events->text, name, strlen(name));
	if (number == STRTAB_NONE)
		return false;
	events->names[events->count++] = number;
	return true;
}

bool profile_events_add_definition(
	struct profile_events *events, const char *text)
{
	uint32_t number = strtab_add(events->text, text, strlen(text));

	if (number == STRTAB_NONE)
		return false;
	for (uint32_t i = 0; i < events->definition_count; i++)
		if (events->definitions[i] == number)
			return true;
	if (events->definition_count < PROFILE_EVENTS_MAX)
		events->definitions[events->definition_count++] = number;
	return true;
}

bool profile_events_ensure_row(struct profile_events *events, uint32_t *row)
{
	uint32_t next = events->row_count == 0 ? 1 : events->row_count;

	if (*row != 0)
		return true;
	if (next >= UINT32_MAX / PROFILE_EVENTS_MAX ||
		!array_ensure_index(&events->objects, next,
			&events->object_room, sizeof(*events->objects)) ||
		!array_ensure_index(&events->costs, (next + 1) * events->count,
			&events->cost_room, sizeof(*events->costs)))
		return false;
	events->row_count = next + 1;
	*row = next;
	return true;
}

const int64_t *profile_events_costs(
	const struct profile_events *events, uint32_t row)
{
	return row == 0 ? NULL : events->costs + (size_t)row * events->count;
}

const char *profile_events_object(
	const struct profile_events *events, uint32_t row)
{
	return row == 0 ? "" : text_of(events, events->objects[row]);
}

/* Saturated, as times are. */
static int64_t sum(int64_t left, int64_t right)
{
	int64_t result;

	if (__builtin_add_overflow(left, right, &result))
		return right < 0 ? INT64_MIN : INT64_MAX;
	return result;
}

static void add_all(uint32_t count, int64_t *to, const int64_t *costs)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = sum(to[i], costs[i]);
}

void profile_events_sum(
	const struct profile_events *events, uint32_t row, int64_t *sums)
{
	if (row != 0)
		add_all(events->count, sums, profile_events_costs(events, row));
}

bool profile_events_add_costs(
	struct profile_events *events, uint32_t *row, const int64_t *costs)
{
	if (!profile_events_ensure_row(events, row))
		return false;
	add_all(events->count, events->costs + (size_t)*row * events->count,
		costs);
	return true;
}

bool profile_events_set_object(
	struct profile_events *events, uint32_t *row, const char *object)
{
	uint32_t number;

	if (*object == '\0')
		return true;
	number = strtab_add(events->text, object, strlen(object));
	if (number == STRTAB_NONE || !profile_events_ensure_row(events, row))
		return false;
	if (events->objects[*row] == 0)
		events->objects[*row] = number;
	return true;
}

bool profile_events_add_row(struct profile_events *events, uint32_t *row,
	const struct profile_events *from, uint32_t other)
{
	int64_t costs[PROFILE_EVENTS_MAX];

	if (events == NULL || from == NULL || other == 0)
		return true;
	/* A copy: the tables may be one, and move. */
	memcpy(costs, profile_events_costs(from, other),
		from->count * sizeof(*costs));
	return profile_events_add_costs(events, row, costs);
}
