/* SPDX-License-Identifier: MIT */
/* Reads gprof's report; see struct format. */
#ifndef GPROF_READ_H
#define GPROF_READ_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

unsigned gprof_probe(const void *bytes, size_t size);
enum ctp_status gprof_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

#endif
