/* SPDX-License-Identifier: MIT */
/* Inputs that are to be read more than once: of pipes a copy without a name is
 * kept. */
#ifndef REREAD_H
#define REREAD_H

#include "extsort/temp_file.h"

#define REREAD_PATH 32

struct reread {
	struct temp_file copy;
	char path[REREAD_PATH]; /* of the copy; "": the input is a file */
};

/*
 * Makes sure that what is at `path`, "-" being the standard input, can be
 * opened again and again.
 *
 * Errors: said; returns an exit status. Call reread_clear() in either case.
 */
int reread_init(struct reread *reread, const char *path);
void reread_clear(struct reread *reread);

#endif
