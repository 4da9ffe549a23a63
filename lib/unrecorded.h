/* SPDX-License-Identifier: MIT */
/* Processes that were forked while recording and could not make a log of their
 * own, as where they have other rights by then: the log of the one that forked
 * them says how many. */
#ifndef UNRECORDED_H
#define UNRECORDED_H

#include <stdint.h>

/* A recording begins; the session's lock is held, as for the next. */
void unrecorded_begin(void);

/* This process, which was forked, does not record. */
void unrecorded_add(void);

/* How many said so of those that were forked since the recording began. */
uint32_t unrecorded_count(void);

#endif
