/* SPDX-License-Identifier: MIT */
/* Sites, and the modules in which those lie that are known by address. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "function_name.h"
#include "log_block_private.h"
#include "unpack.h"

#define NAME_ROOM 48        /* of "(module 1048575)+0x…" */
#define BUILD_ID_MAX 64     /* longer ones are no use to anybody */
#define FUNCTION_ELEMENTS 6 /* of a function known by its address */

struct text {
	const char *bytes;
	size_t size;
};

struct site_row {
	struct text name;
	struct text file;
	uint32_t line;
	bool is_function;
	uint32_t module;
	uint64_t offset;
	struct text mangled;
};

uint32_t log_block_site(struct log_recording *recording, uint32_t number)
{
	char name[NAME_ROOM];
	uint32_t site;

	if (number >= LOG_SITES_MAX ||
		!log_block_grow(&recording->sites, &recording->site_room,
			number, sizeof(uint32_t)))
		return TRACE_NONE;
	if (recording->sites[number] != 0)
		return recording->sites[number] - 1;
	(void)snprintf(name, sizeof(name), "(site %" PRIu32 ")", number);
	site = trace_add_site(recording->trace, name, strlen(name), "", 0, 0);
	if (site != TRACE_NONE) {
		recording->sites[number] = site + 1;
		recording->trace->losses[LOSS_UNKNOWN_SITES]++;
	}
	return site;
}

static struct trace_module *find_module(
	struct log_recording *recording, uint32_t number)
{
	if (number >= recording->module_room || recording->modules[number] == 0)
		return NULL;
	return &recording->trace->modules[recording->modules[number] - 1];
}

/* "libfoo.so.1+0x1234" */
static void add_address(struct log_recording *recording,
	const struct site_row *row, struct buffer *out)
{
	const struct trace_module *module = find_module(recording, row->module);
	char text[NAME_ROOM];

	if (module != NULL && module->path != 0) {
		const char *path =
			strtab_text(recording->trace->text, module->path, NULL);
		const char *slash = strrchr(path, '/');

		buffer_add_text(out, slash == NULL ? path : slash + 1);
	} else {
		(void)snprintf(text, sizeof(text), "(module %" PRIu32 ")",
			row->module);
		buffer_add_text(out, text);
	}
	recording->trace->losses[LOSS_UNKNOWN_SITES] += module == NULL;
	(void)snprintf(text, sizeof(text), "+0x%" PRIx64, row->offset);
	buffer_add_text(out, text);
}

/* The name by which a function is shown. */
static void add_name(struct log_recording *recording,
	const struct site_row *row, struct buffer *out)
{
	enum trace_names names = recording->trace->names;

	if (row->name.size == 0 && row->mangled.size == 0)
		add_address(recording, row, out);
	else if (row->mangled.size != 0 &&
		 (names == TRACE_NAMES_MANGLED || row->name.size == 0))
		buffer_add(out, row->mangled.bytes, row->mangled.size);
	else if (names == TRACE_NAMES_SHORT)
		function_name_add_short(out, row->name.bytes, row->name.size);
	else
		buffer_add(out, row->name.bytes, row->name.size);
}

static bool read_row(struct cursor *block, struct site_row *row)
{
	uint32_t elements;
	uint32_t known = 3;

	*row = (struct site_row){0};
	if (!unpack_array(block, &elements) || elements < known ||
		!unpack_text(block, &row->name.bytes, &row->name.size) ||
		!unpack_text(block, &row->file.bytes, &row->file.size) ||
		!unpack_u32(block, UINT32_MAX, &row->line))
		return false;
	if (elements >= FUNCTION_ELEMENTS) {
		known = FUNCTION_ELEMENTS;
		row->is_function = true;
		if (!unpack_u32(block, UINT32_MAX, &row->module) ||
			!unpack_uint(block, &row->offset) ||
			!unpack_text(
				block, &row->mangled.bytes, &row->mangled.size))
			return false;
	}
	while (elements-- > known)
		if (!unpack_skip(block))
			return false;
	return true;
}

static enum log_verdict take_row(struct log_recording *recording,
	struct cursor *block, uint32_t number, bool apply)
{
	struct site_row row;
	uint32_t site;

	if (!read_row(block, &row))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	if (row.is_function) {
		recording->name.used = 0;
		add_name(recording, &row, &recording->name);
		if (recording->name.failed)
			return LOG_NO_MEMORY;
		row.name.bytes = (const char *)recording->name.bytes;
		row.name.size = recording->name.used;
	}
	site = trace_add_site(recording->trace, row.name.bytes, row.name.size,
		row.file.bytes, row.file.size, row.line);
	if (site == TRACE_NONE ||
		!log_block_grow(&recording->sites, &recording->site_room,
			number, sizeof(uint32_t)))
		return LOG_NO_MEMORY;
	recording->sites[number] = site + 1;
	return LOG_SOUND;
}

enum log_verdict log_site_take(
	struct log_recording *recording, struct cursor block, bool apply)
{
	enum log_verdict verdict = LOG_SOUND;
	uint32_t first;
	uint32_t count;

	if (!unpack_u32(&block, LOG_SITES_MAX - 1, &first) || first == 0 ||
		!unpack_array(&block, &count) || count > LOG_SITES_MAX - first)
		return LOG_DAMAGED;
	for (uint32_t i = 0; verdict == LOG_SOUND && i < count; i++)
		verdict = take_row(recording, &block, first + i, apply);
	return verdict;
}

/* The trace's text number of these bytes in hexadecimal. */
static uint32_t hexadecimal(struct trace *trace, struct text bytes)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * BUILD_ID_MAX];
	size_t size = bytes.size < BUILD_ID_MAX ? bytes.size : BUILD_ID_MAX;

	for (size_t i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)bytes.bytes[i];

		text[2 * i] = digits[byte >> 4];
		text[2 * i + 1] = digits[byte & 15];
	}
	return strtab_add(trace->text, text, 2 * size);
}

enum log_verdict log_site_take_module(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct trace *trace = recording->trace;
	struct trace_module module = {.pid = recording->pid};
	uint32_t number;
	struct text path;
	struct text id;
	uint32_t added;

	if (!unpack_u32(&block, LOG_MODULES_MAX - 1, &number) || number == 0 ||
		!unpack_uint(&block, &module.base) ||
		!unpack_uint(&block, &module.bytes) ||
		!unpack_text(&block, &path.bytes, &path.size) ||
		!unpack_text(&block, &id.bytes, &id.size))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	module.path = strtab_add(trace->text, path.bytes, path.size);
	module.build_id = hexadecimal(trace, id);
	if (module.path == STRTAB_NONE || module.build_id == STRTAB_NONE ||
		!log_block_grow(&recording->modules, &recording->module_room,
			number, sizeof(uint32_t)))
		return LOG_NO_MEMORY;
	if (recording->modules[number] != 0) { /* a copy of the block */
		module.closed = find_module(recording, number)->closed;
		*find_module(recording, number) = module;
		return LOG_SOUND;
	}
	added = trace_add_module(trace, module);
	if (added == TRACE_NONE)
		return LOG_NO_MEMORY;
	recording->modules[number] = added + 1;
	return LOG_SOUND;
}

enum log_verdict log_site_take_closed(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct trace_module *module;
	uint32_t number;

	if (!unpack_u32(&block, LOG_MODULES_MAX - 1, &number) || number == 0)
		return LOG_DAMAGED;
	module = find_module(recording, number);
	/* Otherwise its block is lost, and counted as that. */
	if (apply && module != NULL)
		module->closed = true;
	return LOG_SOUND;
}
