/* SPDX-License-Identifier: MIT */
/*
 * The frames of a flame graph: boxes with a name, and a title that describes
 * the box. Widths and positions are integers, in hundredths of a unit: the same
 * tree gives the same bytes everywhere.
 */
#ifndef FLAME_FRAME_H
#define FLAME_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "profile/flame_tree.h"
#include "profiles/label.h"
#include "profile/profile.h"

/* In units of the picture. The script repeats EDGE and ROW. */
#define FLAME_WIDTH 1200u
#define FLAME_EDGE 10u
#define FLAME_ROW 17u

struct flame_canvas {
	FILE *out;
	const struct profile *profile;
	struct labels labels;
	bool compared; /* with a base: colours show the change */
	/* The visible functions are numbered from 1. */
	uint32_t *number;   /* by function; 0: not shown yet */
	uint32_t *function; /* by number - 1 */
	uint32_t count;
	struct buffer text; /* being composed */
};

/* Writes the composed text, escaped, and begins another one. */
void flame_write_text(struct flame_canvas *canvas);

/* Add to the text: "12.34 %", "1.23 ms", "1 call". */
void flame_add_share(
	struct flame_canvas *canvas, uint64_t part, uint64_t whole);
void flame_add_time(struct flame_canvas *canvas, uint64_t time_ns);
void flame_add_count(
	struct flame_canvas *canvas, uint64_t count, const char *what);

/* "before 1.20 ms in 3 calls: +0.12 ms, +10.00 %". */
void flame_add_change(struct flame_canvas *canvas,
	const struct flame_cost *before, uint64_t after_ns);

/* Writes the frames of a tree whose root has its upper edge at `y`; `of` names
 * its time: "host time". */
void flame_write_frames(struct flame_canvas *canvas,
	const struct flame_tree *tree, const char *of, uint32_t y);

/* Text: locations and times. */

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

/* Colours: a hue for each module, and shades of it. */

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
