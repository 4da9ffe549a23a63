/* SPDX-License-Identifier: MIT */
/* JSON whose brackets and commas are right, but whose strings hold what they
 * must not, or whose numbers are none: as producers of traces write it. */
#ifndef JSON_SANITIZE_H
#define JSON_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* May there be something to mend in its strings? A look at each byte. What is
 * no number the scanner has seen: json_scan_has_words(). */
bool json_sanitize_is_due(const char *text, size_t size);

/*
 * Appends the text with all strings written anew: control characters escaped,
 * backslashes that begin no escape doubled, bytes that are not UTF-8 replaced;
 * and with NaN, -Infinity and the like made strings.
 * False if out of memory.
 */
bool json_sanitize(const char *text, size_t size, struct buffer *out);

#endif
