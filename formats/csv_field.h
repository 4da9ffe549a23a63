/* SPDX-License-Identifier: MIT */
/* Text in a table of comma-separated values.
 * Source: RFC 4180, which is text: as such, UTF-8 without zero bytes. */
#ifndef CSV_FIELD_H
#define CSV_FIELD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a field, in quotes where it must be; U+FFFD stands for what is no
 * text. Returns how often it does. */
uint64_t csv_field(FILE *out, const char *bytes, size_t size);

#endif
