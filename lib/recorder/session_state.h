/* SPDX-License-Identifier: MIT */
/*
 * The current recording: its number, options, spool and log, and why it
 * stopped. session.c starts and stops it; all others only read it.
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
	_Atomic uint64_t current; /* number of the current recording */
	_Atomic uint64_t open;    /* the same, set earlier, while it begins */
	bool tsc;
	struct spool spool;
	struct session_options options;
	char path[OPTIONS_PATH_BYTES]; /* actual path of the log */
} session_state;

/*
 * The number of the current recording; 0 if none. In a child after fork, whose
 * recording is only due, this begins it: most children call exec before they
 * record anything. It is in session.c, on top of all other files.
 */
uint64_t session_current(void);

/* Whether this is the number of the current recording, or of one about to
 * begin. Begins none. */
bool session_is(uint64_t number);

/* False in a copy of the process made by clone() rather than fork(): shared
 * data belongs to the original, and no thread packs for this one. */
bool session_is_own(void);

/* Makes it true for this process. */
void session_mark_own(void);

bool session_uses_tsc(void);
struct spool *session_spool(void);

/* The log's path; only the end of a long one, to leave room in messages. */
const char *session_log(void);
const struct session_options *session_options(void);

/* Takes a chunk with room for `words` words, by the policy and without waiting.
 * Chunks are smaller while many threads have one. NULL: all are in use. */
struct chunk *session_pop_chunk(size_t words);

/* Whether the last one may find a chunk, in a few instructions. */
bool session_may_pop(void);

/* Whether waiting for a chunk is allowed and useful. */
bool session_may_wait(void);

/* Waits briefly for a chunk; NULL if there is none. */
struct chunk *session_wait_chunk(size_t words);

/* Takes memory from idle threads if it becomes scarce. Regularly, by the
 * background thread. */
void session_reclaim(void);

/* Returns a chunk, whose records are in the log. */
void session_return_chunk(struct chunk *chunk);

/* For the background thread: the log cannot be written. From now on threads get
 * no more chunks, and count what they drop. */
void session_fail(const struct ctp_error *err);
bool session_has_failed(void);

/* For the next recording, or a child after fork. */
void session_forget_failure(void);

/* Writes the reason to the spool, for its recovery. */
void session_publish_reason(void);

/*
 * The reason why recording stopped early, if it did. The background thread sets
 * it while others hold the session's lock and wait for it. `err` is the reason;
 * CTP_OK clears it. Any thread.
 */
void session_set_reason(const struct ctp_error *err);

/* Prints once per process why it is not recorded, if CTPROF_VERBOSE=1. */
void session_print_reason(const struct ctp_error *err);

/* Fills `out` with the reason and the number of `lost` events; "" and false if
 * there is no reason. Any thread. */
bool session_describe_reason(char *out, size_t size, uint64_t lost);

/* In a child after fork: the thread that was setting it may be gone. */
void session_forget_reason(void);

/*
 * Processes that were forked while recording and could not make a log of their
 * own, for example because they had changed their user; their number is in the
 * log of the process that forked them. The session's lock is held in the first
 * three.
 *
 * The first is called when a recording is about to begin, without its
 * background thread.
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
