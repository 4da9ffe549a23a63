/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/symbols_private.h"

/* Which of several names for one address is the best: the smaller. */
enum rank { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL, RANK_ELSEWHERE };

struct symbols_elf_entry {
	uint64_t address;
	const char *name; /* libdw's */
	enum rank rank;
};

static int compare(const void *a, const void *b)
{
	const struct symbols_elf_entry *left = a;
	const struct symbols_elf_entry *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strcmp(left->name, right->name);
}

static bool add(struct symbols_elf *elf, struct symbols_elf_entry entry)
{
	if (!memory_grow(&elf->entries, elf->count, &elf->room,
		    sizeof(*elf->entries)))
		return false;
	elf->entries[elf->count++] = entry;
	return true;
}

static enum rank rank_of(const GElf_Sym *symbol, GElf_Word section)
{
	if (section == SHN_UNDEF)
		return RANK_ELSEWHERE;
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return RANK_GLOBAL;
	case STB_WEAK:
		return RANK_WEAK;
	default:
		return RANK_LOCAL;
	}
}

bool symbols_elf_init(
	struct symbols_elf *elf, Dwfl_Module *module, uint64_t bias)
{
	int count = dwfl_module_getsymtab(module);

	*elf = (struct symbols_elf){0};
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(
			module, i, &symbol, &address, &section, NULL, NULL);
		int type;

		if (name == NULL || name[0] == '\0')
			continue;
		type = GELF_ST_TYPE(symbol.st_info);
		if (type != STT_FUNC && type != STT_GNU_IFUNC)
			continue;
		/* A function of a library that a program at a fixed address
		 * knows by an address of its own has a value all the same. */
		if (section == SHN_UNDEF && symbol.st_value == 0)
			continue;
		address =
			section == SHN_UNDEF ? symbol.st_value : address - bias;
		if (!add(elf, (struct symbols_elf_entry){address, name,
				      rank_of(&symbol, section)}))
			return false;
	}
	if (elf->count > 0)
		qsort(elf->entries, elf->count, sizeof(*elf->entries), compare);
	return true;
}

void symbols_elf_clear(struct symbols_elf *elf)
{
	memory_free(elf->entries);
	*elf = (struct symbols_elf){0};
}

const char *symbols_elf_find(const struct symbols_elf *elf, uint64_t address)
{
	size_t from = 0;
	size_t to = elf->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (elf->entries[middle].address < address)
			from = middle + 1;
		else
			to = middle;
	}
	return from < elf->count && elf->entries[from].address == address
		       ? elf->entries[from].name
		       : NULL;
}

bool symbols_elf_list(
	const struct symbols_elf *elf, struct symbols_addresses *to)
{
	for (size_t i = 0; i < elf->count; i++)
		if (elf->entries[i].rank != RANK_ELSEWHERE &&
			!symbols_addresses_add(to, elf->entries[i].address))
			return false;
	return true;
}
