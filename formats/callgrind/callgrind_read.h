/* SPDX-License-Identifier: MIT */
/* Reads callgrind profiles; see struct format. */
#ifndef CALLGRIND_READ_H
#define CALLGRIND_READ_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

unsigned callgrind_probe(const void *bytes, size_t size);
enum ctp_status callgrind_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

#endif
