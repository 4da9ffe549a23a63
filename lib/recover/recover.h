/* SPDX-License-Identifier: MIT */
/*
 * Completes the log of a dead recorder from its spool. This is the only part of
 * ctprof that both reads a log and appends to it.
 */
#ifndef RECOVER_H
#define RECOVER_H

#include "recover/spool_file.h"

struct recover_options {
	const char *log; /* NULL: the path in the spool */
	/* When the recorder died, by the counter and the clocks; NULL: unknown,
	 * so the time of the newest event is used. */
	const struct clock_sync *death;
};

struct recover_result {
	char log[SPOOL_PATH_BYTES]; /* "": nothing was recorded */
	uint64_t events;            /* recovered from the spool */
	uint64_t blocks;            /* written */
	bool was_complete;          /* only the spool had to be removed */
	bool is_cut; /* part of the log was lost before; the rest is in it */
};

/*
 * Completes the log and removes the spool, which is open and not busy. If
 * killed midway, it can be repeated: until the log is complete, only the part
 * of the log beyond the size in the spool changes.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_FORMAT (see recover_log_open() and
 * recover_log_scan()), CTP_ERR_UNSUPPORTED if the clock can no longer be
 * interpreted, CTP_ERR_NOMEM. The spool stays then.
 */
enum ctp_status recover_spool(struct spool_file *spool,
	const struct recover_options *options, struct recover_result *result,
	struct ctp_error *err);

#endif
