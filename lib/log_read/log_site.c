/* SPDX-License-Identifier: MIT */
/* Sites, and the modules of sites known by address. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "names/function_name.h"
#include "log_read/log_site.h"
#include "log/unpack.h"

#define DEMANGLED_MAX (UINT64_C(256) * 1024 * 1024)
#define NAME_ROOM 48    /* for "(module 1048575)+0x…" */
#define BUILD_ID_MAX 64 /* longer ones are useless */

uint32_t log_site_find(struct log_recording *recording, uint32_t number)
{
	char name[NAME_ROOM];
	uint32_t site = log_table_find(&recording->sites, number);

	if (site != 0)
		return site - 1;
	if (number >= LOG_SITES_MAX)
		return TRACE_NONE;
	(void)snprintf(name, sizeof(name), "(site %" PRIu32 ")", number);
	site = trace_add_site(recording->trace, name, strlen(name), "", 0, 0);
	if (site == TRACE_NONE ||
		!log_table_set(&recording->sites, number, site + 1))
		return TRACE_NONE;
	recording->trace->losses[LOSS_UNKNOWN_SITES]++;
	return site;
}

static struct trace_module *find_module(
	struct log_recording *recording, uint32_t number)
{
	uint32_t module = log_table_find(&recording->modules, number);

	return module == 0 ? NULL : &recording->trace->modules[module - 1];
}

/* "libfoo.so.1+0x1234" */
static void add_address(struct log_recording *recording,
	const struct log_site_row *row, struct buffer *out)
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

/* Adds the displayed name of a function. */
static void add_name(struct log_recording *recording,
	const struct log_site_row *row, struct buffer *out)
{
	enum read_names names = recording->trace->request.names;
	bool unnamed = row->name.size == 0 && row->mangled.size == 0;

	*(unnamed ? &recording->trace->has_unnamed
		  : &recording->trace->has_named) = true;
	if (unnamed)
		add_address(recording, row, out);
	else if (row->mangled.size != 0 &&
		 (names == READ_NAMES_MANGLED || row->name.size == 0))
		buffer_add(out, row->mangled.bytes, row->mangled.size);
	else if (names == READ_NAMES_SHORT || names == READ_NAMES_QUALIFIED)
		function_name_add_short(out, row->name.bytes, row->name.size);
	else
		buffer_add(out, row->name.bytes, row->name.size);
}

/* Reads the elements after the line: a function's address, or further names of
 * another site. */
static bool read_more(
	struct cursor *block, struct log_site_row *row, uint32_t *known)
{
	struct log_text *text = &row->full_name;

	*known = LOG_SITE_FUNCTION_ELEMENTS;
	if (!unpack_u32(block, UINT32_MAX, &row->module) ||
		!unpack_uint(block, &row->offset))
		return false;
	row->is_function = row->module != 0;
	if (row->is_function)
		text = &row->mangled;
	if (!unpack_text(block, &text->bytes, &text->size))
		return false;
	if (row->elements < LOG_SITE_INFO_ELEMENTS)
		return true;
	*known = LOG_SITE_INFO_ELEMENTS;
	return unpack_text(block, &row->category.bytes, &row->category.size) &&
	       unpack_u32(block, UINT32_MAX, &row->call_line);
}

bool log_site_read(struct cursor *block, struct log_site_row *row)
{
	uint32_t known = LOG_SITE_ELEMENTS;

	*row = (struct log_site_row){0};
	if (!unpack_array(block, &row->elements) || row->elements < known ||
		!unpack_text(block, &row->name.bytes, &row->name.size) ||
		!unpack_text(block, &row->file.bytes, &row->file.size) ||
		!unpack_u32(block, UINT32_MAX, &row->line) ||
		(row->elements >= LOG_SITE_FUNCTION_ELEMENTS &&
			!read_more(block, row, &known)))
		return false;
	row->rest.at = block->at;
	for (uint32_t i = known; i < row->elements; i++)
		if (!unpack_skip(block))
			return false;
	row->rest.left = (size_t)(block->at - row->rest.at);
	return true;
}

bool log_site_read_module(struct cursor *block, struct log_site_module *module)
{
	*module = (struct log_site_module){0};
	return unpack_u32(block, LOG_MODULES_MAX - 1, &module->number) &&
	       module->number != 0 && unpack_uint(block, &module->base) &&
	       unpack_uint(block, &module->bytes) &&
	       unpack_text(block, &module->path.bytes, &module->path.size) &&
	       unpack_text(
		       block, &module->build_id.bytes, &module->build_id.size);
}

static uint32_t add_text(struct trace *trace, struct log_text text)
{
	return strtab_add(
		trace->text, text.size == 0 ? "" : text.bytes, text.size);
}

static void trim(const struct trace *trace, struct log_text *file)
{
	size_t size = trace_prefix_size(trace, file->bytes, file->size);

	file->bytes += size;
	file->size -= size;
}

static bool is_text(struct log_text text, const char *is)
{
	return log_key_is(text.bytes, text.size, is);
}

