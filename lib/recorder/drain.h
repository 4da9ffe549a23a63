/* SPDX-License-Identifier: MIT */
/* The background thread: packs full chunks into blocks of the log. */
#ifndef DRAIN_H
#define DRAIN_H

#include "base/error.h"
#include "pack/pack.h"
#include "recorder/session.h"

/*
 * Starts it on a spool and an open log, whose descriptor it takes over and
 * which it truncates to what it wrote whole if the disk is full.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO.
 */
enum ctp_status drain_start(struct spool *spool, int fd,
	const struct session_options *options, const struct clock_sync *start,
	struct ctp_error *err);

/* Packs everything recorded so far, and returns when it is in the log. */
enum ctp_status drain_flush(struct ctp_error *err);

/* Packs the rest, ends the log, ends the thread. Recording has stopped. */
enum ctp_status drain_stop(struct ctp_error *err);

/* What packs the chunks; NULL: nothing has been packed. Between drain_pause()
 * and drain_resume(). */
const struct packer *drain_packer(void);

/*
 * Around fork(): the background thread is between two rounds, so that it holds
 * no lock of the allocator that the child would find locked for ever.
 * drain_forget() is for the child, where there is no background thread.
 */
void drain_pause(void);
void drain_resume(void);
void drain_forget(void);

#endif
