/* SPDX-License-Identifier: MIT */
/* Names shortened to fit columns of a fixed-width font. */
#ifndef NAME_FIT_H
#define NAME_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/*
 * The size of the longest prefix that fits in `columns`, and in `cut` whether an
 * ellipsis comes after it. A character that may be wide counts as two columns.
 *
 * Units: bytes.
 */
size_t name_fit(const char *text, size_t size, unsigned columns, bool *cut);

/*
 * Appends a function's name, shortened to `columns`: names of C++ lose their
 * parameters and template arguments first, then the scopes around them, and are
 * cut last.
 */
void name_fit_add(struct buffer *out, const char *name, unsigned columns);

#endif
