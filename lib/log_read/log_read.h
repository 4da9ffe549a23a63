/* SPDX-License-Identifier: MIT */
/* Reads a log as a source of events. Source: lib/log/FORMAT.md. */
#ifndef LOG_READ_H
#define LOG_READ_H

#include <stdio.h>

#include "trace/event.h"

/* Number of bits that identify these bytes as the start of a log; 0: not a
 * log. */
unsigned log_read_probe(const void *bytes, size_t size);

/*
 * Opens a reader. `file` is borrowed until the source is closed; `head` are
 * bytes already taken from it. Facts of the header are in the trace before the
 * first event: tool, host, pid, command, clock, clock_hz, policy, min_ns,
 * version, parent; at the end also stalls, stall_ns, recovered and stopped.
 * `request` may be NULL: defaults.
 *
 * Errors: CTP_ERR_NOMEM. From next(): CTP_ERR_IO, CTP_ERR_NOMEM,
 * CTP_ERR_UNSUPPORTED for a log of a newer version, CTP_ERR_FORMAT if there is
 * no sound block.
 */
enum ctp_status log_read_open(FILE *file, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

#endif
