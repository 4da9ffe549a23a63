/* SPDX-License-Identifier: MIT */
/*
 * symbols.h without libdw: names from ELF symbols, no files or lines. This does
 * not use libelf, which would save only part of elf_file.c: it comes with libdw,
 * so it is missing where libdw is.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "names/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/elf_table.h"
#include "symbols/symbols.h"

struct symbols {
	struct elf_file *file;
	struct elf_table table;
	uint64_t lowest;
	uint64_t highest;
	struct demangler demangler;
	struct buffer mangled;
};

/* Without build ids, at least the size has to match. */
static bool is_expected(
	const struct symbols *symbols, const struct symbols_expected *expected)
{
	size_t size;
	const uint8_t *id = elf_file_build_id(symbols->file, &size);

	if (size == 0)
		return expected->build_id_bytes == 0 &&
		       expected->bytes == symbols->highest - symbols->lowest;
	return expected->build_id_bytes == size &&
	       memcmp(expected->build_id, id, size) == 0;
}

static enum ctp_status load(struct symbols *symbols, const char *path,
	const struct symbols_expected *expected, struct ctp_error *err)
{
	int fd = -1;
	enum ctp_status status = elf_open(path, &fd, err);

	if (status != CTP_OK)
		return status;
	status = elf_file_new(fd, &symbols->file, err);
	if (status != CTP_OK) {
		(void)close(fd);
		return status;
	}
	elf_file_span(symbols->file, &symbols->lowest, &symbols->highest);
	if (expected != NULL && !is_expected(symbols, expected))
		return ctp_fail(err, CTP_ERR_FORMAT,
			"has changed since it was recorded");
	return elf_file_add_symbols(symbols->file, &symbols->table, err);
}

enum ctp_status symbols_open(const char *path,
	const struct symbols_expected *expected, const char *debug_directory,
	struct symbols **out, struct ctp_error *err)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	enum ctp_status status;

	(void)debug_directory; /* for files of DWARF */
	if (symbols == NULL)
		return ctp_no_memory(err);
	status = load(symbols, path, expected, err);
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
	elf_table_clear(&symbols->table);
	elf_file_free(symbols->file);
	demangler_clear(&symbols->demangler);
	buffer_clear(&symbols->mangled);
	free(symbols);
}

enum ctp_status symbols_find(struct symbols *symbols, uint64_t offset,
	struct symbols_function *function, struct ctp_error *err)
{
	const char *symbol =
		elf_table_find(&symbols->table, symbols->lowest + offset);
	const char *mangled;
	const char *name;

	if (symbol == NULL)
		return CTP_END;
	symbols->mangled.used = 0;
	buffer_add(&symbols->mangled, symbol, strcspn(symbol, "@"));
	buffer_add_byte(&symbols->mangled, '\0');
	if (symbols->mangled.failed)
		return ctp_no_memory(err);
	mangled = (const char *)symbols->mangled.bytes;
	name = demangle(&symbols->demangler, mangled);
	*function = (struct symbols_function){
		.name = name == NULL ? mangled : name,
		.mangled = name == NULL ? "" : mangled,
		.file = "",
	};
	return CTP_OK;
}

enum ctp_status symbols_foreach(struct symbols *symbols,
	enum ctp_status (*visit)(void *user, uint64_t offset,
		const struct symbols_function *function, struct ctp_error *err),
	void *user, struct ctp_error *err)
{
	const struct elf_entry *entries = symbols->table.entries;
	enum ctp_status status = CTP_OK;

	for (size_t i = 0; status == CTP_OK && i < symbols->table.count; i++) {
		uint64_t address = entries[i].address;
		struct symbols_function function;

		/* Functions that the linker removed are at 0 or beyond the
		 * end. */
		if (entries[i].rank == RANK_ELSEWHERE ||
			address <= symbols->lowest ||
			address >= symbols->highest ||
			(i > 0 && address == entries[i - 1].address))
			continue;
		status = symbols_find(
			symbols, address - symbols->lowest, &function, err);
		if (status == CTP_OK)
			status = visit(user, address - symbols->lowest,
				&function, err);
	}
	return status;
}
