/* SPDX-License-Identifier: MIT */
/* Reads speedscope's own files. */
#ifndef SPEEDSCOPE_READ_H
#define SPEEDSCOPE_READ_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

/* See struct format. */
unsigned speedscope_probe(const void *bytes, size_t size);
enum ctp_status speedscope_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

#endif
