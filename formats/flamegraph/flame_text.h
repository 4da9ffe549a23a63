/* SPDX-License-Identifier: MIT */
/* The words of a flame graph: names, places, times and shares. */
#ifndef FLAME_TEXT_H
#define FLAME_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "profile/profile.h"

#define FLAME_TIME_TEXT 32 /* room for any of these texts */
#define FLAME_PLACES 240u  /* longer text is shortened, see flame_fit() */

/* "1.23 ms", to the nearest; returns `text`. */
const char *flame_time(char text[FLAME_TIME_TEXT], uint64_t time_ns);

/*
 * Appends text fit for one line (see utf8_add_printable()), at most the first
 * part of it, which ends in an ellipsis then: names may be of megabytes.
 */
void flame_add_text(struct buffer *out, const char *text);

/* Appends "dir/file.c:12", or nothing where that is not known. */
void flame_add_place(
	struct buffer *out, const struct profile_function *function);

/*
 * How much of this text is shown in so many places of a fixed-width font: its
 * bytes, and in `cut` whether an ellipsis comes after them. What may be wide
 * counts as two places.
 */
size_t flame_fit(const char *text, size_t size, unsigned places, bool *cut);

/*
 * Appends what is shown of a function's name in so many places: names of C++
 * lose their parameters and template arguments before they are cut, and then
 * the scopes around them.
 */
void flame_add_name(struct buffer *out, const char *name, unsigned places);

#endif
