/* SPDX-License-Identifier: MIT */
/* Reports an input of which only the beginning was used. */
#ifndef TRUNCATION_H
#define TRUNCATION_H

#include "base/error.h"
#include "trace/trace.h"

/* Counts it as truncated, and stores the position and the reason in the fact
 * `damage`. False if out of memory. */
bool truncation_record(struct trace *trace, const struct ctp_error *error);

/*
 * For formats without an end marker: stores in the fact `damage`, unless it is
 * set, that the input may be cut off because of `why`. This is not a loss: the
 * input may also be complete. False if out of memory.
 */
bool truncation_suspect(struct trace *trace, const char *why);

#endif
