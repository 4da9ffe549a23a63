/* SPDX-License-Identifier: MIT */
/* Reports an input of which only the beginning was used. */
#ifndef TRUNCATION_H
#define TRUNCATION_H

#include "base/error.h"
#include "trace/trace.h"

/* Counts it as truncated, and stores the position and the reason in the fact
 * `damage`. False if out of memory. */
bool truncation_record(struct trace *trace, const struct ctp_error *error);

#endif
