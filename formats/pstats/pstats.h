/* SPDX-License-Identifier: MIT */
/* Reads pstats, and writes it, also for formats that pass the file to a
 * program. */
#ifndef PSTATS_H
#define PSTATS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"
#include "profile/profile.h"

struct profile_source;

/* cProfile's name for a missing file. */
#define PSTATS_NO_FILE "~"

/*
 * Writes the profile. With `printable`, names lose their control characters, so
 * that they can go into a picture.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED for names over 2 GiB; write errors
 * show on the stream.
 */
enum ctp_status pstats_write(FILE *out, const struct profile *profile,
	bool printable, struct ctp_error *err);

/* See struct format. */
unsigned pstats_probe(const void *bytes, size_t size);
enum ctp_status pstats_read(struct profile_source *from, struct ctp_error *err);

#endif
