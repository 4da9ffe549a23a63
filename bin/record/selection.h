/* SPDX-License-Identifier: MIT */
/*
 * Which functions are recorded: names as patterns, which become a file of
 * offsets for the traced program, since it knows no names. See
 * CTPROF_FUNCTIONS in libctprof(3).
 */
#ifndef SELECTION_H
#define SELECTION_H

#include <stdbool.h>
#include <stddef.h>

struct selection_pattern {
	const char *text; /* as given */
	const char *glob; /* for fnmatch(3) */
	bool is_module;
	bool exclude;
	bool matched; /* something */
};

struct selection {
	struct selection_pattern *patterns;
	size_t count;
	size_t room;
	char *file; /* made for the program; NULL: none */
};

/* Adds a pattern; `text` is borrowed. False if out of memory. */
bool selection_add(struct selection *selection, const char *text, bool exclude);

/*
 * Looks up which functions of the program and its libraries are meant, and
 * hands that to the program through the environment. Without patterns there is
 * nothing to do.
 *
 * Errors: said; returns an exit status.
 */
int selection_apply(struct selection *selection, const char *program);

/* Removes the file, and frees what there is. */
void selection_clear(struct selection *selection);

#endif
