/* SPDX-License-Identifier: MIT */
/* Recording calls that other files of the recorder make. */
#ifndef RECORD_H
#define RECORD_H

#include "recorder/thread.h"

/* The site's number, assigned now if new. May lock. */
uint32_t record_site(struct ctp_site *site);

/* Room for `words` words; NULL if there is none, or if pending events must be
 * recorded first. Between thread_enter() and thread_leave(). */
uint64_t *record_reserve(struct thread *thread, size_t words);

/* Begin a range; end the innermost one. `ticks` is the time, 0 for now;
 * returned. Between thread_enter() and thread_leave(). */
uint64_t record_begin(struct thread *thread, uint32_t site, uint64_t ticks);
uint64_t record_end(struct thread *thread, uint64_t ticks);

/* Marks the innermost open range as the device API call of this id. */
void record_correlation(struct thread *thread, uint32_t id);

/* Records that the global step advanced by `advance` to `step`. */
void record_step(struct ctp_site *requester, int64_t step, int64_t advance);

#endif
