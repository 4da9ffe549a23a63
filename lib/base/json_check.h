/* SPDX-License-Identifier: MIT */
/* Checks whether a text is JSON. Writers copy JSON arguments unchanged, so a
 * log's arguments must be checked first. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Largest nesting depth. */
#define JSON_CHECK_DEPTH 1024

/* Whether it is exactly one value, in valid UTF-8, not nested deeper than that.
 * Source: RFC 8259. */
bool json_check(const char *text, size_t size);

#endif
