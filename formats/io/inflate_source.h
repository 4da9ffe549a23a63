/* SPDX-License-Identifier: MIT */
/* A source of events whose file is gzip'd: its progress is that in the file,
 * and what is wrong with the file is told with what is wrong inside. */
#ifndef INFLATE_SOURCE_H
#define INFLATE_SOURCE_H

#include "trace/event.h"
#include "io/inflate_file.h"

/*
 * Puts itself around the source, which reads from the file's stream. Closing
 * it closes the source, not the file.
 *
 * Errors: CTP_ERR_NOMEM; the source is as it was.
 */
enum ctp_status inflate_source_open(struct event_source **source,
	const struct inflate_file *file, struct ctp_error *err);

#endif
