/* SPDX-License-Identifier: MIT */
/*
 * The output of a result: stdout, or a file that is either complete or absent.
 * It is written under a temporary name in the same directory and then renamed;
 * anything but a regular file (a pipe, /dev/full) is written directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "format.h"

struct output {
	FILE *file;
	FILE *packed;     /* compressed output behind `file`; NULL: not
			   * compressed */
	char *path;       /* NULL: written directly */
	char *temporary;  /* NULL: likewise */
	const char *name; /* for messages; borrowed */
	bool force;
};

/* Protects an input from being overwritten from here on, if it is a regular
 * file. False if out of memory. */
bool output_protect(const char *path);

/* All files opened from here on are /dev/null: another process writes them. */
void output_discard(void);

/*
 * Opens for writing. `path` NULL or "-" is stdout; NULL and `binary` together
 * are refused if that is a terminal. An existing file is refused without
 * `force`, and a protected one always. One whose name ends in ".gz" is
 * compressed.
 *
 * Errors: reported; returns an exit status.
 * Ownership: `path` is borrowed until the output is closed. Only one output at
 * a time per process: a fatal signal removes the unfinished file.
 */
int output_open(
	struct output *output, const char *path, bool force, bool binary);

/* The same for a format, which may be compressed by itself. */
int output_open_as(struct output *output, const char *path, bool force,
	const struct format *format);

/*
 * Closes; with `keep` the file gets its name, otherwise it is removed.
 *
 * Errors: reported; returns an exit status, also for writes that failed before.
 */
int output_close(struct output *output, bool keep);

/* Checks whether output_open() would refuse this path because of an existing
 * file. Errors: reported; returns an exit status. */
int output_check(const char *path, bool force);

/* Checks whether output_open() would fail now, by a file that is removed at once:
 * one that is open for long stays if the process is killed. A pipe or device is
 * not opened, as its reader would see the end. Errors: reported; returns an exit
 * status. */
int output_try(const char *path, bool force);

/* Flushes stdout. Errors: reported; returns an exit status. */
int output_finish_stdout(void);

#endif
