/* SPDX-License-Identifier: MIT */
#include "input/devices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "input/report.h"
#include "trace/device.h"

static void print_number(FILE *out, const char *before,
	const struct event_arg *number, const char *behind)
{
	if (number != NULL)
		fprintf(out, "%s%" PRId64 "%s", before, number->value.integer,
			behind);
}

/* "NVIDIA H200, compute capability 9.0, 132 multiprocessors, 150.1 GB" */
static void print_properties(
	FILE *out, const struct trace *trace, const struct devices_item *item)
{
	const struct trace_device *device =
		trace_find_device(trace, item->pid, item->number);
	size_t size = 0;
	const char *name =
		trace_device_name(trace, item->pid, item->number, &size);
	const struct event_arg *memory =
		trace_device_property(trace, device, ARG_INT, "totalGlobalMem");
	char bytes[QUANTITY_TEXT];

	if (name == NULL)
		fputs("unknown", out);
	else
		fwrite(name, 1, size, out);
	print_number(out, ", compute capability ",
		trace_device_property(trace, device, ARG_INT, "computeMajor"),
		"");
	print_number(out, ".",
		trace_device_property(trace, device, ARG_INT, "computeMinor"),
		"");
	print_number(out, ", ",
		trace_device_property(trace, device, ARG_INT, "numSms"),
		" multiprocessors");
	if (memory != NULL && memory->value.integer >= 0)
		fprintf(out, ", %s",
			quantity_bytes(bytes, (uint64_t)memory->value.integer));
}

static char *device_text(const struct devices *devices,
	const struct trace *trace, const struct devices_item *item)
{
	bool processes =
		devices->items[0].pid != devices->items[devices->count - 1].pid;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	fprintf(out, "%" PRIu32 ": ", item->number);
	print_properties(out, trace, item);
	fprintf(out, ", %" PRIu32 " %s", item->streams,
		item->streams == 1 ? "stream" : "streams");
	if (processes)
		fprintf(out, ", process %" PRId64, item->pid);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

void devices_add_rows(const struct devices *devices, const struct trace *trace,
	struct table *table)
{
	for (uint32_t i = 0; i < devices->count; i++) {
		char *text = device_text(devices, trace, &devices->items[i]);

		table_add_row(table, TABLE_PLAIN);
		table_add(table, "  device");
		table_add(table, text == NULL ? "out of memory" : text);
		free(text);
	}
}

struct value devices_name_value(
	const struct trace *trace, int64_t pid, uint32_t number)
{
	size_t size = 0;
	struct value value =
		value_text(trace_device_name(trace, pid, number, &size));

	value.size = size;
	return value;
}

struct device_line {
	int64_t pid;
	uint32_t number, streams;
	struct value name;
	const struct trace *trace;
};

/* The first of equal keys wins. */
static void put_properties(
	struct sheet *sheet, const struct column *column, const void *row)
{
	const struct device_line *line = row;
	const struct strtab *text = line->trace->text;
	const struct trace_device *device =
		trace_find_device(line->trace, line->pid, line->number);
	bool *seen = calloc(strtab_count(text), sizeof(*seen));

	(void)column;
	for (uint32_t i = 0;
		seen != NULL && device != NULL && i < device->arg_count; i++) {
		const struct event_arg *arg = &device->args[i];

		if (!seen[arg->key]) {
			json_key(&sheet->json,
				strtab_text(text, arg->key, NULL));
			json_arg(&sheet->json, arg);
		}
		seen[arg->key] = true;
	}
	sheet->failed |= seen == NULL;
	free(seen);
}

/* clang-format off */
#define OF(member) COLUMN_OF(struct device_line, member)
static const struct column items[] = {
	COLUMN_IN_JSON(INTEGER, "pid", "the process", OF(pid)),
	COLUMN_IN_JSON(COUNT, "device", "the device's number, from 0",
		OF(number)),
	COLUMN_IN_JSON(TEXT, "device_name",
		"the device's name; null if unknown", OF(name), .nullable = true),
	COLUMN_IN_JSON(COUNT, "streams", "number of streams with activities",
		OF(streams)),
	COLUMN_IN_JSON(MAP, "properties", "its properties in the file",
		.put = put_properties),
};
/* clang-format on */
const struct columns devices_table =
	COLUMNS("device_properties", "each device", items);

void devices_write(struct sheet *sheet, const struct devices *devices,
	const struct trace *trace)
{
	columns_begin(sheet, &devices_table);
	for (uint32_t i = 0; i < devices->count; i++) {
		const struct devices_item *item = &devices->items[i];

		columns_add(sheet, &devices_table, TABLE_PLAIN,
			&(struct device_line){item->pid, item->number,
				item->streams,
				devices_name_value(
					trace, item->pid, item->number),
				trace});
	}
	columns_end(sheet, &devices_table);
}

const char *devices_function_name(
	const struct profile_function *function, size_t *size)
{
	const char *name = strchr(function->file, ' ');

	if (name == NULL)
		return NULL;
	*size = strlen(++name) - 1; /* without '>' */
	return name;
}
