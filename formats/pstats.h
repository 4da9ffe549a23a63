/* SPDX-License-Identifier: MIT */
/* The pstats writer, for the formats that hand its file to a program. */
#ifndef PSTATS_H
#define PSTATS_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "profile.h"

/*
 * Writes the profile. With `printable`, names hold no control characters, so
 * that they can go into a picture; otherwise they are kept.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED for names over 2 GiB; writing
 * errors show on the stream.
 */
enum ctp_status pstats_write(FILE *out, const struct profile *profile,
	bool printable, struct ctp_error *err);

#endif
