/* SPDX-License-Identifier: MIT */
/* The file that a recording is written to. */
#ifndef LOG_FILE_H
#define LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Makes the log `path`, empty. Makes a new one beside it, with the process's
 * number in its name, where another recorder writes to it, if it exists and
 * `exclusive` is set, or if it is a forked `child`'s. `name`,
 * OPTIONS_PATH_BYTES long, is filled with the name it came to have. A symbolic
 * link is not followed, and another user's file is not written to.
 *
 * Errors: -1, CTP_ERR_IO.
 */
int log_file_make(const char *path, bool exclusive, bool child, char *name,
	struct ctp_error *err);

/* `path`, absolute, for those who look for it from elsewhere. */
void log_file_absolute(char *out, size_t size, const char *path);

#endif
