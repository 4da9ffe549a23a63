/* SPDX-License-Identifier: MIT */
/* A stream of the contents of a UTF-16 file as UTF-8: PowerShell's ">" writes
 * such files. */
#ifndef UTF16_FILE_H
#define UTF16_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* Does a file begin with UTF-16's byte order mark? */
bool utf16_file_probe(const void *head, size_t size);

/*
 * Opens the stream. `head` has the first bytes, already read from `in`.
 * Surrogates without their other half, and half a character at the end, become
 * U+FFFD.
 *
 * Errors: CTP_ERR_NOMEM. A read error of `in` is one of the stream.
 * Ownership: `in` is borrowed until the stream's fclose(), `head` only for this
 * call.
 */
enum ctp_status utf16_file_open(FILE **out, FILE *in, const void *head,
	size_t head_size, struct ctp_error *err);

#endif
