/* SPDX-License-Identifier: MIT */
/*
 * Draws flame graphs as one SVG file that needs no other: a picture, which a
 * script in it makes answer to pointer and keyboard where it may run.
 */
#ifndef FLAME_SVG_H
#define FLAME_SVG_H

#include <stdio.h>

#include "base/error.h"
#include "compare/flame_diff.h"
#include "profile/profile.h"

/* No picture has more bytes: it is to be sent by mail, and shown at once. */
#define FLAME_SVG_BYTES 2000000

/*
 * Writes the graphs of a profile that has a tree: that of the host's time, and
 * below it that of its devices'. As many contexts are shown as there is room
 * for, the longest; what is folded is said. `path` is of the
 * input and may be NULL.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status flame_svg_write(FILE *out, const struct profile *profile,
	const char *path, struct ctp_error *err);

/*
 * The same of two sides: widths are of the new one, and colours of what has
 * changed.
 */
enum ctp_status flame_svg_write_diff(FILE *out, const struct flame_diff *diff,
	const char *title, struct ctp_error *err);

#endif
