/* SPDX-License-Identifier: MIT */
/* Source: elfutils' libdwfl.h and libdw.h, version 0.188. */
#include "symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/search.h"
#include "names/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/elf_table.h"

/* libdwfl's own default: beside the file, in .debug there, and here. */
#define USUAL_PLACES ":.debug:/usr/lib/debug"

/* Growing array of the addresses at which functions begin. */
struct addresses {
	uint64_t *all;
	size_t count;
	size_t room;
};

static bool add_address(struct addresses *to, uint64_t address)
{
	if (!array_reserve(&to->all, to->count, &to->room, sizeof(*to->all)))
		return false;
	to->all[to->count++] = address;
	return true;
}

/* ---- symbols of ELF ---- */

/* `bias` is the difference between the module's addresses and those in the
 * file, which the table has. False if out of memory. */
static bool read_elf(struct elf_table *elf, Dwfl_Module *module, uint64_t bias)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section = SHN_UNDEF;
		const char *name = dwfl_module_getsym_info(
			module, i, &symbol, &address, &section, NULL, NULL);
		bool is_elsewhere = section == SHN_UNDEF;

		if (name != NULL &&
			!elf_table_add(elf, name,
				is_elsewhere ? symbol.st_value : address - bias,
				symbol.st_info, is_elsewhere))
			return false;
	}
	elf_table_sort(elf);
	return true;
}

static bool list_elf(const struct elf_table *elf, struct addresses *to)
{
	for (size_t i = 0; i < elf->count; i++)
		if (elf->entries[i].rank != RANK_ELSEWHERE &&
			!add_address(to, elf->entries[i].address))
			return false;
	return true;
}

/* ---- functions of DWARF ---- */

/*
 * The ranges of all units are read at first, a unit's contents only when an
 * address in it is looked up: most units of a large program have no recorded
 * function. (.debug_aranges would help, but clang does not write it.)
 */

/* Beyond anything that compilers generate. */
#define DEPTH_MAX 128
#define RANGES_MAX ((size_t)1 << 22)
/* Bound on ranges searched that begin before an address and may contain it. */
#define OVERLAPS_MAX 64

struct function {
	uint64_t address;
	Dwarf_Die die;
};

struct dwarf_unit {
	Dwarf_Die die;  /* with the contents */
	Dwarf_Die main; /* in the opened file, not in a .dwo */
	bool indexed;
	struct function *functions; /* by address, then in file order */
	size_t count;
	size_t room;
};

struct dwarf_range {
	uint64_t begin;
	uint64_t end;
	uint32_t unit;
};

/* The functions in DWARF: at first only units by address; a unit's contents on
 * demand. */
struct dwarf_table {
	struct dwarf_unit *units;
	uint32_t unit_count;
	uint32_t unit_room;
	struct dwarf_range *ranges;
	size_t range_count;
	size_t range_room;
};

/* A function's definition. Text is borrowed from libdw, except `file`, which is
 * appended to a buffer. NULL and 0 if unknown. */
struct dwarf_definition {
	const char *linkage_name;
	const char *name;
	uint32_t line;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct dwarf_range *left = a;
	const struct dwarf_range *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return left->unit < right->unit ? -1 : left->unit > right->unit;
}

