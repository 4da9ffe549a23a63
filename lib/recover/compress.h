/* SPDX-License-Identifier: MIT */
/* Compresses a log that was recorded with level 0. */
#ifndef COMPRESS_H
#define COMPRESS_H

#include <stdint.h>

#include "base/error.h"

/*
 * Writes the log to `out`: stored blocks as the recorder packs them with level
 * 1, to the byte; all other bytes unchanged, also damaged ones. `blocks` is the
 * number of those that became smaller. Both descriptors are borrowed.
 *
 * Errors: CTP_ERR_IO, with an offset if the log cannot be read;
 * CTP_ERR_FORMAT if it has no block; CTP_ERR_NOMEM.
 */
enum ctp_status compress_log(
	int in, int out, uint64_t *blocks, struct ctp_error *err);

#endif
