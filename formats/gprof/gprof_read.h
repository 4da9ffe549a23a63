/* SPDX-License-Identifier: MIT */
/* Reads gprof's report; see struct format. */
#ifndef GPROF_READ_H
#define GPROF_READ_H

#include <stddef.h>

#include "base/error.h"

struct profile_source;

unsigned gprof_probe(const void *bytes, size_t size);
enum ctp_status gprof_read(struct profile_source *from, struct ctp_error *err);

#endif