static bool add_ranges(struct dwarf_table *table, Dwarf_Die *die)
{
	Dwarf_Addr base;
	Dwarf_Addr begin;
	Dwarf_Addr end;
	ptrdiff_t at = 0;

	while (table->range_count < RANGES_MAX &&
		(at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
		if (!array_reserve(&table->ranges, table->range_count,
			    &table->range_room, sizeof(*table->ranges)))
			return false;
		table->ranges[table->range_count++] =
			(struct dwarf_range){begin, end, table->unit_count - 1};
	}
	return true;
}

static bool add_unit(
	struct dwarf_table *table, Dwarf_Die *main, const Dwarf_Die *content)
{
	if (!array_reserve32(&table->units, table->unit_count,
		    &table->unit_room, sizeof(*table->units)))
		return false;
	table->units[table->unit_count++] =
		(struct dwarf_unit){.die = *content, .main = *main};
	return add_ranges(table, main);
}

/* `dwarf` may be NULL. False if out of memory. */
static bool dwarf_table_init(struct dwarf_table *table, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die main;
	Dwarf_Die split; /* contents of a .dwo, if it exists */
	uint8_t type;
	bool done = true;

	*table = (struct dwarf_table){0};
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

static void dwarf_table_clear(struct dwarf_table *table)
{
	for (uint32_t i = 0; i < table->unit_count; i++)
		memory_free(table->units[i].functions);
	memory_free(table->units);
	memory_free(table->ranges);
	*table = (struct dwarf_table){0};
}

/* A function with several parts has its entry in the first. */
static bool find_entry(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Addr base;
	Dwarf_Addr end;

	return dwarf_entrypc(die, address) == 0 ||
	       dwarf_ranges(die, 0, &base, address, &end) > 0;
}

static bool add_function(struct dwarf_unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr address;

	if (!find_entry(die, &address))
		return true; /* a declaration */
	if (!array_reserve(&unit->functions, unit->count, &unit->room,
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
	default: /* above all inlined subroutines, which are not functions */
		return false;
	}
}

/* Moves to the next entry, skipping the contents; false if there is none. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	/* The sibling offset of a bad file could point backward. */
	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > before;
}

/* Outer functions before inner ones. False if out of memory. */
static bool index_children(
	struct dwarf_unit *unit, Dwarf_Die *parent, unsigned depth)
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

static bool index_unit(struct dwarf_unit *unit)
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
	const struct dwarf_unit *unit, uint64_t address)
{
	size_t at;

	SEARCH_FIRST(at, unit->count, unit->functions[at].address < address);
	return at < unit->count && unit->functions[at].address == address
		       ? &unit->functions[at]
		       : NULL;
}

/* Number of ranges that begin at the address or before. */
static size_t ranges_before(const struct dwarf_table *table, uint64_t address)
{
	size_t at;

	SEARCH_FIRST(
		at, table->range_count, table->ranges[at].begin <= address);
	return at;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* The file of the definition; NULL if unknown. (dwarf_decl_file() aborts if the
 * unit's table of files cannot be read.) */
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

/* Finds the position of a function that is only in the line table, such as
 * gcc's lambdas. */
static const char *find_line(
	struct dwarf_unit *unit, uint64_t address, uint32_t *number)
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

/* Removes the last name after `start`; false if there is none. */
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

/* Appends the components of a path, resolving "." and "..". */
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
 * Appends the full path at the time of compilation. Compilers name a header by
 * the path from each source, "./a.h" and "lib/../a.h", which would count as
 * different functions. The compilation directory stays as it is: it may contain
 * links.
 */
static void add_file(
	struct buffer *file, struct dwarf_unit *unit, const char *path)
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

static void describe_definition(struct dwarf_unit *unit,
	struct function *function, struct dwarf_definition *definition,
	struct buffer *file)
{
	Dwarf_Die *die = &function->die;
	const char *path = file_of(die);
	int line = 0;

	*definition = (struct dwarf_definition){
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

/* CTP_END if no function begins there. Errors: CTP_ERR_NOMEM. */
static enum ctp_status dwarf_table_find(struct dwarf_table *table,
	uint64_t address, struct dwarf_definition *definition,
	struct buffer *file)
{
	size_t at = ranges_before(table, address);

	for (int i = 0; i < OVERLAPS_MAX && at > 0; i++) {
		const struct dwarf_range *range = &table->ranges[--at];
		struct dwarf_unit *unit = &table->units[range->unit];
		struct function *function;

		if (address >= range->end)
			continue;
		if (!index_unit(unit))
			return CTP_ERR_NOMEM;
		function = find_in_unit(unit, address);
		if (function != NULL) {
			describe_definition(unit, function, definition, file);
			return CTP_OK;
		}
	}
	return CTP_END;
}

static bool dwarf_table_list(struct dwarf_table *table, struct addresses *to)
{
	for (uint32_t i = 0; i < table->unit_count; i++) {
		struct dwarf_unit *unit = &table->units[i];

		if (!index_unit(unit))
			return false;
		for (size_t j = 0; j < unit->count; j++)
			if (!add_address(to, unit->functions[j].address))
				return false;
	}
	return true;
}

/* ---- the file of a program or library ---- */

struct symbols {
	Dwfl_Callbacks callbacks;
	struct buffer debug_places;
	char *debug_path; /* the same in the form for callbacks */
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t lowest;     /* lowest address in the file */
	uint64_t highest;    /* the byte after the last */
	uint64_t bias;       /* libdwfl's address minus the file's */
	uint64_t dwarf_bias; /* likewise, minus the DWARF's */
	struct elf_table elf;
	struct dwarf_table dwarf;
	struct demangler demangler;
	struct buffer mangled;
	struct buffer file;
};

/* Finds the lowest and highest loaded address. */
static bool find_span(struct symbols *symbols, Elf *elf)
{
	size_t count = 0;

	symbols->lowest = UINT64_MAX;
	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) == NULL ||
			header.p_type != PT_LOAD || header.p_memsz == 0)
			continue;
		if (header.p_vaddr < symbols->lowest)
			symbols->lowest = header.p_vaddr;
		if (header.p_vaddr + header.p_memsz > symbols->highest)
			symbols->highest = header.p_vaddr + header.p_memsz;
	}
	return symbols->lowest < symbols->highest;
}

/* Without build ids, at least the size has to match. */
static bool is_expected(
	const struct symbols *symbols, const struct symbols_expected *expected)
{
	const unsigned char *id;
	GElf_Addr address;
	int size = dwfl_module_build_id(symbols->module, &id, &address);

	if (size <= 0)
		return expected->build_id_bytes == 0 &&
		       expected->bytes == symbols->highest - symbols->lowest;
	return expected->build_id_bytes == (size_t)size &&
	       memcmp(expected->build_id, id, (size_t)size) == 0;
}

static enum ctp_status start_dwfl(struct symbols *symbols,
	const char *debug_directory, struct ctp_error *err)
{
	struct buffer *places = &symbols->debug_places;

	if (debug_directory != NULL) {
		buffer_add_text(places, debug_directory);
		buffer_add_byte(places, ':');
	}
	buffer_add(places, USUAL_PLACES, sizeof(USUAL_PLACES));
	if (places->failed)
		return ctp_no_memory(err);
	symbols->debug_path = (char *)places->bytes;
	symbols->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &symbols->debug_path,
	};
	symbols->dwfl = dwfl_begin(&symbols->callbacks);
	return symbols->dwfl == NULL ? ctp_no_memory(err) : CTP_OK;
}

static enum ctp_status load(struct symbols *symbols, const char *path,
	const struct symbols_expected *expected, struct ctp_error *err)
{
	GElf_Addr bias;
	Elf *elf;
	int fd = -1;
	/* libdwfl would also wait for a pipe and decompress files. */
	enum ctp_status status = elf_open(path, &fd, err);

	if (status != CTP_OK)
		return status;
	symbols->module = dwfl_report_offline(symbols->dwfl, "", path, fd);
	if (symbols->module == NULL)
		(void)close(fd); /* otherwise libdwfl owns it */
	(void)dwfl_report_end(symbols->dwfl, NULL, NULL);
	elf = symbols->module == NULL
		      ? NULL
		      : dwfl_module_getelf(symbols->module, &bias);
	if (elf == NULL || !find_span(symbols, elf))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is not a program or shared library, or is damaged");
	symbols->bias = bias;
	if (expected != NULL && !is_expected(symbols, expected))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"has changed since it was recorded");
	return CTP_OK;
}

