/* SPDX-License-Identifier: MIT */
/* The blocks around the events: the header, the clock's sync entries, the
 * end. */
#ifndef LOG_FRAME_H
#define LOG_FRAME_H

#include "base/clock.h"
#include "log/log_write.h"
#include "pack/spool.h"

/* Writes the header block from the spool's header, whose scale is known. */
enum ctp_status log_frame_header(struct log_writer *writer,
	const struct spool_header *spool, const char *spool_path,
	struct ctp_error *err);

/* Writes a sync entry. */
enum ctp_status log_frame_sync(struct log_writer *writer,
	const struct clock_scale *scale, const struct clock_sync *sync,
	struct ctp_error *err);

struct log_frame_totals {
	int64_t log_ns; /* when recording stopped */
	uint64_t events;
	uint64_t stalls;
	uint64_t stall_ns;
	uint64_t unrecorded; /* forked processes without a log */
	bool recovered; /* by another process, after the recorder's death */
	const char *stopped; /* why recording ended before the program; NULL: it
	                      * did not */
};

enum ctp_status log_frame_end(struct log_writer *writer,
	const struct log_frame_totals *totals, struct ctp_error *err);

#endif
