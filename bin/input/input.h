/* SPDX-License-Identifier: MIT */
/* An input: opened by path or "-", with its format detected from the
 * content. */
#ifndef INPUT_H
#define INPUT_H

#include "cli/progress.h"
#include "input/inputs.h"
#include "input_file.h"

struct input {
	const char *name; /* for messages; borrowed */
	struct input_file file;
	struct progress progress; /* of reading; off at first */
};

/*
 * Opens an input with the options in `inputs`, which may include its format.
 *
 * Errors: reported; returns an exit status.
 * Ownership: `path` is borrowed until input_close(). Call that only after
 * success, and do not move the input before.
 */
int input_open(
	struct input *input, const char *path, const struct inputs *inputs);

/* The same for an input whose bytes are at another path than its name, such as
 * a copy. */
int input_open_as(struct input *input, const char *name, const char *path,
	const struct inputs *inputs);

/* The same, but prints nothing. Errors: those of input_file_open(). */
enum ctp_status input_try_open(struct input *input, const char *path,
	const struct inputs *inputs, struct ctp_error *err);

/* Reports why input_try_open() failed. Returns an exit status. */
int input_diag_unopened(const struct input *input, const struct ctp_error *err);

/* Shows the progress of reading until progress_hide() of `input->progress`. */
void input_start_progress(struct input *input, enum when when);

/* Shows this position; `input` is a struct input: see convert_job.progress. */
void input_update_progress(void *input, uint64_t position);

/* Whether it is an unfinished log whose missing part is in a spool. */
bool input_has_spool(const struct input *input);
#define INPUT_HAS_SPOOL \
	"is still being recorded, or its program was killed; 'ctprof repair' " \
	"completes it"

/*
 * Reports losses, unless quiet, and closes the input with its trace.
 *
 * Errors: returns EXIT_DAMAGED for losses with --strict.
 */
int input_close(struct input *input, const struct inputs *inputs);

/* Reports why reading the input, or writing to `output`, failed. Returns an
 * exit status. */
int input_diag_error(const struct input *input, const char *output,
	const struct ctp_error *err);

/* The name of a path in messages. */
const char *input_name(const char *path);

#endif
