/* SPDX-License-Identifier: MIT */
/* Gives names to the functions of one log, in the file itself or in another,
 * and says what came of it. */
#ifndef SYMBOLIZER_H
#define SYMBOLIZER_H

#include <stdbool.h>

struct symbolizer {
	const char *output;          /* NULL: the log itself */
	const char *debug_directory; /* absolute; NULL: only the usual ones */
	bool force;                  /* overwrite an output that exists */
	bool strict; /* functions without a name are an exit status */
	bool quiet;  /* say nothing but errors */
	bool brief;  /* say only what is amiss, and is not to be expected */
};

/* Errors: said; returns an exit status. The log is as it was then. */
int symbolizer_run(const struct symbolizer *symbolizer, const char *path);

#endif
