/* SPDX-License-Identifier: MIT */
/*
 * Where a result goes: stdout, or a file that is there complete or not at all.
 * It is written under another name in the same directory and then renamed;
 * what is not a regular file (a pipe, /dev/full) is written directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "format.h"

struct output {
	FILE *file;
	FILE *packed;     /* what `file` is compressed into; NULL: it is not */
	char *path;       /* NULL: a stream that is written directly */
	char *temporary;  /* NULL: likewise */
	const char *name; /* for messages; borrowed */
	bool force;
};

/* No output is to take this path's place from here on: it is read. What is not
 * a regular file is nobody's content. False if out of memory. */
bool output_protect(const char *path);

/*
 * Opens for writing. `path` NULL or "-" is stdout; NULL and `binary` together
 * are refused if that is a terminal. An existing file is refused without
 * `force`, and a protected one always. One whose name ends in ".gz" is
 * compressed.
 *
 * Errors: said; returns an exit status.
 * Ownership: `path` is borrowed until the output is closed. One output at a
 * time in a process: a signal that ends it removes the unfinished file.
 */
int output_open(
	struct output *output, const char *path, bool force, bool binary);

/* The same for what is in that format, which may be compressed already. */
int output_open_as(struct output *output, const char *path, bool force,
	const struct format *format);

/*
 * Closes; with `keep` the file takes its name, without it is removed.
 *
 * Errors: said; returns an exit status: also for writes that failed before.
 */
int output_close(struct output *output, bool keep);

/* Would output_open() refuse this path because of what exists? Says so; returns
 * an exit status. */
int output_check(const char *path, bool force);

/* Flushes stdout. Errors: said; returns an exit status. */
int output_finish_stdout(void);

#endif
