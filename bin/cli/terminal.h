/* SPDX-License-Identifier: MIT */
/* Whether to show colour and progress, and how wide lines may be. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An answer to --color and --progress; the option's values, in this order. */
#define WHEN_VALUES "auto|never|always"
enum when { WHEN_AUTO, WHEN_NEVER, WHEN_ALWAYS };

/*
 * Colour if asked for; else if the stream is a terminal and neither NO_COLOR
 * nor TERM=dumb say otherwise.
 * Source: https://no-color.org, https://bixense.com/clicolors
 */
bool terminal_color(FILE *stream, enum when when);

/* Lines; 0 if the stream is not a terminal. */
size_t terminal_height(FILE *stream);

/* Characters in a line; 0 if the stream is not a terminal. */
size_t terminal_width(FILE *stream);

#endif
