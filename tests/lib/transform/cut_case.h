/* SPDX-License-Identifier: MIT */
/* For tests of filters on a timeline: their input events, and their output. */
#ifndef CUT_CASE_H
#define CUT_CASE_H

#include "transform/cut.h"

#define TRACKS 3
#define SITES 5
#define EVENTS_MAX 4096

/* Gives the events of an array. */
struct cut_case_given {
	struct event_source source; /* first */
	struct event events[EVENTS_MAX];
	size_t count;
	size_t taken;
};
extern struct cut_case_given cut_case_given;

/* No events, on tracks 0 to 2 of process 1; sites are called "a" to "e". */
void cut_case_set_up(void);

struct event cut_case_make(
	enum event_kind kind, uint32_t track, uint32_t site, int64_t time_ns);
void cut_case_give(struct event event);
void cut_case_begin(uint32_t track, uint32_t site, int64_t time_ns);
void cut_case_end(uint32_t track, int64_t time_ns);
void cut_case_complete(
	uint32_t track, uint32_t site, int64_t time_ns, uint64_t dur_ns);
void cut_case_async(enum event_kind kind, uint32_t site, int64_t time_ns);

struct cut *cut_case_open_cut(void);

/* The output: a sign for each event, its site, time and length; valid until the
 * next call. */
const char *cut_case_text(struct event_source *source);

#endif
