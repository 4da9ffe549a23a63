/* SPDX-License-Identifier: MIT */
/*
 * The sums of some of the inputs as bytes, for another process or for a later
 * one.
 */
#ifndef PART_SUMS_H
#define PART_SUMS_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "summary/summary.h"

/* A file of the list of inputs. */
struct part_file {
	size_t number;
	bool is_not_trace;
};

struct part_sums {
	uint64_t status; /* exit status of reading, up to 255 */
	bool refused;    /* inputs are summaries that do not go together */
	struct part_file *files;
	size_t file_count;
	struct summary *summary; /* with the parts of its inputs */
};

/* Appends the sums. Errors: CTP_ERR_NOMEM, CTP_ERR_LIMIT. */
enum ctp_status part_sums_write(const struct part_sums *part,
	struct buffer *out, struct ctp_error *err);

/*
 * Reads bytes from anywhere. Numbers of files are below `file_count`.
 *
 * Errors: CTP_ERR_FORMAT, CTP_ERR_UNSUPPORTED, CTP_ERR_NOMEM.
 * Ownership: call part_sums_clear() in any case.
 */
enum ctp_status part_sums_read(struct part_sums *part, struct cursor bytes,
	size_t file_count, struct ctp_error *err);
void part_sums_clear(struct part_sums *part);

#endif
