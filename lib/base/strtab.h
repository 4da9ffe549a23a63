/* SPDX-License-Identifier: MIT */
/* Interned strings: equal text has one number and one address. */
#ifndef STRTAB_H
#define STRTAB_H

#include <stddef.h>
#include <stdint.h>

#define STRTAB_NONE UINT32_MAX

struct strtab;

/* A new table that holds "" as number 0; free with strtab_free(). NULL if out
 * of memory. */
struct strtab *strtab_new(void);

/* From now on, entries are text, not keys: as C strings they contain U+FFFD for
 * each zero byte, instead of ending there. */
void strtab_show_zeros(struct strtab *table);

/* Frees the table and its text. NULL is allowed. */
void strtab_free(struct strtab *table);

/* Returns the number of this text, added if new; STRTAB_NONE if out of memory.
 * The text may contain any bytes, including zero. */
uint32_t strtab_add(struct strtab *table, const char *text, size_t size);

/* Number of strings. */
uint32_t strtab_count(const struct strtab *table);

/* The text, followed by a zero byte; borrowed from the table until it is
 * freed. `size` may be NULL, for the text as a C string, see above. */
const char *strtab_text(
	const struct strtab *table, uint32_t number, size_t *size);

/* Order of two entries by their bytes: negative, 0 or positive. */
int strtab_compare(const struct strtab *table, uint32_t left, uint32_t right);

#endif
