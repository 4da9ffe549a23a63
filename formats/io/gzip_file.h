/* SPDX-License-Identifier: MIT */
/* A stream that compresses its output. */
#ifndef GZIP_FILE_H
#define GZIP_FILE_H

#include <stdio.h>

/*
 * Makes one that writes gzip's format to `out`; fclose() finishes it. `out`
 * stays the caller's: write errors show on both. ftello() returns the number of
 * bytes before compression. NULL if out of memory.
 */
FILE *gzip_file_open(FILE *out);

#endif
