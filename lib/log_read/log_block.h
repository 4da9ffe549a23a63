/* SPDX-License-Identifier: MIT */
/* How each kind of block changes the reader's state of a recording. */
#ifndef LOG_BLOCK_H
#define LOG_BLOCK_H

#include "log_read/log_recording.h"

/*
 * Applies a block. An event block is then in recording->events. An invalid
 * block is counted and changes nothing.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED.
 */
enum ctp_status log_block_parse(struct log_recording *recording,
	struct cursor block, struct ctp_error *err);

#endif
