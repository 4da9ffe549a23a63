/* SPDX-License-Identifier: MIT */
/* What the idle time is charged to; and the order of devices and places. */
#include <stdlib.h>
#include <string.h>

#include "gaps/gaps_private.h"
#include "base/memory.h"

#define PLACE_NONE UINT32_MAX

/* The place's index, new or known; PLACE_NONE if out of memory. */
static uint32_t find_place(struct gaps *gaps, const struct gaps_place *place)
{
	const uint32_t key[] = {place->device, (uint32_t)place->cause,
		place->name, place->file, place->line, place->call};
	uint32_t count = strtab_count(gaps->place_keys);
	uint32_t number =
		strtab_add(gaps->place_keys, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return PLACE_NONE;
	if (number < count)
		return number - 1;
	if (!memory_grow32(&gaps->places, gaps->place_count, &gaps->place_room,
		    sizeof(*gaps->places)))
		return PLACE_NONE;
	gaps->places[gaps->place_count] = *place;
	return gaps->place_count++;
}

bool gaps_charge(
	struct gaps *gaps, const struct gaps_place *place, uint64_t time_ns)
{
	uint32_t number;

	if (time_ns == 0)
		return true;
	number = find_place(gaps, place);
	if (number == PLACE_NONE)
		return false;
	gaps->devices[place->device].cause_ns[place->cause] += time_ns;
	gaps->places[number].idle_ns += time_ns;
	gaps->places[number].count++;
	if (time_ns > gaps->places[number].longest_ns)
		gaps->places[number].longest_ns = time_ns;
	return true;
}

static int compare_texts(const struct gaps *gaps, uint32_t left, uint32_t right)
{
	const struct strtab *text = gaps->trace->text;

	return strcmp(
		strtab_text(text, left, NULL), strtab_text(text, right, NULL));
}

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* The longest first; what is equal, in an order of its own. */
static int compare_places(const void *left, const void *right, void *user)
{
	const struct gaps_place *one = left;
	const struct gaps_place *other = right;
	int order = compare_numbers(other->idle_ns, one->idle_ns);

	if (order == 0)
		order = compare_numbers(one->device, other->device);
	if (order == 0)
		order = compare_numbers(one->cause, other->cause);
	if (order == 0)
		order = compare_texts(user, one->name, other->name);
	if (order == 0)
		order = compare_texts(user, one->file, other->file);
	if (order == 0)
		order = compare_numbers(one->line, other->line);
	return order != 0 ? order : compare_texts(user, one->call, other->call);
}

static int compare_devices(const void *left, const void *right, void *user)
{
	const struct gaps *gaps = user;
	const uint32_t *numbers[2] = {left, right};
	const struct gaps_device *one = &gaps->devices[*numbers[0]];
	const struct gaps_device *other = &gaps->devices[*numbers[1]];

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return compare_numbers(one->number, other->number);
}

/* Into an order that does not depend on how they were met. */
static bool sort_devices(struct gaps *gaps)
{
	uint32_t count = gaps->device_count;
	struct gaps_device *sorted =
		memory_new_zeroed(count + 1, sizeof(*sorted));
	uint32_t *order = memory_new_zeroed(2 * (count + 1), sizeof(*order));
	uint32_t *place = order + count;

	if (sorted == NULL || order == NULL) {
		memory_free(sorted);
		memory_free(order);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_devices, gaps);
	for (uint32_t i = 0; i < count; i++) {
		sorted[i] = gaps->devices[order[i]];
		place[order[i]] = i;
	}
	for (uint32_t i = 0; i < gaps->place_count; i++)
		gaps->places[i].device = place[gaps->places[i].device];
	memory_free(gaps->devices);
	memory_free(order);
	gaps->devices = sorted;
	return true;
}

bool gaps_sort(struct gaps *gaps)
{
	if (!sort_devices(gaps))
		return false;
	if (gaps->place_count > 0)
		qsort_r(gaps->places, gaps->place_count, sizeof(*gaps->places),
			compare_places, gaps);
	return true;
}
