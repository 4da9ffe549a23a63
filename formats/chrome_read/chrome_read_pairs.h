/* SPDX-License-Identifier: MIT */
/*
 * Converts ranges of a Chrome trace that are two events, a begin and an end, to
 * slices with a duration, because nesting can be determined only from
 * durations.
 */
#ifndef CHROME_READ_PAIRS_H
#define CHROME_READ_PAIRS_H

#include "extsort/extsort.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_record.h"

/*
 * Reads all records, in order of time, and sorts them again: `*records` becomes
 * a new sorter, and the old one is freed. An end closes the innermost open
 * range of its track, if a range with its name is open there; otherwise it is
 * counted. A range that never ends stays a begin.
 *
 * Memory: the ranges open at the same time, with their arguments. Errors: those
 * of the sorter; CTP_ERR_NOMEM.
 */
enum ctp_status chrome_read_pairs_match(struct extsort **records,
	struct trace *trace, const struct chrome_read_producer *producer,
	struct ctp_error *err);

#endif
