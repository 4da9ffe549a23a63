/* SPDX-License-Identifier: MIT */
/*
 * Lists have few devices, mostly one or two, so lists and owners are searched
 * linearly. A list is sorted by owner number.
 */
#include "profile/profile_memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "trace/trace.h"
#include "base/memory.h"
#include "base/saturate.h"

const char *profile_owner_text(
	char text[PROFILE_OWNER_TEXT], const struct profile_owner *owner)
{
	const char *type = trace_device_type_name(owner->type);
	int used;

	if (owner->kind != PROFILE_OF_DEVICE)
		type = owner->kind == PROFILE_OF_HOST ? "host" : "other";
	if (type != NULL)
		used = snprintf(text, PROFILE_OWNER_TEXT, "%s", type);
	else
		used = snprintf(
			text, PROFILE_OWNER_TEXT, "type %" PRId64, owner->type);
	if (owner->kind == PROFILE_OF_DEVICE && owner->number != -1)
		(void)snprintf(text + used, PROFILE_OWNER_TEXT - (size_t)used,
			":%" PRId64, owner->number);
	return text;
}

bool profile_owner_is_before(
	const struct profile_owner *left, const struct profile_owner *right)
{
	if (left->kind != right->kind)
		return left->kind < right->kind;
	if (left->type != right->type)
		return left->type < right->type;
	return left->number < right->number;
}

static bool is_equal(
	const struct profile_owner *left, const struct profile_owner *right)
{
	return left->kind == right->kind &&
	       (left->kind != PROFILE_OF_DEVICE ||
		       (left->type == right->type &&
			       left->number == right->number));
}

struct profile_memory *profile_memory_new(void)
{
	struct profile_memory *memory = memory_new_zeroed(1, sizeof(*memory));
	struct profile_owner host = {.kind = PROFILE_OF_HOST};

	if (memory == NULL)
		return NULL;
	if (profile_memory_find(memory, host) != PROFILE_MEMORY_HOST) {
		profile_memory_free(memory);
		return NULL;
	}
	return memory;
}

void profile_memory_free(struct profile_memory *memory)
{
	if (memory == NULL)
		return;
	memory_free(memory->owners);
	memory_free(memory->parts);
	memory_free(memory);
}

/* Whether there is no room for another device, besides the host and "other". */
static bool is_full(const struct profile_memory *memory)
{
	uint32_t devices = 0;

	for (uint32_t i = 0; i < memory->owner_count; i++)
		devices += memory->owners[i].owner.kind == PROFILE_OF_DEVICE;
	return devices == PROFILE_DEVICES_MAX;
}

uint32_t profile_memory_find(
	struct profile_memory *memory, struct profile_owner owner)
{
	for (uint32_t i = 0; i < memory->owner_count; i++)
		if (is_equal(&memory->owners[i].owner, &owner))
			return i;
	if (owner.kind == PROFILE_OF_DEVICE && is_full(memory)) {
		owner = (struct profile_owner){.kind = PROFILE_OF_OTHER};
		return profile_memory_find(memory, owner);
	}
	if (!array_reserve32(&memory->owners, memory->owner_count,
		    &memory->owner_room, sizeof(*memory->owners)))
		return UINT32_MAX;
	memory->owners[memory->owner_count] =
		(struct profile_memory_owner){.owner = owner};
	return memory->owner_count++;
}

/* Returns the number + 1 of a part that is not in a list yet; 0 if out of
 * memory. */
static uint32_t new_part(struct profile_memory *memory, uint32_t owner)
{
	uint32_t number = memory->unused;

	if (number != 0) {
		memory->unused = memory->parts[number - 1].next;
	} else {
		if (!array_reserve32(&memory->parts, memory->part_count,
			    &memory->part_room, sizeof(*memory->parts))) {
			memory->failed = true;
			return 0;
		}
		number = ++memory->part_count;
	}
	memory->parts[number - 1] =
		(struct profile_memory_part){.owner = owner};
	return number;
}

