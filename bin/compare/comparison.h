/* SPDX-License-Identifier: MIT */
/* The two sides of a comparison on the command line, "BASE NEW" or "--runs
 * BASE... -- NEW...", read and joined. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include <argp.h>
#include <stdbool.h>

#include "compare/diff.h"
#include "input/inputs.h"
#include "compare/source_map.h"
#include "profile/replay.h"
#include "input/report.h"

struct comparison {
	struct inputs inputs;
	bool runs;         /* --runs was given */
	size_t base_count; /* inputs before "--" */
	enum match_key match;
	bool across_devices;
	bool kernels; /* only what devices did */
	enum replay_device device;
	bool tree; /* profiles have paths of calls, where inputs tell them */
	struct source_map source_map; /* as comparison_read() found */
};

/* report_argp, that of the sides, whose input (argp's word) is a struct
 * comparison, and help_argp. What parses them is to be given the flag ARGP_IN_ORDER:
 * which side an input is on is told by its place. */
extern const struct argp_child comparison_children[];

/* Frees what parsing and reading have allocated. */
void comparison_clear(struct comparison *comparison);

/* The profiles of the runs, base before new, and their losses. */
struct comparison_profiles {
	struct profile **items; /* as many as there are inputs */
	size_t count;
	uint64_t losses[LOSS_KINDS];
};

/*
 * Reads all inputs. Sides of different devices are refused, unless those are
 * not to matter.
 *
 * Errors: said; returns an exit status. EXIT_DAMAGED comes with all profiles,
 * others with nothing. In any case call comparison_profiles_clear().
 */
int comparison_read(
	struct comparison *comparison, struct comparison_profiles *profiles);
void comparison_profiles_clear(struct comparison_profiles *profiles);

/* Joins them; free with diff_free(). Errors: said; NULL. */
struct diff *comparison_diff(const struct comparison *comparison,
	const struct comparison_profiles *profiles, enum diff_key key);

/* What reports begin with. */
struct report comparison_report(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *schema);

/* Writes the members "base_runs", "new_runs", "match" and "moved". */
void comparison_write(const struct comparison *comparison, struct json *json);

/* Is this row to be shown? */
bool comparison_shows(
	const struct comparison *comparison, const struct diff_row *row);

#endif
