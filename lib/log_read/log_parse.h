/* SPDX-License-Identifier: MIT */
/* Applies the blocks of a log, of any kind, to its recording. */
#ifndef LOG_PARSE_H
#define LOG_PARSE_H

#include "log_read/log_events.h"
#include "log_read/log_recording.h"

/* The error of a log without a sound block. */
#define LOG_PARSE_NO_BLOCK "contains no complete block of a log"

/*
 * Applies a block. Its events are then in `events`, its activities in
 * recording->device; both may be empty. An invalid block is counted and changes
 * nothing.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED.
 */
enum ctp_status log_parse_block(struct log_recording *recording,
	struct cursor block, struct log_events *events, struct ctp_error *err);

#endif
