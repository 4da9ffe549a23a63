/* SPDX-License-Identifier: MIT */
/*
 * A time window of another source, or the whole of it in consecutive parts.
 * Events with a duration are clipped: a range that is open at the start of a
 * window is reopened there with its arguments. A range that is open at its end
 * is closed there, unless the recording of its track ended earlier: then it
 * stays open. So the times in the parts add up to those of the whole.
 *
 * Memory: bounded by the ranges and activities open at one time.
 */
#ifndef CUT_H
#define CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct cut;

/*
 * Opens a source around `inner`, whose events must be in order of time across
 * all tracks. It is closed with this source and shares its trace. The initial
 * window is all time.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status cut_open(
	struct event_source *inner, struct cut **out, struct ctp_error *err);

/* The same object, as an event source. */
struct event_source *cut_source(struct cut *cut);

/* Limits the events to [from, until). Call it before the first event is
 * read. */
void cut_set_window(struct cut *cut, int64_t from_ns, int64_t until_ns);

/* Ends a part with CTP_END when time advances and is_full() returns true. */
void cut_set_limit(struct cut *cut, bool (*is_full)(void *user), void *user);

/* Call it after CTP_END: begins the next part; CTP_END if nothing is left.
 * Errors: those of the inner source. */
enum ctp_status cut_next_part(struct cut *cut, struct ctp_error *err);

/* Start of the part. */
int64_t cut_from_ns(const struct cut *cut);

#endif
