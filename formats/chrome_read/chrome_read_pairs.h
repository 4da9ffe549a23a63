/* SPDX-License-Identifier: MIT */
/*
 * Ranges of a Chrome trace that come as two events, a begin and an end, become
 * slices like all others, whose duration is known when they begin: only then
 * can be told what lies in what.
 */
#ifndef CHROME_READ_PAIRS_H
#define CHROME_READ_PAIRS_H

#include "extsort/extsort.h"
#include "trace/trace.h"
#include "chrome_read/chrome_read_record.h"

/*
 * Reads all records, in order of time, and has them sorted again: `*records` is
 * another sorter then, and the one before is freed. An end is that of the range
 * that is open innermost on its track, if one with its name is open there; else
 * it is counted. What is never ended stays a begin.
 *
 * Memory: all ranges that are open at a time, with their arguments.
 * Errors: those of the sorter; CTP_ERR_NOMEM.
 */
enum ctp_status chrome_read_pairs_match(struct extsort **records,
	struct trace *trace, const struct chrome_read_producer *producer,
	struct ctp_error *err);

#endif
