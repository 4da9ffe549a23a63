/* SPDX-License-Identifier: MIT */
/*
 * A unit's ranges are read at once, what is in it only when an address in them
 * is asked for: most units of a large program have no function that was
 * recorded. (.debug_aranges would do, but clang does not write it.)
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/symbols_private.h"

/* Deeper, and more, than any compiler makes. */
#define DEPTH_MAX 128
#define RANGES_MAX ((size_t)1 << 22)
/* Ranges that begin before an address and could reach up to it. */
#define OVERLAPS_MAX 64

struct function {
	uint64_t address;
	Dwarf_Die die;
};

struct symbols_unit {
	Dwarf_Die die;  /* with what is in it */
	Dwarf_Die main; /* of the file that was opened: not in a .dwo */
	bool indexed;
	struct function *functions; /* by address, then as they come */
	size_t count;
	size_t room;
};

struct symbols_range {
	uint64_t begin;
	uint64_t end;
	uint32_t unit;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct symbols_range *left = a;
	const struct symbols_range *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return left->unit < right->unit ? -1 : left->unit > right->unit;
}

static bool add_ranges(struct symbols_dwarf *table, Dwarf_Die *die)
{
	Dwarf_Addr base;
	Dwarf_Addr begin;
	Dwarf_Addr end;
	ptrdiff_t at = 0;

	while (table->range_count < RANGES_MAX &&
		(at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
		if (!memory_grow(&table->ranges, table->range_count,
			    &table->range_room, sizeof(*table->ranges)))
			return false;
		table->ranges[table->range_count++] = (struct symbols_range){
			begin, end, table->unit_count - 1};
	}
	return true;
}

static bool add_unit(
	struct symbols_dwarf *table, Dwarf_Die *main, const Dwarf_Die *content)
{
	if (!memory_grow32(&table->units, table->unit_count, &table->unit_room,
		    sizeof(*table->units)))
		return false;
	table->units[table->unit_count++] =
		(struct symbols_unit){.die = *content, .main = *main};
	return add_ranges(table, main);
}

bool symbols_dwarf_init(struct symbols_dwarf *table, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die main;
	Dwarf_Die split; /* what is in a .dwo, if it is there */
	uint8_t type;
	bool done = true;

	*table = (struct symbols_dwarf){0};
	while (done && dwarf != NULL &&
		dwarf_get_units(
			dwarf, unit, &unit, NULL, &type, &main, &split) == 0) {
		if (type == DW_UT_compile)
			done = add_unit(table, &main, &main);
		else if (type == DW_UT_skeleton && split.addr != NULL)
			done = add_unit(table, &main, &split);
	}
	if (table->range_count > 0)
		qsort(table->ranges, table->range_count, sizeof(*table->ranges),
			compare_ranges);
	return done;
}

void symbols_dwarf_clear(struct symbols_dwarf *table)
{
	for (uint32_t i = 0; i < table->unit_count; i++)
		memory_free(table->units[i].functions);
	memory_free(table->units);
	memory_free(table->ranges);
	*table = (struct symbols_dwarf){0};
}

/* A function in parts has its entry in the first. */
static bool find_entry(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Addr base;
	Dwarf_Addr end;

	return dwarf_entrypc(die, address) == 0 ||
	       dwarf_ranges(die, 0, &base, address, &end) > 0;
}

static bool add_function(struct symbols_unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr address;

	if (!find_entry(die, &address))
		return true; /* a declaration */
	if (!memory_grow(&unit->functions, unit->count, &unit->room,
		    sizeof(*unit->functions)))
		return false;
	unit->functions[unit->count++] = (struct function){address, *die};
	return true;
}

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return true;
	default: /* above all inlined subroutines: those are none */
		return false;
	}
}

/* The entry after this one and what is in it; false if there is none. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	/* What the file says of its place could lead back. */
	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > before;
}

/* Outer functions before inner ones. False if out of memory. */
static bool index_children(
	struct symbols_unit *unit, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && !add_function(unit, &die))
			return false;
		if (may_hold_functions(tag) &&
			!index_children(unit, &die, depth + 1))
			return false;
	} while (next_sibling(&die));
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *left = a;
	const struct function *right = b;
	Dwarf_Off first;
	Dwarf_Off second;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	first = dwarf_dieoffset((Dwarf_Die *)(uintptr_t)&left->die);
	second = dwarf_dieoffset((Dwarf_Die *)(uintptr_t)&right->die);
	return first < second ? -1 : first > second;
}

static bool index_unit(struct symbols_unit *unit)
{
	if (unit->indexed)
		return true;
	unit->indexed = true;
	if (!index_children(unit, &unit->die, 0))
		return false;
	if (unit->count > 0)
		qsort(unit->functions, unit->count, sizeof(*unit->functions),
			compare_functions);
	return true;
}

