/* SPDX-License-Identifier: MIT */
/* Words for people: one line each, on stderr, after "ctprof: ". */
#ifndef SAY_H
#define SAY_H

#include "base/error.h"

/* Says one line. What a terminal would not show as it stands is replaced. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says that there is no memory, or no more of it than --max-mem allows. `name`
 * is what it was wanted for; it may be NULL. */
void say_no_memory(const char *name);

/* "FILE: byte 123456: what is wrong"; `name` may be NULL. */
void say_error(const char *name, const struct ctp_error *err);

#endif
