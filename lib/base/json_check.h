/* SPDX-License-Identifier: MIT */
/* Is a text JSON? Writers put values of arguments into what they write as they
 * stand, so what a log calls so is looked at first. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* Brackets open at once. */
#define JSON_CHECK_DEPTH 1024

/* Is it one value and nothing else, in valid UTF-8? No, if it is nested deeper
 * than that. Source: RFC 8259. */
bool json_check(const char *text, size_t size);

#endif
