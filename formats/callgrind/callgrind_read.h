/* SPDX-License-Identifier: MIT */
/* Reads callgrind profiles; see struct format. */
#ifndef CALLGRIND_READ_H
#define CALLGRIND_READ_H

#include <stddef.h>

#include "base/error.h"

struct profile_source;

unsigned callgrind_probe(const void *bytes, size_t size);
enum ctp_status callgrind_read(
	struct profile_source *from, struct ctp_error *err);

#endif
