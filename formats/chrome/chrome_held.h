/* SPDX-License-Identifier: MIT */
/*
 * Text that is to be written after what holds it back: a list of pieces, in the
 * order of the file, joined with another in constant time. A chain of ranges
 * that all start together costs no more than one that does not.
 */
#ifndef CHROME_HELD_H
#define CHROME_HELD_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

/* All zero is nothing. */
struct chrome_held {
	struct chrome_held_piece *first; /* NULL: nothing */
	struct chrome_held_piece *last;
};

void chrome_held_clear(struct chrome_held *held);

/* Adds what has been written to `json`, in memory. False if out of memory. */
bool chrome_held_add(struct chrome_held *held, const struct json *json);

/* Moves all of `more` behind what is held. */
void chrome_held_join(struct chrome_held *held, struct chrome_held *more);

/* Writes it all; then nothing is held. How many bytes that were. */
size_t chrome_held_write(struct chrome_held *held, struct json *json);

#endif
