/* SPDX-License-Identifier: MIT */
/* A private directory with the scripts that a process executes, and the pipe for
 * its answers. */
#ifndef ATTACH_FILES_H
#define ATTACH_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "record/attach_target.h"

#define ATTACH_ANSWER_BYTES 4096

struct attach_files {
	char *directory;
	int fd;   /* the directory */
	int pipe; /* answers; not blocking */
	char *start;
	char *stop;
};

/* A recording that the process is asked for. */
struct attach_content {
	const char *out;      /* for ctp_start() */
	const char *site;     /* the directory of our entry points */
	const char *recorder; /* its library; NULL: unknown */
	const char *words;    /* of the tracer, one per line */
};

/*
 * Makes the directory, in TMPDIR or /tmp, readable by the user of the process
 * only.
 *
 * Errors: reported; returns an exit status. Call attach_files_remove() in any
 * case.
 */
int attach_files_make(struct attach_files *files,
	const struct attach_target *target,
	const struct attach_content *content);

/* Reads the process's next answer, a line without its end. False if there is
 * none yet. */
bool attach_files_answer(
	const struct attach_files *files, char answer[ATTACH_ANSWER_BYTES]);

/* Removes all; with `keep`, leaves that to the script that stops. */
void attach_files_remove(struct attach_files *files, bool keep);

#endif
