/* SPDX-License-Identifier: MIT */
/*
 * Chrome traces, of any producer and any size: the "Trace Event Format" as
 * chrome://tracing, PyTorch, clang, VizTracer and others write it.
 *
 * Memory: names, tracks, open slices, TRACE_JOIN_LIMIT calls, and what
 * spill.h sorts in; what is beyond that goes to a temporary file.
 */
#ifndef TRACE_READ_H
#define TRACE_READ_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

/* As `struct format` has them. */
unsigned trace_read_probe(const void *bytes, size_t size);
enum ctp_status trace_read_open(FILE *in, const void *head, size_t head_size,
	struct event_source **out, struct ctp_error *err);

#endif
