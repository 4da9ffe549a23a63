/* SPDX-License-Identifier: MIT */
/* A source of events from a gzip'd file: it reports progress as a position in
 * the file, and damage to the file together with damage in its contents. */
#ifndef INFLATE_SOURCE_H
#define INFLATE_SOURCE_H

#include "trace/event.h"
#include "io/inflate_file.h"

/*
 * Wraps the source, which reads from the file's stream. Closing it closes the
 * source, not the file.
 *
 * Errors: CTP_ERR_NOMEM; the source is as it was.
 */
enum ctp_status inflate_source_open(struct event_source **source,
	const struct inflate_file *file, struct ctp_error *err);

#endif
