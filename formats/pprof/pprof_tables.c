/* SPDX-License-Identifier: MIT */
#include "pprof/pprof_tables.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"
#include "pprof/pprof.h"
#include "profile/profile.h"
#include "protobuf/protobuf.h"
#include "base/utf8.h"

/* Longer names are not real names, and are cut. All functions may share one, so
 * that a small file would take hours to process. */
#define TEXT_MAX ((size_t)64 << 10)

void pprof_tables_clear(struct pprof_tables *tables)
{
	buffer_clear(&tables->text);
	memory_free(tables->strings);
	memory_free(tables->functions);
	memory_free(tables->locations);
	memory_free(tables->mappings);
	memory_free(tables->lines);
	*tables = (struct pprof_tables){0};
}

uint32_t pprof_tables_text_number(uint64_t value)
{
	return value < PPROF_NO_TEXT ? (uint32_t)value : PPROF_NO_TEXT;
}

bool pprof_tables_add_string(
	struct pprof_tables *tables, const void *bytes, size_t size)
{
	struct buffer *text = &tables->text;

	if (!array_reserve32(&tables->strings, tables->string_count,
		    &tables->string_room, sizeof(*tables->strings)))
		return false;
	tables->strings[tables->string_count++] = text->used;
	if (size > TEXT_MAX) {
		size = TEXT_MAX;
		tables->cut++;
	}
	utf8_add_nonzero(text, bytes, size);
	buffer_add_byte(text, '\0');
	return !text->failed;
}

const char *pprof_tables_text(
	const struct pprof_tables *tables, uint32_t number, size_t *size)
{
	size_t end = tables->text.used;
	size_t begin;

	if (number >= tables->string_count) {
		if (size != NULL)
			*size = 0;
		return "";
	}
	begin = tables->strings[number];
	if (number + 1 < tables->string_count)
		end = tables->strings[number + 1];
	if (size != NULL)
		*size = end - begin - 1;
	return (const char *)tables->text.bytes + begin;
}

/* The next field of a message; an invalid field ends the message and is
 * counted. */
static bool next_field(struct pprof_tables *tables, struct cursor *message,
	struct protobuf_field *field)
{
	enum protobuf_next next = protobuf_read_field(message, field);

	tables->bad += next != PROTOBUF_FIELD && next != PROTOBUF_END;
	return next == PROTOBUF_FIELD;
}

static uint32_t line_number(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : 0;
}

bool pprof_tables_add_function(
	struct pprof_tables *tables, struct cursor message)
{
	uint32_t count = tables->function_count;
	struct pprof_function function = {
		.entry = {.order = count, .number = PROFILE_NONE}};
	struct protobuf_field field;

	while (next_field(tables, &message, &field)) {
		if (field.kind != PROTOBUF_VARINT)
			continue;
		if (field.number == FUNCTION_ID)
			function.entry.id = field.value;
		else if (field.number == FUNCTION_NAME)
			function.name = pprof_tables_text_number(field.value);
		else if (field.number == FUNCTION_SYSTEM_NAME)
			function.system_name =
				pprof_tables_text_number(field.value);
		else if (field.number == FUNCTION_FILENAME)
			function.file = pprof_tables_text_number(field.value);
		else if (field.number == FUNCTION_START_LINE)
			function.line = line_number(field.value);
	}
	if (!array_reserve32(&tables->functions, count, &tables->function_room,
		    sizeof(*tables->functions)))
		return false;
	tables->functions[tables->function_count++] = function;
	return true;
}

/* One of the functions at a location. */
static bool add_line(struct pprof_tables *tables,
	struct pprof_location *location, struct cursor message)
{
	struct protobuf_field field;
	uint64_t id = 0;

	while (next_field(tables, &message, &field))
		if (field.number == LINE_FUNCTION_ID &&
			field.kind == PROTOBUF_VARINT)
			id = field.value;
	if (location->line_count == PPROF_LINES_MAX) {
		tables->bad++;
		return true;
	}
	if (!array_reserve32(&tables->lines, tables->line_count,
		    &tables->line_room, sizeof(*tables->lines)))
		return false;
	tables->lines[tables->line_count++] = id;
	location->line_count++;
	return true;
}

bool pprof_tables_add_location(
	struct pprof_tables *tables, struct cursor message)
{
	uint32_t count = tables->location_count;
	struct pprof_location location = {
		.entry = {.order = count, .number = PROFILE_NONE},
		.first_line = tables->line_count};
	struct protobuf_field field;

