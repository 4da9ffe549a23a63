/* SPDX-License-Identifier: MIT */
/*
 * The tables of a pprof profile: text, functions, locations and mappings.
 * Messages may come in any order, and their references may dangle.
 */
#ifndef PPROF_TABLES_H
#define PPROF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"

/* Not a string; also stands for numbers over 32 bits. */
#define PPROF_NO_TEXT UINT32_MAX

/* Most inlined functions of a location. */
#define PPROF_LINES_MAX 256

/* The first member of everything with an id. */
struct pprof_entry {
	uint64_t id;
	uint32_t order;  /* position among its kind in the file */
	uint32_t number; /* a function of the profile; PROFILE_NONE: not created
			  * yet */
};

struct pprof_function {
	struct pprof_entry entry;
	uint32_t name; /* numbers of strings */
	uint32_t system_name;
	uint32_t file;
	uint32_t line;
};

struct pprof_location {
	struct pprof_entry entry; /* the number is set if without lines */
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
	struct buffer text; /* strings, each followed by a zero byte */
	size_t *strings;    /* their offsets in `text` */
	struct pprof_function *functions;
	struct pprof_location *locations;
	struct pprof_mapping *mappings;
	uint64_t *lines; /* ids of functions */
	uint32_t string_count, string_room;
	uint32_t function_count, function_room;
	uint32_t location_count, location_room;
	uint32_t mapping_count, mapping_room;
	uint32_t line_count, line_room;
	uint64_t bad; /* invalid messages */
	uint64_t cut; /* strings too long for names */
};

/* Zero-initialize the tables. */
void pprof_tables_clear(struct pprof_tables *tables);

/* Each takes a message or a string; invalid ones are counted. False if out of
 * memory. */
bool pprof_tables_add_string(
	struct pprof_tables *tables, const void *bytes, size_t size);
bool pprof_tables_add_function(
	struct pprof_tables *tables, struct cursor message);
bool pprof_tables_add_location(
	struct pprof_tables *tables, struct cursor message);
bool pprof_tables_add_mapping(
	struct pprof_tables *tables, struct cursor message);

/* Call it after all have been added, and before any is looked up. */
void pprof_tables_sort(struct pprof_tables *tables);

/* Each is borrowed; NULL if there is none with this id. */
struct pprof_function *pprof_tables_function(
	const struct pprof_tables *tables, uint64_t id);
struct pprof_location *pprof_tables_location(
	const struct pprof_tables *tables, uint64_t id);
const struct pprof_mapping *pprof_tables_mapping(
	const struct pprof_tables *tables, uint64_t id);

/* A string, borrowed until the tables change; "" and `size` 0 if there is none
 * with this number. `size` may be NULL. */
const char *pprof_tables_text(
	const struct pprof_tables *tables, uint32_t number, size_t *size);

/* The number of a string, from a field's value. */
uint32_t pprof_tables_text_number(uint64_t value);

#endif