static enum ctp_status read_tables(
	struct symbols *symbols, struct ctp_error *err)
{
	Dwarf_Addr bias = 0;
	Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, &bias);

	symbols->dwarf_bias = bias;
	return read_elf(&symbols->elf, symbols->module, symbols->bias) &&
			       dwarf_table_init(&symbols->dwarf, dwarf)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

enum ctp_status symbols_open(const char *path,
	const struct symbols_expected *expected, const char *debug_directory,
	struct symbols **out, struct ctp_error *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	enum ctp_status status;

	if (symbols == NULL)
		return ctp_no_memory(err);
	status = start_dwfl(symbols, debug_directory, err);
	if (status == CTP_OK)
		status = load(symbols, path, expected, err);
	if (status == CTP_OK)
		status = read_tables(symbols, err);
	if (status != CTP_OK) {
		symbols_close(symbols);
		return status;
	}
	*out = symbols;
	return CTP_OK;
}

void symbols_close(struct symbols *symbols)
{
	if (symbols == NULL)
		return;
	elf_table_clear(&symbols->elf);
	dwarf_table_clear(&symbols->dwarf);
	if (symbols->dwfl != NULL)
		dwfl_end(symbols->dwfl);
	buffer_clear(&symbols->debug_places);
	demangler_clear(&symbols->demangler);
	buffer_clear(&symbols->mangled);
	buffer_clear(&symbols->file);
	free(symbols);
}

