/* SPDX-License-Identifier: MIT */
/* What the files that read symbols with libdw share; nobody else includes
 * it. */
#ifndef SYMBOLS_PRIVATE_H
#define SYMBOLS_PRIVATE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "symbols/symbols.h"

/* Addresses that functions begin at; grows. */
struct symbols_addresses {
	uint64_t *all;
	size_t count;
	size_t room;
};

bool symbols_addresses_add(struct symbols_addresses *to, uint64_t address);

/* The symbols of functions, by address. */
struct symbols_elf_entry;

struct symbols_elf {
	struct symbols_elf_entry *entries;
	size_t count;
	size_t room;
};

/* `bias` is what the module's addresses are above those in its file, which the
 * table has. False if out of memory. */
bool symbols_elf_init(
	struct symbols_elf *elf, Dwfl_Module *module, uint64_t bias);
void symbols_elf_clear(struct symbols_elf *elf);

/* The best symbol at an address, which may have a version behind an @; NULL if
 * there is none. */
const char *symbols_elf_find(const struct symbols_elf *elf, uint64_t address);
bool symbols_elf_list(
	const struct symbols_elf *elf, struct symbols_addresses *to);

/* The functions that DWARF knows: its units by address at first; what is in a
 * unit when somebody asks for it. */
struct symbols_unit;
struct symbols_range;

struct symbols_dwarf {
	struct symbols_unit *units;
	uint32_t unit_count;
	uint32_t unit_room;
	struct symbols_range *ranges;
	size_t range_count;
	size_t range_room;
};

/* Of a function's definition; text is borrowed from libdw, but `file`, which
 * is appended to a buffer. NULL and 0 where unknown. */
struct symbols_definition {
	const char *linkage_name;
	const char *name;
	uint32_t line;
};

/* `dwarf` may be NULL. False if out of memory. */
bool symbols_dwarf_init(struct symbols_dwarf *table, Dwarf *dwarf);
void symbols_dwarf_clear(struct symbols_dwarf *table);

/* CTP_END if no function begins there. Errors: CTP_ERR_NOMEM. */
enum ctp_status symbols_dwarf_find(struct symbols_dwarf *table,
	uint64_t address, struct symbols_definition *definition,
	struct buffer *file);
bool symbols_dwarf_list(
	struct symbols_dwarf *table, struct symbols_addresses *to);

#endif
