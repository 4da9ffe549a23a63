/* SPDX-License-Identifier: MIT */
/* Text in a table of comma-separated values.
 * Source: RFC 4180, which is text: as such, UTF-8 without zero bytes. */
#ifndef CSV_FIELD_H
#define CSV_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes a field, in quotes where it must be, that a spreadsheet shows and does
 * not run: one that would be a formula gets an apostrophe before it, and what
 * utf8_add_escaped() escapes is escaped. With `raw` it is the text as it is, with
 * U+FFFD for zero bytes and what is not UTF-8. Returns how many of these there
 * are.
 * Source: OWASP, "CSV Injection".
 */
uint64_t csv_field(FILE *out, const char *bytes, size_t size, bool raw);

#endif
