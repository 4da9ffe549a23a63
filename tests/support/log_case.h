/* SPDX-License-Identifier: MIT */
/* The small log, whole and in pieces, for tests of damaged logs. */
#ifndef LOG_CASE_H
#define LOG_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "log_text.h"

extern struct buffer log_case_small;   /* log_maker_add_small() */
extern struct buffer log_case_made;    /* the log that a test assembles */
extern struct log_text log_case_whole; /* of `log_case_small` */
extern struct log_text log_case_text;  /* the result of the last read */

/* Before and after each test. */
void log_case_set_up(void);
void log_case_tear_down(void);

/* Reads the log in `log_case_text`, and starts a new one. */
void log_case_read_made(void);

/* Appends the small log's members from `from` up to, but without, `to`. */
void log_case_copy_members(size_t from, size_t to);

/* The expected result if one member is damaged: the events of the log without
 * it; free with free(). */
char *log_case_without(size_t member);

/* The number of these losses in `log_case_text`. */
uint64_t log_case_lost(const char *name);

#endif