static struct function *find_in_unit(
	const struct symbols_unit *unit, uint64_t address)
{
	size_t from = 0;
	size_t to = unit->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (unit->functions[middle].address < address)
			from = middle + 1;
		else
			to = middle;
	}
	return from < unit->count && unit->functions[from].address == address
		       ? &unit->functions[from]
		       : NULL;
}

/* How many ranges begin at the address or before it. */
static size_t ranges_before(const struct symbols_dwarf *table, uint64_t address)
{
	size_t from = 0;
	size_t to = table->range_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (table->ranges[middle].begin <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* The file that the definition stands in; NULL if it is not known.
 * (dwarf_decl_file() aborts if the unit's table of files cannot be read.) */
static const char *file_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) == NULL ||
		dwarf_formudata(&attribute, &number) != 0 ||
		dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL,
			NULL) == NULL ||
		dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
		number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* Where a function is that has a place of its own only in the table of lines,
 * as gcc's lambdas. */
static const char *find_line(
	struct symbols_unit *unit, uint64_t address, uint32_t *number)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->main, address);
	int value;

	if (line == NULL || dwarf_lineno(line, &value) != 0 || value <= 0)
		return NULL;
	*number = (uint32_t)value;
	return dwarf_linesrc(line, NULL, NULL);
}

static bool is_text(const uint8_t *bytes, size_t size, const char *text)
{
	return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

/* Takes off the last name behind `start`; false if there is none. */
static bool drop_name(struct buffer *file, size_t start)
{
	size_t at = file->used;

	while (at > start && file->bytes[at - 1] != '/')
		at--;
	if (at == file->used ||
		is_text(file->bytes + at, file->used - at, ".."))
		return false;
	file->used = at > start ? at - 1 : at;
	return true;
}

/* Appends the names of a path one by one, without what goes nowhere. */
static void add_names(struct buffer *file, const char *path)
{
	size_t start = file->used;

	while (*path != '\0') {
		size_t size = strcspn(path, "/");
		bool nowhere = size == 0 || (size == 1 && path[0] == '.');

		if (!nowhere && !(size == 2 && strncmp(path, "..", 2) == 0 &&
					drop_name(file, start))) {
			if (file->used > start)
				buffer_add_byte(file, '/');
			buffer_add(file, path, size);
		}
		path += size + (path[size] == '/');
	}
}

/*
 * The whole path, as it was when the file was compiled. Compilers name a header
 * as each source got there, "./a.h" and "lib/../a.h", which would be as many
 * functions. What they call the directory stays: it may have come by a link.
 */
static void add_file(
	struct buffer *file, struct symbols_unit *unit, const char *path)
{
	const char *directory = text_of(&unit->main, DW_AT_comp_dir);
	size_t size;

	if (directory == NULL || directory[0] != '/')
		directory = "";
	size = strlen(directory);
	if (path[0] == '/' &&
		(strncmp(path, directory, size) != 0 || path[size] != '/'))
		size = 0;
	else if (path[0] == '/')
		path += size;
	buffer_add(file, directory, size);
	if (size > 0 || path[0] == '/')
		buffer_add_byte(file, '/');
	add_names(file, path);
}

static void describe(struct symbols_unit *unit, struct function *function,
	struct symbols_definition *definition, struct buffer *file)
{
	Dwarf_Die *die = &function->die;
	const char *path = file_of(die);
	int line = 0;

	*definition = (struct symbols_definition){
		.linkage_name = text_of(die, DW_AT_linkage_name),
		.name = dwarf_diename(die),
	};
	if (definition->linkage_name == NULL)
		definition->linkage_name =
			text_of(die, DW_AT_MIPS_linkage_name);
	if (path != NULL && dwarf_decl_line(die, &line) == 0 && line > 0)
		definition->line = (uint32_t)line;
	else
		path = find_line(unit, function->address, &definition->line);
	if (path != NULL)
		add_file(file, unit, path);
}

enum ctp_status symbols_dwarf_find(struct symbols_dwarf *table,
	uint64_t address, struct symbols_definition *definition,
	struct buffer *file)
{
	size_t at = ranges_before(table, address);

	for (int i = 0; i < OVERLAPS_MAX && at > 0; i++) {
		const struct symbols_range *range = &table->ranges[--at];
		struct symbols_unit *unit = &table->units[range->unit];
		struct function *function;

		if (address >= range->end)
			continue;
		if (!index_unit(unit))
			return CTP_ERR_NOMEM;
		function = find_in_unit(unit, address);
		if (function != NULL) {
			describe(unit, function, definition, file);
			return CTP_OK;
		}
	}
	return CTP_END;
}

bool symbols_dwarf_list(
	struct symbols_dwarf *table, struct symbols_addresses *to)
{
	for (uint32_t i = 0; i < table->unit_count; i++) {
		struct symbols_unit *unit = &table->units[i];

		if (!index_unit(unit))
			return false;
		for (size_t j = 0; j < unit->count; j++)
			if (!symbols_addresses_add(
				    to, unit->functions[j].address))
				return false;
	}
	return true;
}
