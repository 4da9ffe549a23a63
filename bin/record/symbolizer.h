/* SPDX-License-Identifier: MIT */
/* Adds names to the functions of a log, in place or in another file, and
 * reports the result. */
#ifndef SYMBOLIZER_H
#define SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>

struct symbolizer {
	const char *output;          /* NULL: the log itself */
	const char *debug_directory; /* absolute; NULL: only the default ones */
	bool force;                  /* overwrite an existing output */
	bool strict;                 /* unnamed functions set the exit status */
	bool quiet;                  /* report only errors */
	bool brief;                  /* report only unexpected problems */
	uint64_t *named;             /* functions named now; or NULL */
};

/* Errors: reported; returns an exit status and leaves the log unchanged. */
int symbolizer_run(const struct symbolizer *symbolizer, const char *path);

#endif
