/* SPDX-License-Identifier: MIT */
/* Text from programs may hold any bytes; most formats want UTF-8. */
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
 * How many of these bytes, whose first is not the start of a valid sequence,
 * one U+FFFD stands for: the longest start of a sequence, or 1; 0 if `size` is
 * 0. Python's errors="replace" and browsers do the same.
 * Source: The Unicode Standard, section 3.9, "maximal subpart".
 */
size_t utf8_invalid_size(const char *bytes, size_t size);

/* Appends the text with invalid bytes replaced. Returns the number of
 * replacements. */
size_t utf8_add_valid(struct buffer *out, const char *bytes, size_t size);

/* Appends the text as what a C string can hold: U+FFFD stands for zero bytes.
 * All else is as it was. */
void utf8_add_nonzero(struct buffer *out, const char *bytes, size_t size);

/*
 * Text for people must not affect a terminal, an editor or a page. It has
 * escapes, "\n", "\u202e" or "\xff", in place of C0, DEL and C1, line
 * separators, marks of direction (which reorder a text), noncharacters and
 * bytes that are not UTF-8.
 */
#define UTF8_ESCAPE_TEXT 11 /* room for "\U0010ffff" */

/* The length of the longest prefix without any of these. */
size_t utf8_safe_prefix(const char *bytes, size_t size);

/* Writes the escape of the text's first character, or byte. Returns how many
 * bytes of the text it stands for; `size` is not 0. */
size_t utf8_escape(char text[UTF8_ESCAPE_TEXT], const char *bytes, size_t size);

/* Appends the text with these escaped. Blanks stay as they are. */
void utf8_add_escaped(struct buffer *out, const char *bytes, size_t size);

/*
 * The same, and fit for one line of a text file, a terminal and XML: white
 * space, ends of lines as well, becomes one space, and there is none at either
 * end.
 */
void utf8_add_printable(struct buffer *out, const char *bytes, size_t size);

/* Would anything be seen of it then? Characters without width are not. */
bool utf8_is_visible(const char *bytes, size_t size);

#endif
