/* SPDX-License-Identifier: MIT */
/*
 * A window of time of what another source gives; or all of it, in parts that
 * follow each other. Whatever lasts is clipped: what is open where a window
 * begins is opened anew there, with its arguments, and what is open at its end
 * is closed there, unless the recording of its track ended before: it is then
 * left open, as it was. So the times of what is in the parts, each taken as it
 * stands, add up to those of the whole.
 *
 * Memory: bounded by what is open, or runs, at one time.
 */
#ifndef CUT_H
#define CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

struct cut;

/*
 * Opens a source around `inner`, whose events must come in order of time, all
 * tracks together; it is closed with this one, and its trace is shared. At
 * first the window is all of the time.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status cut_open(
	struct event_source *inner, struct cut **out, struct ctp_error *err);

/* The source of the events; the same object. */
struct event_source *cut_source(struct cut *cut);

/* Only what is in [from, until). Before the first event is read. */
void cut_set_window(struct cut *cut, int64_t from_ns, int64_t until_ns);

/* Ends a part, with CTP_END, when time goes on and this says so. */
void cut_set_limit(struct cut *cut, bool (*is_full)(void *user), void *user);

/* After CTP_END: begins the next part; CTP_END if nothing is left. Errors: those
 * of the inner source. */
enum ctp_status cut_next_part(struct cut *cut, struct ctp_error *err);

/* Where the part begins. */
int64_t cut_from_ns(const struct cut *cut);

#endif
