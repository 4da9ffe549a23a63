/* SPDX-License-Identifier: MIT */
/*
 * Line numbers of instructions. A code object's line table can only be read
 * from its beginning, but most lookups in a function come in order. So a reader
 * keeps its position, and continues from there.
 */
#ifndef PYTHON_LINE_TABLE_H
#define PYTHON_LINE_TABLE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum { LINE_TABLE_BITS = 7, LINE_TABLE_READERS = 1 << LINE_TABLE_BITS };

/* A reader of one table, positioned after an entry. */
struct line_table_reader {
	const PyCodeObject *code; /* NULL: no table yet */
	const uint8_t *next;      /* entry */
	const uint8_t *limit;
	int start; /* the instructions of the entry */
	int end;
	uint32_t line; /* of the entry, or of the last one that had a line */
	bool has_line;
};

/* All zero: nothing is read yet. */
struct line_tables {
	struct line_table_reader readers[LINE_TABLE_READERS];
};

/*
 * The line of the instruction with this index in the code; 0 if unknown. An
 * instruction before the first has the function's line.
 *
 * Ownership: the code must outlive its entry in `tables`.
 * Source: CPython, Objects/locations.md, "locations table", as PyCode_Addr2Line
 * reads it.
 */
uint32_t line_table_find(
	struct line_tables *tables, const PyCodeObject *code, int index);

/* Removes the code's entry, if it has one. Threads: in a free-threaded build,
 * the tables' thread may be reading the entry of another code. */
void line_table_forget(struct line_tables *tables, const PyCodeObject *code);

#endif
