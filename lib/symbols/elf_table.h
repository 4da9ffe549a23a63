/* SPDX-License-Identifier: MIT */
/* The function symbols of an ELF file, by address. */
#ifndef ELF_TABLE_H
#define ELF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Preference among several names for one address: smallest first. */
enum elf_rank { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL, RANK_ELSEWHERE };

struct elf_entry {
	uint64_t address; /* in the file */
	const char *name; /* borrowed; may end with "@VERSION" */
	enum elf_rank rank;
};

struct elf_table {
	struct elf_entry *entries;
	size_t count;
	size_t room;
};

void elf_table_clear(struct elf_table *table);

/*
 * Adds a symbol if it is a function with a name and an address. `info` is its
 * type and binding as ELF has them; `is_elsewhere`: its section is undefined.
 * False if out of memory.
 */
bool elf_table_add(struct elf_table *table, const char *name, uint64_t address,
	unsigned char info, bool is_elsewhere);

/* Sorts the entries, before the first search. */
void elf_table_sort(struct elf_table *table);

/* The best symbol at an address, which may end with "@VERSION"; NULL without a
 * symbol. */
const char *elf_table_find(const struct elf_table *table, uint64_t address);

#endif
