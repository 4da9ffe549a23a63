/* SPDX-License-Identifier: MIT */
/*
 * The lines of instructions. A code object's table of lines can only be read
 * from its beginning, and a function's calls are met one after the other: so
 * readers stay where they are, and the next call is found a little further.
 */
#ifndef PYTHON_LINE_TABLE_H
#define PYTHON_LINE_TABLE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum { LINE_TABLE_BITS = 7, LINE_TABLE_READERS = 1 << LINE_TABLE_BITS };

/* A reader of one table, behind an entry of it. */
struct line_table_reader {
	const PyCodeObject *code; /* NULL: of none yet */
	const uint8_t *next;      /* entry */
	const uint8_t *limit;
	int start; /* what instructions the entry is of */
	int end;
	uint32_t line; /* there, or of the last entry that had any */
	bool has_line;
};

/* All zero: nothing is read yet. */
struct line_tables {
	struct line_table_reader readers[LINE_TABLE_READERS];
};

/*
 * The line of an instruction of the code, which are counted from 0; 0: it has
 * none. Before the first, it is the function's.
 *
 * Ownership: the code must live as long as what is known of it in `tables`.
 * Source: CPython, Objects/locations.md, "locations table", as PyCode_Addr2Line
 * reads it.
 */
uint32_t line_table_find(
	struct line_tables *tables, const PyCodeObject *code, int index);

#endif
