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

struct comparison {
	struct inputs inputs;
	bool runs;         /* --runs was given */
	size_t base_count; /* inputs before "--" */
	enum match_key match;
	bool across_devices;
	bool kernels; /* only device functions */
	enum replay_device device;
	bool tree; /* profiles have call paths, if the inputs do */
	struct source_map source_map; /* set by comparison_read() */
};

/* Its structure is a struct comparison; the command needs ARGP_IN_ORDER, since
 * the place of an input decides its side. */
extern const struct arguments comparison_arguments;

/* Frees the memory allocated by parsing and reading. */
void comparison_clear(struct comparison *comparison);

/* The profiles of the runs, base before new, and their losses. */
struct comparison_profiles {
	struct profile **items; /* one per input */
	size_t count;
	uint64_t losses[LOSS_KINDS];
};

/*
 * Reads all inputs. Sides with different devices are refused, unless devices
 * are ignored.
 *
 * Errors: reported; returns an exit status. EXIT_DAMAGED comes with all
 * profiles, other errors with none. Call comparison_profiles_clear() in any
 * case.
 */
int comparison_read(
	struct comparison *comparison, struct comparison_profiles *profiles);
void comparison_profiles_clear(struct comparison_profiles *profiles);

/* Compares them; free with diff_free(). Errors: reported; NULL. */
struct diff *comparison_diff(const struct comparison *comparison,
	const struct comparison_profiles *profiles, enum diff_key key);

/* The head of a report. */
struct report comparison_report(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *schema);

/* Writes the members "base_runs", "new_runs", "match" and "moved". */
void comparison_write(const struct comparison *comparison, struct json *json);

/* Whether this row is shown. */
bool comparison_shows(
	const struct comparison *comparison, const struct diff_row *row);

#endif
