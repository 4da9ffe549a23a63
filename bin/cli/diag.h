/* SPDX-License-Identifier: MIT */
/* Diagnostics for people: one line each, on stderr, after "ctprof: ". */
#ifndef DIAG_H
#define DIAG_H

#include "base/error.h"

/* Prints one line. Characters that a terminal would obey are escaped. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports that there is no memory, or no more of it than --max-mem allows. `name`
 * is what it was wanted for; it may be NULL. Returns EXIT_LIMIT. */
int diag_no_memory(const char *name);

/* "FILE: byte 123456: what is wrong"; `name` may be NULL. */
void diag_error(const char *name, const struct ctp_error *err);

#endif
