/* SPDX-License-Identifier: MIT */
#include "pprof/pprof_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "names/function_name.h"

#define NAME_TEXT 64

void pprof_frames_clear(struct pprof_frames *frames)
{
	buffer_clear(&frames->text);
}

static const char *text_of(const struct pprof_frames *frames, uint32_t number)
{
	return pprof_tables_text(frames->tables, number, NULL);
}

/* A function of which at most the number is known. */
static uint32_t add_unknown(
	struct pprof_frames *frames, const char *what, uint64_t id)
{
	struct profile *profile = frames->stacks->profile;
	uint32_t count = profile->function_count;
	char name[NAME_TEXT];
	uint32_t number;

	(void)snprintf(name, sizeof(name), "(%s %" PRIu64 ")", what, id);
	number = profile_add_function(profile, name, NULL, 0);
	trace_lose(frames->trace, LOSS_UNKNOWN_SITES,
		profile->function_count - count);
	return number;
}

static bool is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
}

/* PROFILE_NONE if out of memory. */
static uint32_t add_function(
	struct pprof_frames *frames, const struct pprof_function *function)
{
	enum read_names names = frames->trace->request.names;
	const char *linked = text_of(frames, function->system_name);
	const char *name = text_of(frames, function->name);
	const char *file = text_of(frames, function->file);

	if (*name == '\0' || (names == READ_NAMES_MANGLED && *linked != '\0'))
		name = linked;
	if (*name == '\0')
		return add_unknown(frames, "function", function->entry.id);
	if ((names == READ_NAMES_SHORT || names == READ_NAMES_QUALIFIED) &&
		name != linked && is_mangled(linked)) {
		frames->text.used = 0;
		function_name_add_short(&frames->text, name, strlen(name));
		buffer_add_byte(&frames->text, '\0');
		if (frames->text.failed)
			return PROFILE_NONE;
		name = (const char *)frames->text.bytes;
	}
	return profile_add_function(
		frames->stacks->profile, name, file, function->line);
}

static bool push_function(struct pprof_frames *frames, uint64_t id)
{
	struct pprof_function *function =
		pprof_tables_function(frames->tables, id);
	uint32_t number;

	if (function == NULL)
		number = add_unknown(frames, "function", id);
	else if (function->entry.number != PROFILE_NONE)
		number = function->entry.number;
	else
		number = function->entry.number =
			add_function(frames, function);
	return number != PROFILE_NONE && stacks_push(frames->stacks, number);
}

/* An address without a function. */
static uint32_t add_address(
	struct pprof_frames *frames, const struct pprof_location *location)
{
	const struct pprof_mapping *mapping =
		pprof_tables_mapping(frames->tables, location->mapping);
	char name[NAME_TEXT];

	if (location->address == 0)
		return add_unknown(frames, "location", location->entry.id);
	(void)snprintf(name, sizeof(name), "0x%" PRIx64, location->address);
	return profile_add_function(frames->stacks->profile, name,
		mapping == NULL ? NULL : text_of(frames, mapping->file), 0);
}

bool pprof_frames_push(struct pprof_frames *frames, uint64_t id)
{
	struct pprof_tables *tables = frames->tables;
	struct pprof_location *location = pprof_tables_location(tables, id);
	bool done = true;
	uint32_t number;

	if (location != NULL && location->line_count > 0) {
		const uint64_t *lines = tables->lines + location->first_line;

		for (uint32_t i = location->line_count; i-- > 0 && done;)
			done = push_function(frames, lines[i]);
		return done;
	}
	if (location == NULL)
		number = add_unknown(frames, "location", id);
	else if (location->entry.number != PROFILE_NONE)
		number = location->entry.number;
	else
		number = location->entry.number = add_address(frames, location);
	return number != PROFILE_NONE && stacks_push(frames->stacks, number);
}
