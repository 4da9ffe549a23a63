/* SPDX-License-Identifier: MIT */
/*
 * Draws flame graphs as one self-contained SVG file. A script in it makes the
 * picture interactive where scripts may run.
 */
#ifndef FLAMEGRAPH_H
#define FLAMEGRAPH_H

#include <stdio.h>

#include "base/error.h"
#include "compare/flame_diff.h"
#include "profile/profile.h"

/* Largest picture: small enough to mail and to open at once. */
#define FLAMEGRAPH_BYTES 2000000

/*
 * Compares two profiles: widths show the new one, colours the change.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status flamegraph_write_diff(FILE *out, const struct flame_diff *diff,
	const char *title, struct ctp_error *err);

#endif
