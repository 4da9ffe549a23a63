/* SPDX-License-Identifier: MIT */
/* JSON whose brackets, commas and numbers are right, but whose strings hold
 * what they must not: as producers of traces write it. */
#ifndef JSON_MEND_H
#define JSON_MEND_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer.h"

/* May there be something to mend in it? A look at each byte. */
bool json_mend_is_due(const char *text, size_t size);

/*
 * Appends the text with all strings written anew: control characters escaped,
 * backslashes that begin no escape doubled, bytes that are not UTF-8 replaced.
 * False if out of memory.
 */
bool json_mend(const char *text, size_t size, struct buffer *out);

#endif
