/* SPDX-License-Identifier: MIT */
/* Converts numbers and words of other languages to JSON. */
#ifndef REPAIR_LITERAL_H
#define REPAIR_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "json_repair/repair_fix.h"

/* Is the text a time: a decimal number, perhaps with blanks around it? */
bool repair_literal_is_time(const char *text, size_t size);

/*
 * Appends the meaning of a word: true, false, null or a number; false,
 * appending nothing, for an unknown word. *fix is the repair, or REPAIR_FIXES
 * for none.
 */
bool repair_literal_add(struct buffer *out, const char *text, size_t size,
	enum repair_fix *fix);

#endif
