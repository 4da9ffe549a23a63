/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of an array in blocks, on several processors: each thread
 * parses blocks with tables of its own, and so does the caller's between events.
 * The caller gets all events in the order of the file, with the numbers of texts
 * that reading one by one assigns. Anything unusual, also the array's end, is
 * left to the caller.
 */
#ifndef CHROME_READ_AHEAD_H
#define CHROME_READ_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "chrome_read/chrome_read_json.h"
#include "json/json_scan.h"
#include "trace/trace.h"

struct chrome_read_ahead;

/* Whether to begin at this position, by trace->request.jobs. */
bool chrome_read_ahead_is_useful(const struct trace *trace, uint64_t position);

/*
 * Begins after an event of the scanner's innermost array. NULL if that is
 * impossible, or out of memory. Ownership: `json`, with its parts, and `scan` are
 * borrowed until chrome_read_ahead_free(); only json->scan may be used.
 */
struct chrome_read_ahead *chrome_read_ahead_new(
	struct json_scan *scan, struct chrome_read_json_reader *json);

/*
 * The next event, as from chrome_read_json_read(), with json->scan as the scanner
 * of its text. `*is_empty`: it is "{}". CTP_END: the scanner continues after the
 * event returned last. `*out` is borrowed until the next call.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status chrome_read_ahead_next(struct chrome_read_ahead *ahead,
	struct chrome_read_json **out, bool *is_empty, struct ctp_error *err);

/* Stops the threads; json->scan is again the scanner. */
void chrome_read_ahead_free(struct chrome_read_ahead *ahead);

#endif
