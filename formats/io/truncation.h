/* SPDX-License-Identifier: MIT */
/* What is said of an input whose beginning was used, but not its end. */
#ifndef TRUNCATION_H
#define TRUNCATION_H

#include "base/error.h"
#include "trace/trace.h"

/* Counts it as cut off, and makes the place and the reason the fact `damage`.
 * False if out of memory. */
bool truncation_note(struct trace *trace, const struct ctp_error *error);

#endif
