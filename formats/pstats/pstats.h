/* SPDX-License-Identifier: MIT */
/* pstats: read, and written also for the formats that hand its file to a
 * program. */
#ifndef PSTATS_H
#define PSTATS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"
#include "profile/profile.h"

/* What cProfile writes where there is no file. */
#define PSTATS_NO_FILE "~"

/*
 * Writes the profile. With `printable`, names hold no control characters, so
 * that they can go into a picture; otherwise they are kept.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED for names over 2 GiB; writing
 * errors show on the stream.
 */
enum ctp_status pstats_write(FILE *out, const struct profile *profile,
	bool printable, struct ctp_error *err);

/* See struct format. */
unsigned pstats_probe(const void *bytes, size_t size);
enum ctp_status pstats_open(FILE *in, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err);

#endif
