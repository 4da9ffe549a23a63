/* SPDX-License-Identifier: MIT */
/* Source: elfutils' libdwfl.h and libdw.h, version 0.188. */
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/demangle.h"
#include "base/memory.h"
#include "symbols/symbols_private.h"

/* libdwfl's own default: beside the file, in .debug there, and here. */
#define USUAL_PLACES ":.debug:/usr/lib/debug"

struct symbols {
	Dwfl_Callbacks callbacks;
	struct buffer debug_places;
	char *debug_path; /* the same, as the callbacks want it */
	Dwfl *dwfl;
	Dwfl_Module *module;
	uint64_t lowest;     /* address in the file */
	uint64_t highest;    /* the byte after the last */
	uint64_t bias;       /* libdwfl's addresses above those in the file */
	uint64_t dwarf_bias; /* and above those in the DWARF */
	struct symbols_elf elf;
	struct symbols_dwarf dwarf;
	struct demangler demangler;
	struct buffer mangled;
	struct buffer file;
};

bool symbols_addresses_add(struct symbols_addresses *to, uint64_t address)
{
	if (!memory_grow(&to->all, to->count, &to->room, sizeof(*to->all)))
		return false;
	to->all[to->count++] = address;
	return true;
}

/* Opens what can be a program: libdwfl would also wait for a pipe, and unpack
 * what is compressed. */
static enum ctp_status open_file(
	const char *path, int *out, struct ctp_error *err)
{
	unsigned char ident[SELFMAG];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat found;

	if (fd < 0 || fstat(fd, &found) != 0) {
		enum ctp_status status =
			ctp_fail(err, CTP_ERR_IO, "cannot open");

		if (fd >= 0)
			(void)close(fd);
		return status;
	}
	if (!S_ISREG(found.st_mode) ||
		pread(fd, ident, sizeof(ident), 0) != (ssize_t)sizeof(ident) ||
		memcmp(ident, ELFMAG, SELFMAG) != 0) {
		(void)close(fd);
		return ctp_fail(
			err, CTP_ERR_FORMAT, "is no program or shared library");
	}
	*out = fd;
	return CTP_OK;
}

/* The lowest and the highest address of what is loaded. */
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

/* Without build ids, at least the size has to be the same. */
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
	enum ctp_status status = open_file(path, &fd, err);

	if (status != CTP_OK)
		return status;
	symbols->module = dwfl_report_offline(symbols->dwfl, "", path, fd);
	if (symbols->module == NULL)
		(void)close(fd); /* else it is the library's */
	(void)dwfl_report_end(symbols->dwfl, NULL, NULL);
	elf = symbols->module == NULL
		      ? NULL
		      : dwfl_module_getelf(symbols->module, &bias);
	if (elf == NULL || !find_span(symbols, elf))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"is no program or shared library, or damaged");
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
	return symbols_elf_init(
		       &symbols->elf, symbols->module, symbols->bias) &&
			       symbols_dwarf_init(&symbols->dwarf, dwarf)
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
	symbols_elf_clear(&symbols->elf);
	symbols_dwarf_clear(&symbols->dwarf);
	if (symbols->dwfl != NULL)
		dwfl_end(symbols->dwfl);
	buffer_clear(&symbols->debug_places);
	demangler_clear(&symbols->demangler);
	buffer_clear(&symbols->mangled);
	buffer_clear(&symbols->file);
	free(symbols);
}

/* Whether ELF has the name that stands in the source. */
static bool is_plain(const char *symbol, const char *name)
{
	size_t size;

	if (symbol == NULL || name == NULL)
		return false;
	size = strcspn(symbol, "@");
	return size == strlen(name) && memcmp(symbol, name, size) == 0;
}

/*
 * As the linker knows the function, of what DWARF and ELF say of it; DWARF
 * leaves it out where it is the name, and for some lambdas. Where it names an
 * alias, as libc's __GI_atoi for its own use, others link to the plain name.
 */
static void set_mangled(struct symbols *symbols,
	const struct symbols_definition *definition, const char *symbol)
{
	const char *linkage_name = definition->linkage_name;

	symbols->mangled.used = 0;
	if (is_plain(symbol, definition->name))
		linkage_name = NULL;
	if (linkage_name != NULL)
		buffer_add_text(&symbols->mangled, linkage_name);
	else if (definition->name == NULL) /* only ELF knows it */
		buffer_add(&symbols->mangled, symbol, strcspn(symbol, "@"));
	else if (symbol != NULL && strncmp(symbol, "_Z", 2) == 0)
		/* f.isra.0 is f for us. */
		buffer_add(&symbols->mangled, symbol, strcspn(symbol, ".@"));
	buffer_add_byte(&symbols->mangled, '\0');
}

static void describe(struct symbols *symbols,
	const struct symbols_definition *definition,
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
	const char *symbol = symbols_elf_find(&symbols->elf, address);
	struct symbols_definition definition = {0};
	enum ctp_status status;

	symbols->file.used = 0;
	status = symbols_dwarf_find(&symbols->dwarf,
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

/* All addresses in the file at which functions begin, in order; some come more
 * than once. */
static bool list_addresses(
	struct symbols *symbols, struct symbols_addresses *addresses)
{
	if (!symbols_dwarf_list(&symbols->dwarf, addresses))
		return false;
	for (size_t i = 0; i < addresses->count; i++)
		addresses->all[i] += symbols->dwarf_bias - symbols->bias;
	if (!symbols_elf_list(&symbols->elf, addresses))
		return false;
	if (addresses->count > 0)
		qsort(addresses->all, addresses->count, sizeof(uint64_t),
			compare_addresses);
	return true;
}

enum ctp_status symbols_each(struct symbols *symbols,
	enum ctp_status (*visit)(void *user, uint64_t offset,
		const struct symbols_function *function, struct ctp_error *err),
	void *user, struct ctp_error *err)
{
	struct symbols_addresses addresses = {0};
	enum ctp_status status = CTP_OK;

	if (!list_addresses(symbols, &addresses))
		status = ctp_no_memory(err);
	for (size_t i = 0; status == CTP_OK && i < addresses.count; i++) {
		uint64_t address = addresses.all[i];
		struct symbols_function function;

		/* Functions that the linker took out are at 0 or beyond the
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
