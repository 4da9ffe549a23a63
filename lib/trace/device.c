/* SPDX-License-Identifier: MIT */
#include "trace/device.h"

#include <string.h>

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
