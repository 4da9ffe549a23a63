/* SPDX-License-Identifier: MIT */
/* Names of formats, with aliases, and of the converters named after them:
 * X2Y. */
#ifndef FORMAT_NAMES_H
#define FORMAT_NAMES_H

#include <stdbool.h>

#include "cli/arguments.h"
#include "format.h"

/* Room for any converter's name. */
#define FORMAT_NAMES_BYTES 64

/* A format by its name or alias ("ctp" is the log); NULL if there is none. */
const struct format *format_names_find(const char *name);

/* The name or alias nearest to a misspelt one; NULL if no name is near. */
const char *format_names_nearest(const char *name);

/* For the `call` of --from and --to, whose member is a const struct format *; the
 * second refuses formats that are only read. */
void format_names_read(const struct argument_value *value);
void format_names_read_to(const struct argument_value *value);

bool format_names_can_write(const struct format *format);

/* Splits "X2Y" if X can be read and Y can be written; else false. Ownership:
 * both are the table's. */
bool format_names_split_converter(
	const char *name, const struct format **from, const struct format **to);

/* Calls `visit` with the name of every installed converter: "ctp2pstats", … */
void format_names_each_converter(void (*visit)(const char *name));

#endif
