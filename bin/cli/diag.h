/* SPDX-License-Identifier: MIT */
/* Diagnostics for people: one line each, on stderr, after "ctprof: ". */
#ifndef DIAG_H
#define DIAG_H

#include "base/buffer.h"
#include "base/error.h"

/* Prints one line. Control characters are escaped. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on, collects the calling thread's lines instead, for
 * diag_print_lines(); NULL: prints them again. Returns the buffer before.
 * Ownership: borrowed. */
struct buffer *diag_collect(struct buffer *lines);

/* Prints, or in turn collects, and frees collected lines. */
void diag_print_lines(struct buffer *lines);

/* Reports that memory, or the limit of --max-mem, is exhausted. `name` is the
 * input or output; it may be NULL. Returns EXIT_LIMIT. */
int diag_no_memory(const char *name);

/* "FILE: byte 123456: what is wrong"; `name` may be NULL. */
void diag_error(const char *name, const struct ctp_error *err);

#endif
