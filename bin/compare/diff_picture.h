/* SPDX-License-Identifier: MIT */
/* The flame graph of what is different. */
#ifndef DIFF_PICTURE_H
#define DIFF_PICTURE_H

#include <stdbool.h>

#include "compare/comparison.h"

/*
 * Writes it as SVG to the path, of profiles that were read with their trees.
 *
 * Errors: said; returns an exit status. Profiles that tell no paths of calls
 * are refused.
 */
int diff_picture_write(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *path,
	bool force);

#endif
