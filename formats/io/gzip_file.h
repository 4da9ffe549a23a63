/* SPDX-License-Identifier: MIT */
/* A stream that compresses what is written to it. */
#ifndef GZIP_FILE_H
#define GZIP_FILE_H

#include <stdio.h>

/*
 * Makes one that writes gzip's format to `out`; fclose() finishes it. `out`
 * stays the caller's: errors of writing show on both. ftello() tells how much
 * was written before it was compressed. NULL if out of memory.
 */
FILE *gzip_file_open(FILE *out);

#endif
