/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_memory.h"

#include <string.h>

#include "trace/device_type.h"
#include "base/memory.h"

bool chrome_memory_init(struct chrome_memory *memory)
{
	*memory = (struct chrome_memory){.devices = strtab_new()};
	return memory->devices != NULL;
}

void chrome_memory_clear(struct chrome_memory *memory)
{
	strtab_free(memory->devices);
	memory_free(memory->totals);
}

/* What this device holds of this process; NULL if out of memory. */
static uint64_t *find_total(
	struct chrome_memory *memory, uint32_t pid, int32_t device)
{
	uint32_t key[2] = {pid, (uint32_t)device};
	uint32_t number =
		strtab_add(memory->devices, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return NULL;
	if (!memory_reach(&memory->totals, number, &memory->room,
		    sizeof(*memory->totals)))
		return NULL;
	return &memory->totals[number];
}

static void begin(struct json *json, const struct chrome_row *row, char phase,
	const struct event *event)
{
	char *at = json_room(json, CHROME_PREFIX_ROOM + JSON_NUMBER_MAX);

	if (at != NULL)
		json_advance(
			json, chrome_row_put(row, at, phase, event->time_ns));
	json->comma = true;
	json_key(json, "name");
}

static void end(struct json *json)
{
	json_end(json, '}');
	json_end(json, '}');
}

static void write_instant(struct json *json, const struct chrome_row *row,
	const struct event *event, uint64_t total)
{
	begin(json, row, 'i', event);
	json_text(json, "[memory]");
	json_key(json, "cat");
	json_text(json, "cpu_instant_event");
	json_key(json, "s");
	json_text(json, "t");
	json_key(json, "args");
	json_begin(json, '{');
	json_key(json, "Total Allocated");
	json_int(json, (int64_t)total);
	json_key(json, "Bytes");
	if (event->kind == EVENT_FREE)
		json_int(json, (int64_t)-event->bytes);
	else
		json_uint(json, event->bytes);
	json_key(json, "Addr");
	json_uint(json, event->id);
	json_key(json, "Device Type");
	json_int(json, event->device < 0 ? DEVICE_TYPE_CPU : DEVICE_TYPE_CUDA);
	json_key(json, "Device Id");
	json_int(json, event->device);
	end(json);
}

static void write_counter(struct json *json, const struct chrome_row *row,
	const struct event *event, uint64_t total)
{
	char name[sizeof("Total Allocated (device )") + JSON_NUMBER_MAX] =
		"Total Allocated (host";
	char *at = name + strlen(name);

	if (event->device >= 0) {
		memcpy(name + 17, "device ", 7);
		at = json_put_int(name + 24, event->device);
	}
	*at++ = ')';
	begin(json, row, 'C', event);
	json_text_sized(json, name, (size_t)(at - name));
	json_key(json, "cat");
	json_text(json, "memory");
	json_key(json, "args");
	json_begin(json, '{');
	json_key(json, "bytes");
	json_int(json, (int64_t)total);
	end(json);
}

bool chrome_memory_write(struct chrome_memory *memory, struct json *json,
	const struct chrome_row *row, const struct event *event)
{
	uint64_t *total = find_total(memory, row->pid, event->device);

	if (total == NULL)
		return false;
	*total += event->kind == EVENT_FREE ? -event->bytes : event->bytes;
	write_instant(json, row, event, *total);
	write_counter(json, row, event, *total);
	return true;
}
