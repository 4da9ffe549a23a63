/* SPDX-License-Identifier: MIT */
/* Numbers and words as other languages write them, made JSON. */
#ifndef REPAIR_LITERAL_H
#define REPAIR_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "json_repair/repair_fix.h"

/* A number of no more bytes, without an exponent, is finite as a double. */
#define REPAIR_LITERAL_SMALL 300

/* Is the number, as JSON has them, one that a double can hold roughly? */
bool repair_literal_is_finite(const char *text, size_t size);

/* Is it a time as text: a decimal number, perhaps with blanks around it? */
bool repair_literal_is_time(const char *text, size_t size);

/*
 * Appends what the word means: true, false, null, a number; false if it means
 * nothing, and nothing was added. *fix is what had to be done for it;
 * REPAIR_FIXES: nothing.
 */
bool repair_literal_add(struct buffer *out, const char *text, size_t size,
	enum repair_fix *fix);

#endif
