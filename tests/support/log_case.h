/* SPDX-License-Identifier: MIT */
/* The small log, whole and in pieces, for the tests of logs that are not as
 * they should be. */
#ifndef LOG_CASE_H
#define LOG_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "log_text.h"

extern struct buffer log_case_small;   /* log_maker_add_small() */
extern struct buffer log_case_made;    /* the log that a test puts together */
extern struct log_text log_case_whole; /* of `log_case_small` */
extern struct log_text log_case_text;  /* what was read last */

/* Before and after each test. */
void log_case_set_up(void);
void log_case_tear_down(void);

/* Reads the log that was made into `log_case_text`, and begins another. */
void log_case_read_made(void);

/* Appends the members from `from` up to, not with, `to` of the small log. */
void log_case_copy_members(size_t from, size_t to);

/* What is left when one member is damaged: the events of the log without it;
 * free with free(). */
char *log_case_without(size_t member);

/* How many of these `log_case_text` has lost. */
uint64_t log_case_lost(const char *name);

#endif
