/* SPDX-License-Identifier: MIT */
/* Parses and reads the two sides of a comparison, "BASE NEW" or "--runs BASE...
 * -- NEW...". */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <stdbool.h>

#include "compare/diff.h"
#include "input/inputs.h"
#include "compare/source_map.h"
#include "profile/replay.h"
#include "input/report.h"

/* In the order of enum match_key. */
#define COMPARISON_MATCHES "file|name|line|exact"

struct comparison {
	struct inputs inputs;
	bool runs;         /* --runs was given */
	bool is_new;       /* all inputs are of the new side */
	size_t base_count; /* inputs before "--" */
	enum match_key match;
	bool across_devices;
	bool kernels; /* only device functions */
	enum replay_device device;
	bool tree;     /* profiles have call paths, if the inputs do */
	unsigned jobs; /* inputs to read at a time; 0: one per processor */
	struct source_map source_map; /* set by comparison_run() */
};

/* Its structure is a struct comparison; the command needs ARGP_IN_ORDER, since
 * the place of an input decides its side. */
extern const struct arguments comparison_arguments;

/* Frees the memory allocated by parsing and reading. */
void comparison_clear(struct comparison *comparison);

/* The runs, base before new. */
struct comparison_profiles {
	struct profile **items; /* one per input; NULL without call paths */
	size_t count;
	uint64_t losses[LOSS_KINDS];
};

/*
 * Reads and compares the inputs, and calls `print` with the comparison and the
 * head of its report. Errors: reported; returns the worst exit status, also of
 * `print`.
 */
int comparison_run(struct comparison *comparison, enum diff_key key,
	const char *schema,
	int (*print)(void *user, const struct diff *diff,
		const struct comparison_profiles *profiles,
		struct report *report),
	void *user);

/* Writes the members "base_runs", "new_runs", "match" and "moved". */
extern const struct columns comparison_head;
void comparison_write(struct sheet *sheet, const struct comparison *comparison);

/* Whether this row is shown. */
bool comparison_shows(
	const struct comparison *comparison, const struct diff_row *row);

#endif
