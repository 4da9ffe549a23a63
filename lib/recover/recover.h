/* SPDX-License-Identifier: MIT */
/*
 * Completes the log of a recorder that died, from the spool that it left. It
 * is the one part of ctprof that both reads what a log holds and writes on.
 */
#ifndef RECOVER_H
#define RECOVER_H

#include "recover/spool_file.h"

struct recover_options {
	const char *log; /* NULL: where the spool says */
	/* When the recorder died, by the counter and the clocks; NULL: not
	 * known, and the newest event counts. */
	const struct clock_sync *death;
};

struct recover_result {
	char log[SPOOL_PATH_BYTES]; /* "": nothing was recorded, or to come */
	uint64_t events;            /* taken from the spool */
	uint64_t blocks;            /* written */
	bool was_complete;          /* only the spool had to go */
	bool is_cut; /* what the log had once is gone, the rest is in it */
};

/*
 * Completes the log and removes the spool, which is open and not busy. Killed
 * halfway, it can be done again: until the log is complete nothing changes but
 * what is in the log beyond the size that the spool knows.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_FORMAT (see recover_log_open() and
 * recover_log_scan()), CTP_ERR_UNSUPPORTED if the clock cannot be made sense
 * of any more, CTP_ERR_NOMEM. The spool stays then.
 */
enum ctp_status recover_spool(struct spool_file *spool,
	const struct recover_options *options, struct recover_result *result,
	struct ctp_error *err);

#endif