static int64_t wrapping_sum(int64_t left, int64_t right)
{
	return (int64_t)((uint64_t)left + (uint64_t)right);
}

static void add_amount(struct profile_amount *to, struct profile_amount amount)
{
	to->self_bytes = wrapping_sum(to->self_bytes, amount.self_bytes);
	to->total_bytes = wrapping_sum(to->total_bytes, amount.total_bytes);
	to->failed = saturate_sum(to->failed, amount.failed);
}

void profile_memory_add(struct profile_memory *memory, uint32_t *list,
	uint32_t owner, struct profile_amount amount)
{
	uint32_t before = 0;
	uint32_t at = *list;

	while (at != 0 && memory->parts[at - 1].owner < owner) {
		before = at;
		at = memory->parts[at - 1].next;
	}
	if (at == 0 || memory->parts[at - 1].owner != owner) {
		uint32_t number = new_part(memory, owner);

		if (number == 0)
			return;
		memory->parts[number - 1].next = at;
		if (before == 0)
			*list = number;
		else
			memory->parts[before - 1].next = number;
		at = number;
	}
	add_amount(&memory->parts[at - 1].amount, amount);
}

void profile_memory_add_list(
	struct profile_memory *memory, uint32_t *list, uint32_t from)
{
	while (from != 0) {
		struct profile_memory_part part = memory->parts[from - 1];

		profile_memory_add(memory, list, part.owner, part.amount);
		from = part.next;
	}
}

void profile_memory_release(struct profile_memory *memory, uint32_t list)
{
	while (list != 0) {
		struct profile_memory_part *part = &memory->parts[list - 1];
		uint32_t next = part->next;

		part->next = memory->unused;
		memory->unused = list;
		list = next;
	}
}

const struct profile_memory_part *profile_memory_first(
	const struct profile_memory *memory, uint32_t list)
{
	return list == 0 ? NULL : &memory->parts[list - 1];
}

const struct profile_memory_part *profile_memory_next(
	const struct profile_memory *memory,
	const struct profile_memory_part *part)
{
	return profile_memory_first(memory, part->next);
}

const struct profile_memory_part *profile_memory_part(
	const struct profile_memory *memory, uint32_t list, uint32_t owner)
{
	const struct profile_memory_part *part =
		profile_memory_first(memory, list);

	while (part != NULL && part->owner != owner)
		part = profile_memory_next(memory, part);
	return part;
}

struct profile_amount profile_memory_of(
	const struct profile_memory *memory, uint32_t list, uint32_t owner)
{
	struct profile_amount sum = {0};

	for (const struct profile_memory_part *part =
			profile_memory_first(memory, list);
		part != NULL; part = profile_memory_next(memory, part))
		if (owner == PROFILE_MEMORY_DEVICES
				? part->owner != PROFILE_MEMORY_HOST
				: part->owner == owner)
			add_amount(&sum, part->amount);
	return sum;
}

uint64_t profile_memory_records(const struct profile_memory *memory)
{
	uint64_t records = 0;

	for (uint32_t i = 0; memory != NULL && i < memory->owner_count; i++)
		records = saturate_sum(records, memory->owners[i].records);
	return records;
}

bool profile_memory_map(struct profile_memory *memory,
	const struct profile_memory *from, uint32_t *map)
{
	for (uint32_t i = 0; i < from->owner_count; i++) {
		map[i] = profile_memory_find(memory, from->owners[i].owner);
		if (map[i] == UINT32_MAX)
			return false;
		memory->owners[map[i]].records =
			saturate_sum(memory->owners[map[i]].records,
				from->owners[i].records);
	}
	return true;
}

void profile_memory_add_mapped(struct profile_memory *memory, uint32_t *list,
	const struct profile_memory *from, uint32_t other, const uint32_t *map)
{
	for (const struct profile_memory_part *part =
			profile_memory_first(from, other);
		part != NULL; part = profile_memory_next(from, part))
		profile_memory_add(
			memory, list, map[part->owner], part->amount);
}
