/* SPDX-License-Identifier: MIT */
/* Text in a flame graph: locations and times. */
#ifndef FLAME_TEXT_H
#define FLAME_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "profile/profile.h"

#define FLAME_TIME_TEXT 32 /* room for any of these texts */
#define FLAME_PLACES 240u  /* longer text is cut by function_name_fit() */

/* "1.23 ms", to the nearest; returns `text`. */
const char *flame_time(char text[FLAME_TIME_TEXT], uint64_t time_ns);

/*
 * Appends text fit for one line (see utf8_add_printable()), truncated with an
 * ellipsis if it is long: names may have megabytes.
 */
void flame_add_text(struct buffer *out, const char *text);

/* Appends "dir/file.c:12", or nothing if unknown. */
void flame_add_place(
	struct buffer *out, const struct profile_function *function);

#endif
