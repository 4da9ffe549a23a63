/* SPDX-License-Identifier: MIT */
/* Databases of NVIDIA's profilers. */
#ifndef SQLITE_PROFILE_H
#define SQLITE_PROFILE_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

/*
 * Opens a database of either profiler, as a format's open_events() does.
 *
 * Errors: CTP_ERR_UNSUPPORTED if we were built without SQLite; those of
 * sqlite_input_open(); CTP_ERR_FORMAT if no profiler wrote it.
 */
enum ctp_status sqlite_profile_open(FILE *in, const void *head,
	size_t head_size, const struct read_request *request,
	struct event_source **out, struct ctp_error *err);

/* Is this the beginning of a database? Returns the number of matching bits. */
unsigned sqlite_profile_probe(const void *bytes, size_t size);

#endif
