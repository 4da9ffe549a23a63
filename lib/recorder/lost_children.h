/* SPDX-License-Identifier: MIT */
/* Processes that were forked while recording and could not make a log of their
 * own, as where they have other rights by then: the log of the one that forked
 * them says how many. */
#ifndef LOST_CHILDREN_H
#define LOST_CHILDREN_H

#include <stdint.h>

/* A recording is about to begin, its background thread not there yet; the
 * session's lock is held, as for the next two. */
void lost_children_begin(void);

/* In a child after fork: what it may have to say is for the one that forked it,
 * or, where that does not record, for the one before. */
void lost_children_forked(void);

/* This process, which was forked, does not record. */
void lost_children_add(void);

/* How many said so of those that were forked since the recording began. */
uint32_t lost_children_count(void);

#endif
