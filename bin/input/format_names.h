/* SPDX-License-Identifier: MIT */
/* The names of formats, those of the table and what else people call them, and
 * of the converters that are called after them: X2Y. */
#ifndef FORMAT_NAMES_H
#define FORMAT_NAMES_H

#include <argp.h>
#include <stdbool.h>

#include "format.h"

/* Room for any name of a converter. */
#define FORMAT_NAMES_BYTES 64

/* A format by its name or alias ("ctp" is the log); NULL if there is none. */
const struct format *format_names_find(const char *name);

/* The value of --to; a mistake is said and exits with status 2. */
const struct format *format_names_parse_to(
	const struct argp_state *state, const char *name);

bool format_names_can_read(const struct format *format);
bool format_names_can_write(const struct format *format);

/* Takes "X2Y" apart where X can be read and Y be written; false if it is no
 * such name. Ownership: both are the table's. */
bool format_names_split_converter(
	const char *name, const struct format **from, const struct format **to);

/* Calls `visit` with the name of every converter that is installed, of which all
 * are from the log: "ctp2pstats", … */
void format_names_each_converter(void (*visit)(const char *name));

#endif
