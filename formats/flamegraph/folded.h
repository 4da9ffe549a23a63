/* SPDX-License-Identifier: MIT */
/* Reads folded stacks; see struct format. */
#ifndef FOLDED_H
#define FOLDED_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

unsigned folded_probe(const void *bytes, size_t size);
enum ctp_status folded_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

#endif
