/* SPDX-License-Identifier: MIT */
/*
 * Draws flame graphs as one self-contained SVG file. A script in it makes the
 * picture interactive where scripts may run.
 */
#ifndef FLAME_SVG_H
#define FLAME_SVG_H

#include <stdio.h>

#include "base/error.h"
#include "compare/flame_diff.h"
#include "profile/profile.h"

/* Largest picture: small enough to mail and to open at once. */
#define FLAME_SVG_BYTES 2000000

/*
 * Writes the graphs of a profile that has a tree: host time, and below it
 * device time. Shows the longest contexts that fit, and reports how many are
 * folded. `path` is the input's and may be NULL.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status flame_svg_write(FILE *out, const struct profile *profile,
	const char *path, struct ctp_error *err);

/*
 * Compares two profiles: widths show the new one, colours the change.
 */
enum ctp_status flame_svg_write_diff(FILE *out, const struct flame_diff *diff,
	const char *title, struct ctp_error *err);

#endif
