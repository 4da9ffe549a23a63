/* SPDX-License-Identifier: MIT */
/* Writes an input to an output or, in parts, to several. */
#ifndef CONVERSION_H
#define CONVERSION_H

#include "convert.h"
#include "transform/cut.h"
#include "input/input.h"

struct conversion {
	struct convert_job convert; /* without out, part and progress */
	const char *path;           /* NULL or "-": standard output */
	bool force;
	enum when progress;
	uint64_t part_bytes; /* 0: one output */
	bool warn_size; /* estimate the size of JSON, and report a large one */
};

/* Sets `*to`, unless set, to the format by the suffix of the output's name,
 * before the input is opened. Errors: reported; returns an exit status. */
int conversion_find_format(const struct format **to, const char *path);

/* Sets `*to`, unless set, to the input's format. Errors: reported; returns an
 * exit status, EXIT_USAGE for a format that cannot be written. */
int conversion_check_format(
	const struct format **to, const struct input *input);

/*
 * Writes the input's events or profile. With `part_bytes`, `cut` must be one of
 * its sources, and several files of about that size are written:
 * NAME-0001.SUFFIX for a path of NAME.SUFFIX.
 *
 * Errors: reported; returns an exit status.
 */
int conversion_run(const struct conversion *conversion, struct input *input,
	struct cut *cut);

#endif
