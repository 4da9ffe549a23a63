/* SPDX-License-Identifier: MIT */
/*
 * The tables of pprof's profile: text, functions, places in them, and what was
 * mapped into memory. Its messages may come in any order, and what they refer
 * to need not be there.
 */
#ifndef PPROF_TABLES_H
#define PPROF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"

/* No number of a string; what is beyond 32 bits is none either. */
#define PPROF_NO_TEXT UINT32_MAX

/* Of a location, so many functions that were inlined into each other count. */
#define PPROF_LINES_MAX 256

/* What all that is referred to begins with. */
struct pprof_entry {
	uint64_t id;
	uint32_t order;  /* among its kind in the file */
	uint32_t number; /* of a function of the profile; PROFILE_NONE: not
			    made yet */
};

struct pprof_function {
	struct pprof_entry entry;
	uint32_t name; /* numbers of strings */
	uint32_t system_name;
	uint32_t file;
	uint32_t line;
};

struct pprof_location {
	struct pprof_entry entry; /* with a number: without lines */
	uint64_t address;
	uint64_t mapping;
	uint32_t first_line; /* the innermost; in `lines` */
	uint32_t line_count;
};

struct pprof_mapping {
	struct pprof_entry entry;
	uint32_t file;
};

struct pprof_tables {
	struct buffer text; /* strings, each with a zero byte behind it */
	size_t *strings;    /* where they begin there */
	struct pprof_function *functions;
	struct pprof_location *locations;
	struct pprof_mapping *mappings;
	uint64_t *lines; /* ids of functions */
	uint32_t string_count, string_room;
	uint32_t function_count, function_room;
	uint32_t location_count, location_room;
	uint32_t mapping_count, mapping_room;
	uint32_t line_count, line_room;
	uint64_t bad; /* messages that make no sense */
	uint64_t cut; /* strings too long for names */
};

/* All of them begin as zeros. */
void pprof_tables_clear(struct pprof_tables *tables);

/* Each takes one message, or a string; those that make no sense are counted.
 * False if out of memory. */
bool pprof_tables_add_string(
	struct pprof_tables *tables, const void *bytes, size_t size);
bool pprof_tables_add_function(
	struct pprof_tables *tables, struct cursor message);
bool pprof_tables_add_location(
	struct pprof_tables *tables, struct cursor message);
bool pprof_tables_add_mapping(
	struct pprof_tables *tables, struct cursor message);

/* Once all are there, and before any is asked for. */
void pprof_tables_sort(struct pprof_tables *tables);

/* Each is borrowed; NULL if there is none of this id. */
struct pprof_function *pprof_tables_function(
	const struct pprof_tables *tables, uint64_t id);
struct pprof_location *pprof_tables_location(
	const struct pprof_tables *tables, uint64_t id);
const struct pprof_mapping *pprof_tables_mapping(
	const struct pprof_tables *tables, uint64_t id);

/* A string, borrowed until the tables change; "" and `size` 0 if there is none
 * of this number. `size` may be NULL. */
const char *pprof_tables_text(
	const struct pprof_tables *tables, uint32_t number, size_t *size);

/* The number of a string as a field says it. */
uint32_t pprof_tables_text_number(uint64_t value);

#endif