/* Whether the ELF symbol is the name in the source. */
static bool is_plain(const char *symbol, const char *name)
{
	size_t size;

	if (symbol == NULL || name == NULL)
		return false;
	size = strcspn(symbol, "@");
	return size == strlen(name) && memcmp(symbol, name, size) == 0;
}

/*
 * Sets the linker's name of the function from DWARF and ELF. DWARF omits it if
 * it equals the name, and for some lambdas. If it names an internal alias, such
 * as libc's __GI_atoi, other programs link to the plain name.
 */
static void set_mangled(struct symbols *symbols,
	const struct dwarf_definition *definition, const char *symbol)
{
	const char *linkage_name = definition->linkage_name;

	symbols->mangled.used = 0;
	if (is_plain(symbol, definition->name))
		linkage_name = NULL;
	if (linkage_name != NULL)
		buffer_add_text(&symbols->mangled, linkage_name);
	else if (definition->name == NULL) /* only in ELF */
		buffer_add(&symbols->mangled, symbol, strcspn(symbol, "@"));
	else if (symbol != NULL && strncmp(symbol, "_Z", 2) == 0)
		/* f.isra.0 counts as f. */
		buffer_add(&symbols->mangled, symbol, strcspn(symbol, ".@"));
	buffer_add_byte(&symbols->mangled, '\0');
}

static void describe(struct symbols *symbols,
	const struct dwarf_definition *definition,
	struct symbols_function *function)
{
	const char *mangled = (const char *)symbols->mangled.bytes;
	const char *name = demangle(&symbols->demangler, mangled);

	if (name == NULL)
		name = definition->name == NULL ? mangled : definition->name;
	*function = (struct symbols_function){
		.name = name,
		.mangled = strcmp(name, mangled) == 0 ? "" : mangled,
		.file = (const char *)symbols->file.bytes,
		.line = definition->line,
	};
}

enum ctp_status symbols_find(struct symbols *symbols, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err)
{
	uint64_t address = symbols->lowest + offset;
	const char *symbol = elf_table_find(&symbols->elf, address);
	struct dwarf_definition definition = {0};
	enum ctp_status status;

	symbols->file.used = 0;
	status = dwarf_table_find(&symbols->dwarf,
		address + symbols->bias - symbols->dwarf_bias, &definition,
		&symbols->file);
	buffer_add_byte(&symbols->file, '\0');
	if (status == CTP_ERR_NOMEM)
		return ctp_no_memory(err);
	if (symbol == NULL && definition.name == NULL &&
		definition.linkage_name == NULL)
		return CTP_END;
	set_mangled(symbols, &definition, symbol);
	if (symbols->mangled.failed || symbols->file.failed)
		return ctp_no_memory(err);
	describe(symbols, &definition, function);
	return CTP_OK;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* Lists the addresses in the file at which functions begin, sorted, with
 * repetitions. */
static bool list_addresses(struct symbols *symbols, struct addresses *addresses)
{
	if (!dwarf_table_list(&symbols->dwarf, addresses))
		return false;
	for (size_t i = 0; i < addresses->count; i++)
		addresses->all[i] += symbols->dwarf_bias - symbols->bias;
	if (!list_elf(&symbols->elf, addresses))
		return false;
	if (addresses->count > 0)
		qsort(addresses->all, addresses->count, sizeof(uint64_t),
			compare_addresses);
	return true;
}

enum ctp_status symbols_foreach(struct symbols *symbols,
	enum ctp_status (*visit)(void *user, uint64_t offset,
		const struct symbols_function *function, struct ctp_error *err),
	void *user, struct ctp_error *err)
{
	struct addresses addresses = {0};
	enum ctp_status status = CTP_OK;

	if (!list_addresses(symbols, &addresses))
		status = ctp_no_memory(err);
	for (size_t i = 0; status == CTP_OK && i < addresses.count; i++) {
		uint64_t address = addresses.all[i];
		struct symbols_function function;

		/* Functions that the linker removed are at 0 or beyond the
		 * end. */
		if (address <= symbols->lowest || address >= symbols->highest ||
			(i > 0 && address == addresses.all[i - 1]))
			continue;
		status = symbols_find(
			symbols, address - symbols->lowest, &function, err);
		if (status == CTP_OK)
			status = visit(user, address - symbols->lowest,
				&function, err);
		else if (status == CTP_END)
			status = CTP_OK;
	}
	memory_free(addresses.all);
	return status;
}
