/* SPDX-License-Identifier: MIT */
/*
 * A log that PyTorch writes to TORCH_TRACE's directory, as a stream with a
 * Chrome trace. A record is a line like glog's with a JSON object, which may be
 * followed by a payload, each line of it behind a tab. The trace has
 *
 * - the payload of each chromium_event as it is;
 * - instants of category "torch_trace" for compilation_metrics,
 *   bwd_compilation_metrics, dynamo_start, graph breaks and reasons for
 *   recompilation, at the time of the event before them in the log;
 * - the member "torch_trace" with the number of records of each kind, and their
 *   payloads' bytes. Graphs and other artifacts are only counted.
 *
 * Source: torch/_logging/_internal.py, trace_structured() and
 * TorchLogsFormatter; torch/_dynamo/utils.py, ChromiumEventLogger; PyTorch 2.4
 * to 2.15.
 */
#ifndef TORCH_LOG_H
#define TORCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/trace.h"

struct torch_log;

/* Does a line begin like a record? */
bool torch_log_probe(const char *text, size_t size);

/*
 * `head` has the first bytes, already read from `in`.
 *
 * Errors: CTP_ERR_NOMEM.
 * Ownership: `in` is borrowed until torch_log_close().
 */
enum ctp_status torch_log_open(struct torch_log **out, FILE *in,
	const void *head, size_t head_size, struct ctp_error *err);

/* NULL is allowed. */
void torch_log_close(struct torch_log *log);

/* The stream, borrowed until the close. */
FILE *torch_log_stream(const struct torch_log *log);

/* The position in `in`. */
uint64_t torch_log_position(const struct torch_log *log);

/*
 * Adds what was lost to the trace, once the stream has reached its end.
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_IO if `in` could not be read.
 */
enum ctp_status torch_log_report(const struct torch_log *log,
	struct trace *trace, struct ctp_error *err);

#endif
