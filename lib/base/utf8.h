/* SPDX-License-Identifier: MIT */
/* Text from programs may contain any bytes; most formats require UTF-8. */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* The replacement for bytes that are not UTF-8: U+FFFD. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * The length of the longest valid prefix: no overlong forms, no surrogates,
 * nothing over U+10FFFF.
 * Source: RFC 3629, section 4.
 */
size_t utf8_valid_prefix(const char *bytes, size_t size);

/*
 * Number of these bytes, which do not begin with a valid sequence, that one
 * U+FFFD replaces: the longest start of a sequence, or 1; 0 if `size` is
 * 0. Python's errors="replace" and browsers do the same.
 * Source: The Unicode Standard, section 3.9, "maximal subpart".
 */
size_t utf8_invalid_size(const char *bytes, size_t size);

/* The size of the character at the beginning; 0: invalid. */
size_t utf8_size(const char *bytes, size_t size);

/* Appends the text with invalid bytes replaced. Returns the number of
 * replacements. */
size_t utf8_add_valid(struct buffer *out, const char *bytes, size_t size);

/* Appends the text in a form for C strings: zero bytes become U+FFFD. All else
 * is unchanged. */
void utf8_add_nonzero(struct buffer *out, const char *bytes, size_t size);

/*
 * Displayed text must not affect a terminal, an editor or a page. Escapes such
 * as "\n", "\u202e" or "\xff" replace C0, DEL and C1, line separators,
 * direction marks (which reorder text), noncharacters and bytes that are not
 * UTF-8.
 */
#define UTF8_ESCAPE_TEXT 11 /* room for "\U0010ffff" */

/* The length of the longest prefix without any of these. */
size_t utf8_safe_prefix(const char *bytes, size_t size);

/* Writes the escape of the text's first character or byte. Returns the number
 * of bytes escaped; `size` is not 0. */
size_t utf8_escape(char text[UTF8_ESCAPE_TEXT], const char *bytes, size_t size);

/*
 * Appends the text with these escaped, for one line of a text file, a terminal or
 * XML: white space, including newlines, becomes one space, and is removed at both
 * ends.
 */
void utf8_add_printable(struct buffer *out, const char *bytes, size_t size);

/* Whether the result is visible. Characters without width are not. */
bool utf8_is_visible(const char *bytes, size_t size);

#endif
