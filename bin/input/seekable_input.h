/* SPDX-License-Identifier: MIT */
/* Inputs that are to be read more than once: of pipes a copy without a name is
 * kept. */
#ifndef SEEKABLE_INPUT_H
#define SEEKABLE_INPUT_H

#include "extsort/temp_file.h"

#define REREAD_PATH 32

struct seekable_input {
	struct temp_file copy;
	char path[REREAD_PATH]; /* of the copy; "": the input is a file */
};

/*
 * Makes sure that what is at `path`, "-" being the standard input, can be
 * opened again and again.
 *
 * Errors: said; returns an exit status. Call seekable_input_clear() in either case.
 */
int seekable_input_init(struct seekable_input *seekable, const char *path);
void seekable_input_clear(struct seekable_input *seekable);

#endif
