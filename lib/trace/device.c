/* SPDX-License-Identifier: MIT */
#include "trace/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const struct event_arg *trace_device_property(const struct trace *trace,
	const struct trace_device *device, enum event_arg_kind kind,
	const char *key)
{
	for (uint32_t i = 0; device != NULL && i < device->arg_count; i++) {
		const struct event_arg *arg = &device->args[i];

		if (arg->kind == kind &&
			strcmp(strtab_text(trace->text, arg->key, NULL), key) ==
				0)
			return arg;
	}
	return NULL;
}

static const char *own_name(
	const struct trace *trace, int64_t pid, uint32_t number, size_t *size)
{
	const struct event_arg *name = trace_device_property(
		trace, trace_find_device(trace, pid, number), ARG_TEXT, "name");

	if (name == NULL || name->value.text.size == 0)
		return NULL;
	*size = name->value.text.size;
	return name->value.text.bytes;
}

const char *trace_device_name(
	const struct trace *trace, int64_t pid, uint32_t number, size_t *size)
{
	const char *found = NULL;

	if (trace_find_device(trace, pid, number) != NULL)
		return own_name(trace, pid, number, size);
	for (uint32_t i = 0; i < trace->device_count; i++) {
		size_t other_size;
		const char *other = own_name(trace, trace->devices[i].pid,
			trace->devices[i].number, &other_size);

		if (trace->devices[i].pid != pid)
			continue;
		if (other == NULL ||
			(found != NULL &&
				(other_size != *size ||
					memcmp(found, other, other_size) != 0)))
			return NULL;
		found = other;
		*size = other_size;
	}
	return found;
}

uint64_t trace_device_memory(
	const struct trace *trace, int64_t pid, uint32_t number)
{
	const struct event_arg *memory = trace_device_property(trace,
		trace_find_device(trace, pid, number), ARG_INT,
		"totalGlobalMem");

	return memory == NULL || memory->value.integer < 0
		       ? 0
		       : (uint64_t)memory->value.integer;
}

static int compare(const void *a, const void *b)
{
	const struct devices_item *left = a;
	const struct devices_item *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return 0;
}

/* Merges equal devices, with their streams. */
static void merge_equal(struct devices *devices)
{
	uint32_t count = 0;

	qsort(devices->items, devices->count, sizeof(*devices->items), compare);
	for (uint32_t i = 0; i < devices->count; i++) {
		struct devices_item *item = &devices->items[i];

		if (count > 0 && compare(item, &devices->items[count - 1]) == 0)
			devices->items[count - 1].streams += item->streams;
		else
			devices->items[count++] = *item;
	}
	devices->count = count;
}

bool devices_find(struct devices *devices, const struct trace *trace)
{
	size_t room = (size_t)trace->track_count + trace->device_count + 1;

	*devices = (struct devices){.count = 0};
	devices->items =
		memory_resize_array(NULL, room, sizeof(*devices->items));
	if (devices->items == NULL)
		return false;
	for (uint32_t i = 0; i < trace->track_count; i++)
		if (trace->tracks[i].kind == TRACE_STREAM)
			devices->items[devices->count++] =
				(struct devices_item){trace->tracks[i].pid,
					trace->tracks[i].device, 1};
	for (uint32_t i = 0; i < trace->device_count; i++)
		devices->items[devices->count++] = (struct devices_item){
			trace->devices[i].pid, trace->devices[i].number, 0};
	merge_equal(devices);
	return true;
}

void devices_clear(struct devices *devices)
{
	memory_free(devices->items);
	*devices = (struct devices){.count = 0};
}
