/* SPDX-License-Identifier: MIT */
/*
 * Selects the functions to record: patterns of names are converted to a file of
 * offsets for the traced program, which has no names. See CTPROF_FUNCTIONS in
 * libctprof(3).
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
	char *file; /* for the program; NULL: none */
};

/* Adds a pattern; `text` is borrowed. False if out of memory. */
bool selection_add(struct selection *selection, const char *text, bool exclude);

/*
 * Looks up the matching functions of the program and its libraries and passes
 * them in the environment. Does nothing without patterns.
 *
 * Errors: reported; returns an exit status.
 */
int selection_apply(struct selection *selection, const char *program);

/* Removes the file and frees the memory. */
void selection_clear(struct selection *selection);

#endif
