/* SPDX-License-Identifier: MIT */
/* The background thread: packs full chunks into blocks of the log. */
#ifndef WRITER_THREAD_H
#define WRITER_THREAD_H

#include "base/error.h"
#include "pack/pack.h"
#include "pack/window.h"
#include "recorder/session_state.h"

/*
 * Starts it on a spool and an open log. It takes over the descriptor, and
 * truncates the log to the last whole block if the disk is full.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO.
 */
enum ctp_status writer_thread_start(struct spool *spool, int fd,
	const struct session_options *options, const struct clock_sync *start,
	struct ctp_error *err);

/* Packs everything recorded so far, and returns when it is in the log. */
enum ctp_status writer_thread_flush(struct ctp_error *err);

/* Packs the rest, ends the log, ends the thread. Recording has stopped. */
enum ctp_status writer_thread_stop(struct ctp_error *err);

/* After an error: ranges and events that are neither in the log nor in a chunk. */
struct packer_lost writer_thread_unwritten(void);

/* The packer of the chunks; NULL if nothing was packed. Between
 * writer_thread_pause() and writer_thread_resume(). */
const struct packer *writer_thread_packer(void);

/* The window of the last events, likewise; NULL: all are kept. */
const struct window *writer_thread_window(void);

/*
 * Around fork(): the background thread waits between two rounds, so that it
 * does not hold a lock of the allocator, which would stay locked in the child.
 * The child calls writer_thread_forget(), because it has no background thread.
 */
void writer_thread_pause(void);
void writer_thread_resume(void);
void writer_thread_forget(void);

#endif
