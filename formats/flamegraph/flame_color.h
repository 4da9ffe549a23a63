/* SPDX-License-Identifier: MIT */
/* Colours of a flame graph: a hue for each module, and shades of it. */
#ifndef FLAME_COLOR_H
#define FLAME_COLOR_H

#include <stddef.h>

#include "profile/profile.h"

#define FLAME_CLASS_TEXT 16

/*
 * What a function belongs to: its file, or where that is not known what its
 * name begins with, as "aten" of "aten::mm"; the whole name where nothing
 * divides it. Borrowed from the profile.
 */
const char *flame_module(const struct profile_function *function, size_t *size);

/* The classes of the style sheet (flame.css) that paint it: "c7 s1". The same
 * function has the same ones in each picture. Returns `text`. */
const char *flame_class(
	char text[FLAME_CLASS_TEXT], const struct profile_function *function);

/* The class that paints what took so long before and takes so long now: redder
 * the more it has grown, bluer the more it has shrunk. */
const char *flame_change_class(uint64_t before_ns, uint64_t after_ns);

#endif
