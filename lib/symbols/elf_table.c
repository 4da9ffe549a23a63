/* SPDX-License-Identifier: MIT */
#include "symbols/elf_table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"

/* A file may have a million names that begin alike. */
#define COMPARED_BYTES 1024

void elf_table_clear(struct elf_table *table)
{
	memory_free(table->entries);
	*table = (struct elf_table){0};
}

static enum elf_rank rank_of(unsigned char info, bool is_elsewhere)
{
	if (is_elsewhere)
		return RANK_ELSEWHERE;
	switch (ELF64_ST_BIND(info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return RANK_GLOBAL;
	case STB_WEAK:
		return RANK_WEAK;
	default:
		return RANK_LOCAL;
	}
}

bool elf_table_add(struct elf_table *table, const char *name, uint64_t address,
	unsigned char info, bool is_elsewhere)
{
	int type = ELF64_ST_TYPE(info);

	/* "@" begins a version. */
	if (name[0] == '\0' || name[0] == '@' ||
		(type != STT_FUNC && type != STT_GNU_IFUNC))
		return true;
	/* A library function for which a non-PIC program has its own address
	 * also has a value. */
	if (is_elsewhere && address == 0)
		return true;
	if (!array_reserve(&table->entries, table->count, &table->room,
		    sizeof(*table->entries)))
		return false;
	table->entries[table->count++] =
		(struct elf_entry){address, name, rank_of(info, is_elsewhere)};
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct elf_entry *left = a;
	const struct elf_entry *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return strncmp(left->name, right->name, COMPARED_BYTES);
}

void elf_table_sort(struct elf_table *table)
{
	if (table->count > 0)
		qsort(table->entries, table->count, sizeof(*table->entries),
			compare_entries);
}

const char *elf_table_find(const struct elf_table *table, uint64_t address)
{
	size_t at;

	SEARCH_FIRST(at, table->count, table->entries[at].address < address);
	return at < table->count && table->entries[at].address == address
		       ? table->entries[at].name
		       : NULL;
}
