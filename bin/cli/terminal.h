/* SPDX-License-Identifier: MIT */
/* Decides whether to show color and progress; size of the terminal. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Values of --color and --progress, in this order. */
#define WHEN_VALUES "auto|never|always"
enum when { WHEN_AUTO, WHEN_NEVER, WHEN_ALWAYS };

/*
 * With WHEN_AUTO: color if the stream is a terminal and neither NO_COLOR nor
 * TERM=dumb is set.
 * Source: https://no-color.org, https://bixense.com/clicolors
 */
bool terminal_color(FILE *stream, enum when when);

/* Number of lines; 0 if the stream is not a terminal. */
size_t terminal_height(FILE *stream);

/* Characters per line; 0 if the stream is not a terminal. */
size_t terminal_width(FILE *stream);

#endif
