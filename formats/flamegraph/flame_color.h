/* SPDX-License-Identifier: MIT */
/* Colours of a flame graph: a hue for each module, and shades of it. */
#ifndef FLAME_COLOR_H
#define FLAME_COLOR_H

#include <stddef.h>

#include "profile/profile.h"

#define FLAME_CLASS_TEXT 16

/*
 * The module of a function: its file, or if that is unknown the first part of
 * its name, such as "aten" of "aten::mm", or the whole name if it has only one
 * part. Borrowed from the profile.
 */
const char *flame_module(const struct profile_function *function, size_t *size);

/* The classes of the style sheet (flame.css) that paint it: "c7 s1". The same
 * function has the same ones in each picture. Returns `text`. */
const char *flame_class(
	char text[FLAME_CLASS_TEXT], const struct profile_function *function);

/* The class for a change of time: redder the more it has grown, bluer the more
 * it has shrunk. */
const char *flame_change_class(uint64_t before_ns, uint64_t after_ns);

#endif
