/* SPDX-License-Identifier: MIT */
/*
 * The recording that is on: its number, its options, its spool, its log, and
 * why it stopped. session.c starts and stops it; all others only ask.
 */
#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pack/options.h"
#include "pack/spool.h"

/* Written by session.c only, under its lock. */
extern struct session_state {
	_Atomic uint64_t current; /* number of the recording that is on */
	_Atomic uint64_t open;    /* the same, and already while it begins */
	bool tsc;
	struct spool spool;
	struct session_options options;
	char path[OPTIONS_PATH_BYTES]; /* of the log, as it came to be */
} session_state;

/*
 * The number of the recording that is on; 0 if none. In a child after fork,
 * whose recording is due but not begun, this begins it: most children call
 * exec before they record anything. It is in session.c, which stands on all
 * the rest.
 */
uint64_t session_current(void);

/* Is this the number of the recording that is on, or about to be? Begins none.
 */
bool session_is(uint64_t number);

/* False in a copy of the process that fork() did not make, but clone() itself:
 * what is shared with the other is that one's, and nobody packs for this one. */
bool session_is_own(void);

/* Makes it true of this process. */
void session_mark_own(void);

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

/* For those who find the spool, and in it what is not in the log. */
void session_publish_reason(void);

/*
 * The reason why recording stopped early, if it did. The background thread says
 * so while others hold the session's lock and wait for it. `err` is the reason;
 * one with CTP_OK is none. Any thread.
 */
void session_set_reason(const struct ctp_error *err);

/* Fills `out` with the reason, and how many events were `lost`; "" and false
 * if there is none. Any thread. */
bool session_describe_reason(char *out, size_t size, uint64_t lost);

/* In a child after fork: who was setting it may be gone. */
void session_forget_reason(void);

/*
 * Processes that were forked while recording and could not make a log of their
 * own, as where they have other rights by then: the log of the process that
 * forked them has their number. The session's lock is held in the first three.
 *
 * The first is called when a recording is about to begin, without its background
 * thread.
 */
void session_children_begin(void);

/* In a child after fork: its loss is counted by the process that forked it, or,
 * where that does not record, by the one before. */
void session_children_forked(void);

/* This process, which was forked, does not record. */
void session_children_lose(void);

/* The number of those that were forked since the recording began. */
uint32_t session_children_lost(void);

#endif
