/* SPDX-License-Identifier: MIT */
/* The summary of many inputs as an input. */
#ifndef CTPART_H
#define CTPART_H

#include "summary/summary.h"
#include "trace/event.h"

/*
 * Reads a source of this format to its end; free the summary with
 * summary_free(). Its losses become those of the source's trace.
 *
 * Errors: those of summary_read().
 */
enum ctp_status ctpart_read_summary(struct event_source *source,
	struct summary **out, struct ctp_error *err);

#endif
