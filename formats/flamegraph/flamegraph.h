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
#include "json/json.h"
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

/* Writes the parts of a function's short name as texts, "a::", "b::" and "f",
 * for flame_fit.js; nothing if it has no scopes. The first part of a long name
 * is an ellipsis. */
void flamegraph_put_scopes(struct json *json, const char *name, size_t size);

#endif
