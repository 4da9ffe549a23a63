/* SPDX-License-Identifier: MIT */
/* Collects all sections that are made from events, in one pass over an input. */
#ifndef SUMMARY_COLLECT_H
#define SUMMARY_COLLECT_H

#include "summary/summary.h"

struct event;
struct phase_sets;
struct phases;
struct summary_collect;

struct summary_collect_options {
	const char *section; /* collect only this one; NULL: all */
	bool has_profile;    /* the caller replays the events */
	/* Borrowed until summary_collect_free(). NULL: the built-in ones. */
	const struct phase_sets *phases;
};

/* Limit of the arguments of events that sections need. */
#define SUMMARY_ARGS_MAX 64

/* Fills a list for read_request.kept_args, for only one section unless it is
 * NULL. */
void summary_collect_args(
	const char *args[SUMMARY_ARGS_MAX], const char *section);

/* Begins an input, whose trace is borrowed. NULL if out of memory. */
struct summary_collect *summary_collect_new(
	struct trace *trace, const struct summary_collect_options *options);
void summary_collect_free(
	struct summary_collect *collect); /* NULL is allowed */

/* Errors: those of the sections' collectors. */
enum ctp_status summary_collect_add(struct summary_collect *collect,
	const struct event *event, struct ctp_error *err);

/* Adds the input to the sums, once it was read. `profile` is the caller's, or
 * NULL. Errors: likewise. */
enum ctp_status summary_collect_finish(struct summary_collect *collect,
	struct summary *summary, const struct summary_input *input,
	const struct profile *profile, struct ctp_error *err);

/* After that: its phases, borrowed; NULL if no section needs them. */
const struct phases *summary_collect_phases(
	const struct summary_collect *collect);

#endif
