/* SPDX-License-Identifier: MIT */
/* One input: opened by path or "-", told by its content, closed again. */
#ifndef INPUT_H
#define INPUT_H

#include "cli/progress.h"
#include "input/inputs.h"
#include "input_file.h"

struct input {
	const char *name; /* for messages; borrowed */
	struct input_file file;
	struct progress progress; /* of reading it; off at first */
};

/*
 * Opens an input as `inputs` say (its format may be given there).
 *
 * Errors: said; returns an exit status.
 * Ownership: `path` is borrowed until input_close(), which is only due after
 * success. The input stays where it is until then.
 */
int input_open(
	struct input *input, const char *path, const struct inputs *inputs);

/* The same for an input whose bytes lie at another path than its name, as a
 * copy's do. */
int input_open_as(struct input *input, const char *name, const char *path,
	const struct inputs *inputs);

/* The same, but prints nothing. Errors: those of input_file_open(). */
enum ctp_status input_try_open(struct input *input, const char *path,
	const struct inputs *inputs, struct ctp_error *err);

/* Shows how much of the input has been read, until progress_hide() of
 * `input->progress`. */
void input_start_progress(struct input *input, enum when when);

/* The same at this position; `input` is a struct input: see convert_job.progress.
 */
void input_update_progress(void *input, uint64_t position);

/* Is it a log whose recorder has not brought it to its end, but has left what
 * is missing? */
bool input_has_spool(const struct input *input);
#define INPUT_HAS_SPOOL \
	"is still being recorded, or its program was killed; 'ctprof repair' " \
	"completes it"

/*
 * Says what was lost, unless it is to be quiet, and closes. `trace` is gone
 * then.
 *
 * Errors: returns EXIT_DAMAGED if something was lost and that matters.
 */
int input_close(struct input *input, const struct inputs *inputs);

/* Says why reading failed, or writing what was read; `output` is the name for
 * the latter. Returns an exit status. */
int input_diag_error(const struct input *input, const char *output,
	const struct ctp_error *err);

/* The name that messages use for this path. */
const char *input_name(const char *path);

#endif
