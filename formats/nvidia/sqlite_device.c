/* SPDX-License-Identifier: MIT */
#include "nvidia/sqlite_device.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define UUID_BYTES 16
#define UUID_ROOM 40

/* Collected arguments. */
struct gathered {
	struct event_arg args[SQLITE_PROPERTIES_MAX + 1];
	uint32_t count;
	char uuid[UUID_ROOM];
};

/* In the form of NVIDIA's tools. */
static bool put_uuid(sqlite3_stmt *row, int column, char *out)
{
	const uint8_t *bytes = sqlite3_column_blob(row, column);
	size_t at = 0;

	if (bytes == NULL || sqlite3_column_bytes(row, column) != UUID_BYTES)
		return false;
	for (int i = 0; i < UUID_BYTES; i++)
		at += (size_t)snprintf(out + at, UUID_ROOM - at, "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			bytes[i]);
	return true;
}

/* False if there is no value. */
static bool put_value(struct sqlite_source *source, sqlite3_stmt *row,
	int column, const struct sqlite_property *property, struct gathered *to)
{
	struct event_arg *arg = &to->args[to->count];
	const char *text = NULL;
	size_t size = 0;
	int64_t value;

	switch (property->kind) {
	case SQLITE_PROPERTY_NUMBER:
		arg->kind = ARG_INT;
		if (!sqlite_input_int(row, column, &value) ||
			__builtin_mul_overflow(value, property->times, &value))
			return false;
		arg->value.integer = value / property->per;
		return true;
	case SQLITE_PROPERTY_TEXT:
		text = sqlite_input_text(row, column, &size);
		break;
	case SQLITE_PROPERTY_NAME:
		if (sqlite_input_int(row, column, &value))
			text = strtab_text(source->source.trace->text,
				sqlite_source_name(source, value), &size);
		break;
	case SQLITE_PROPERTY_UUID:
		if (put_uuid(row, column, to->uuid))
			text = to->uuid;
		size = text == NULL ? 0 : strlen(text);
		break;
	}
	arg->kind = ARG_TEXT;
	arg->value.text.bytes = text;
	arg->value.text.size = size;
	return size != 0;
}

static bool keep(
	struct sqlite_source *source, struct gathered *to, const char *key)
{
	uint32_t number = sqlite_source_key(source, key);

	to->args[to->count++].key = number;
	return number != STRTAB_NONE;
}

/* A number among the collected arguments; 0 if missing. */
static int64_t find(const struct sqlite_source *source,
	const struct gathered *in, const char *key)
{
	for (uint32_t i = 0; i < in->count; i++)
		if (in->args[i].kind == ARG_INT &&
			strcmp(strtab_text(source->source.trace->text,
				       in->args[i].key, NULL),
				key) == 0)
			return in->args[i].value.integer;
	return 0;
}

bool sqlite_device_add(struct sqlite_source *source, sqlite3_stmt *row,
	const struct sqlite_property *properties, size_t count,
	struct trace_device device)
{
	struct gathered gathered = {.count = 0};
	int64_t threads;

	assert(count <= SQLITE_PROPERTIES_MAX);
	for (size_t i = 0; i < count; i++)
		if (put_value(source, row, (int)i, &properties[i], &gathered) &&
			!keep(source, &gathered, properties[i].key))
			return false;
	if (!__builtin_mul_overflow(
		    find(source, &gathered, "maxWarpsPerMultiprocessor"),
		    find(source, &gathered, "warpSize"), &threads) &&
		threads != 0) {
		gathered.args[gathered.count].kind = ARG_INT;
		gathered.args[gathered.count].value.integer = threads;
		if (!keep(source, &gathered, "maxThreadsPerMultiprocessor"))
			return false;
	}
	device.args = gathered.args;
	device.arg_count = gathered.count;
	return trace_add_device(source->source.trace, &device) != TRACE_NONE;
}