/*
 * Drivers report mangled names of kernels, and the recorder keeps them; names
 * in converted logs stay unchanged. A log with more kernels than any real
 * program keeps its mangled names, too: it was crafted to take long.
 */
static bool name_kernel(
	struct log_recording *recording, struct log_site_row *row)
{
	const char *name;
	size_t size;

	recording->name.used = 0;
	buffer_add(&recording->name, row->name.bytes, row->name.size);
	buffer_add(&recording->name, "", 1);
	if (recording->name.failed)
		return false;
	if (!recording->is_recorded ||
		recording->trace->request.names == READ_NAMES_MANGLED ||
		recording->demangled_bytes > DEMANGLED_MAX)
		return true;
	name = demangle(
		&recording->demangler, (const char *)recording->name.bytes);
	if (name == NULL)
		return true;
	size = strlen(name);
	recording->demangled_bytes += size;
	row->name = (struct log_text){name, size};
	if (recording->trace->request.names == READ_NAMES_FULL)
		return true;
	recording->name.used = 0;
	function_name_add_short(&recording->name, name, size);
	row->name.bytes = (const char *)recording->name.bytes;
	row->name.size = recording->name.used;
	return !recording->name.failed;
}

static enum log_verdict parse_row(struct log_recording *recording,
	struct cursor *block, uint32_t number, bool apply)
{
	struct trace *trace = recording->trace;
	struct log_site_row row;
	uint32_t known;
	uint32_t site;

	if (!log_site_read(block, &row))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	if (is_text(row.category, "kernel")) {
		if (!name_kernel(recording, &row))
			return LOG_NO_MEMORY;
	} else if (row.is_function) {
		recording->name.used = 0;
		add_name(recording, &row, &recording->name);
		if (recording->name.failed)
			return LOG_NO_MEMORY;
		row.name.bytes = (const char *)recording->name.bytes;
		row.name.size = recording->name.used;
	} else if (row.full_name.size != 0 &&
		   trace->request.names == READ_NAMES_QUALIFIED) {
		row.name = row.full_name;
	}
	if (is_text(row.category, LOG_CATEGORY_PREFIX) &&
		!trace_add_prefix(trace, row.file.bytes, row.file.size))
		return LOG_NO_MEMORY;
	if (row.file.size != 0)
		trim(trace, &row.file);
	site = trace_add_place(
		trace, (struct trace_site){.name = add_text(trace, row.name),
			       .file = add_text(trace, row.file),
			       .line = row.line,
			       .call_line = row.call_line,
			       .category = add_text(trace, row.category)});
	if (site == TRACE_NONE)
		return LOG_NO_MEMORY;
	known = log_table_find(&recording->sites, number);
	recording->version += known != 0 && known != site + 1;
	return log_table_set(&recording->sites, number, site + 1)
		       ? LOG_SOUND
		       : LOG_NO_MEMORY;
}

enum log_verdict log_site_parse(
	struct log_recording *recording, struct cursor block, bool apply)
{
	enum log_verdict verdict = LOG_SOUND;
	uint32_t first;
	uint32_t count;

	if (!unpack_u32(&block, LOG_SITES_MAX - 1, &first) || first == 0 ||
		!unpack_array(&block, &count) || count > LOG_SITES_MAX - first)
		return LOG_DAMAGED;
	for (uint32_t i = 0; verdict == LOG_SOUND && i < count; i++)
		verdict = parse_row(recording, &block, first + i, apply);
	return verdict;
}

/* The trace's text number of these bytes in hexadecimal. */
static uint32_t hexadecimal(struct trace *trace, struct log_text bytes)
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

enum log_verdict log_site_parse_module(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct trace *trace = recording->trace;
	struct log_site_module row;
	struct trace_module module;
	struct trace_module *known;
	uint32_t added;

	if (!log_site_read_module(&block, &row))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	module = (struct trace_module){
		.base = row.base,
		.bytes = row.bytes,
		.pid = recording->pid,
		.path = strtab_add(trace->text, row.path.bytes, row.path.size),
		.build_id = hexadecimal(trace, row.build_id),
	};
	if (module.path == STRTAB_NONE || module.build_id == STRTAB_NONE)
		return LOG_NO_MEMORY;
	known = find_module(recording, row.number);
	if (known != NULL) { /* a copy of the block */
		module.closed = known->closed;
		*known = module;
		return LOG_SOUND;
	}
	added = trace_add_module(trace, module);
	if (added == TRACE_NONE ||
		!log_table_set(&recording->modules, row.number, added + 1))
		return LOG_NO_MEMORY;
	return LOG_SOUND;
}

enum log_verdict log_site_parse_closed(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct trace_module *module;
	uint32_t number;

	if (!unpack_u32(&block, LOG_MODULES_MAX - 1, &number) || number == 0)
		return LOG_DAMAGED;
	module = find_module(recording, number);
	/* Otherwise its block is lost and counted as such. */
	if (apply && module != NULL)
		module->closed = true;
	return LOG_SOUND;
}