	while (next_field(tables, &message, &field)) {
		struct cursor line;

		if (field.number == LOCATION_LINE &&
			field.kind == PROTOBUF_BYTES) {
			cursor_init(&line, field.bytes, field.size);
			if (!add_line(tables, &location, line))
				return false;
		}
		if (field.kind != PROTOBUF_VARINT)
			continue;
		if (field.number == LOCATION_ID)
			location.entry.id = field.value;
		else if (field.number == LOCATION_MAPPING_ID)
			location.mapping = field.value;
		else if (field.number == LOCATION_ADDRESS)
			location.address = field.value;
	}
	if (!array_reserve32(&tables->locations, count, &tables->location_room,
		    sizeof(*tables->locations)))
		return false;
	tables->locations[tables->location_count++] = location;
	return true;
}

bool pprof_tables_add_mapping(
	struct pprof_tables *tables, struct cursor message)
{
	uint32_t count = tables->mapping_count;
	struct pprof_mapping mapping = {
		.entry = {.order = count, .number = PROFILE_NONE}};
	struct protobuf_field field;

	while (next_field(tables, &message, &field)) {
		if (field.kind != PROTOBUF_VARINT)
			continue;
		if (field.number == MAPPING_ID)
			mapping.entry.id = field.value;
		else if (field.number == MAPPING_FILENAME)
			mapping.file = pprof_tables_text_number(field.value);
	}
	if (!array_reserve32(&tables->mappings, count, &tables->mapping_room,
		    sizeof(*tables->mappings)))
		return false;
	tables->mappings[tables->mapping_count++] = mapping;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct pprof_entry *left = a;
	const struct pprof_entry *right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

static struct pprof_entry *entry_at(void *entries, size_t size, size_t index)
{
	return (struct pprof_entry *)(void *)((char *)entries + index * size);
}

/* Sorts by id and drops duplicates, keeping the first. Returns the number
 * left. */
static uint32_t sort(void *entries, uint32_t count, size_t size, uint64_t *bad)
{
	uint32_t kept = 0;
	uint32_t i = 1;

	while (i < count && entry_at(entries, size, i - 1)->id <
				    entry_at(entries, size, i)->id)
		i++;
	if (i >= count)
		return count;
	qsort(entries, count, size, compare);
	for (i = 1; i < count; i++) {
		if (entry_at(entries, size, i)->id ==
			entry_at(entries, size, kept)->id) {
			(*bad)++;
			continue;
		}
		kept++;
		memmove(entry_at(entries, size, kept),
			entry_at(entries, size, i), size);
	}
	return kept + 1;
}

void pprof_tables_sort(struct pprof_tables *tables)
{
	tables->function_count = sort(tables->functions, tables->function_count,
		sizeof(*tables->functions), &tables->bad);
	tables->location_count = sort(tables->locations, tables->location_count,
		sizeof(*tables->locations), &tables->bad);
	tables->mapping_count = sort(tables->mappings, tables->mapping_count,
		sizeof(*tables->mappings), &tables->bad);
}

/* Most files number their entries consecutively. */
static void *find(void *entries, uint32_t count, size_t size, uint64_t id)
{
	uint64_t guess;
	size_t at;

	if (count == 0)
		return NULL;
	guess = id - entry_at(entries, size, 0)->id;
	if (guess < count && entry_at(entries, size, (uint32_t)guess)->id == id)
		return entry_at(entries, size, (uint32_t)guess);
	SEARCH_FIRST(at, count, entry_at(entries, size, at)->id < id);
	return at < count && entry_at(entries, size, at)->id == id
		       ? entry_at(entries, size, at)
		       : NULL;
}

struct pprof_function *pprof_tables_function(
	const struct pprof_tables *tables, uint64_t id)
{
	return find(tables->functions, tables->function_count,
		sizeof(*tables->functions), id);
}

struct pprof_location *pprof_tables_location(
	const struct pprof_tables *tables, uint64_t id)
{
	return find(tables->locations, tables->location_count,
		sizeof(*tables->locations), id);
}

const struct pprof_mapping *pprof_tables_mapping(
	const struct pprof_tables *tables, uint64_t id)
{
	return find(tables->mappings, tables->mapping_count,
		sizeof(*tables->mappings), id);
}
