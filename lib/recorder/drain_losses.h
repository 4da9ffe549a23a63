/* SPDX-License-Identifier: MIT */
/* What threads have lost, and how long they waited, at a recording's end. */
#ifndef DRAIN_LOSSES_H
#define DRAIN_LOSSES_H

#include "pack/log_frame.h"
#include "pack/pack.h"
#include "pack/spool.h"

/*
 * Writes what each thread has lost, and all that is packed; adds to the totals
 * how often, and how long, threads waited. For the thread that writes the log.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_IO.
 */
enum ctp_status drain_losses(struct packer *packer,
	struct log_frame_totals *totals, struct ctp_error *err);

/* For whoever completes the log: how many forked processes have none so far. */
void drain_note_unrecorded(struct spool_header *header);

#endif
