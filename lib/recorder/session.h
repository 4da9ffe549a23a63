/* SPDX-License-Identifier: MIT */
/* One recording from start to stop: its options, its spool, its log. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "pack/options.h"

/*
 * The number of the recording that is on; 0 if none. In a child after fork,
 * whose recording is due but not begun, this begins it: most children call
 * exec before they record anything.
 */
uint64_t session_current(void);

/* Is this the number of the recording that is on, or about to be? Begins none.
 */
bool session_is(uint64_t number);

/* False in a copy of the process that fork() did not make, but clone() itself:
 * what is shared with the other is that one's, and nobody packs for this one. */
bool session_is_own(void);

bool session_uses_tsc(void);
struct spool *session_spool(void);

/* The log's path; of a long one the end, so that words beside it fit. */
const char *session_log(void);
const struct session_options *session_options(void);

/* A chunk by the policy, without waiting; NULL if there is none. */
struct chunk *session_take_chunk(void);

/* Is waiting for a chunk allowed, and of any use? */
bool session_may_wait(void);

/* Waits a moment for a chunk; NULL if none came. */
struct chunk *session_wait_chunk(void);

/* For the background thread: recording is over, since the log cannot be
 * written. */
void session_fail(const struct ctp_error *err);

#endif
