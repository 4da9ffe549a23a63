/* SPDX-License-Identifier: MIT */
/* Text in a table of comma-separated values. Source: RFC 4180. The output is
 * text: UTF-8 without zero bytes. */
#ifndef CSV_FIELD_H
#define CSV_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes a field, quoted if necessary, that a spreadsheet shows and does not
 * run: an apostrophe precedes a formula, and utf8_escape() escapes
 * characters. With `raw`, writes the text unchanged except that U+FFFD
 * replaces zero bytes and invalid UTF-8. Returns the number of replacements.
 * Source: OWASP, "CSV Injection".
 */
uint64_t csv_field(FILE *out, const char *bytes, size_t size, bool raw);

#endif
