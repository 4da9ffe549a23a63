/* SPDX-License-Identifier: MIT */
/* Compresses logs of level 0 in place, for `ctprof record` and `repair`. */
#ifndef COMPRESSOR_H
#define COMPRESSOR_H

#include <stdbool.h>

/* Replaces the log once the new one is completely on disk; one without stored
 * blocks stays as it is. Errors: reported; returns an exit status. */
int compressor_run(const char *path, bool quiet);

#endif
