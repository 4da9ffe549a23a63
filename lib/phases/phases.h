/* SPDX-License-Identifier: MIT */
/*
 * The time of threads by phase of their work, such as compiling. A range begins
 * the phase that a rule assigns to it, and everything inside belongs to that
 * phase until a range inside begins another. So the self times of the phases,
 * the time in ranges without a phase, and the time outside of ranges add up
 * exactly to each thread's time.
 */
#ifndef PHASES_H
#define PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "phases/phase_rules.h"
#include "profile/profile.h"

struct phase_sum {
	uint64_t count;    /* ranges that begin the phase */
	uint64_t self_ns;  /* without phases inside */
	uint64_t total_ns; /* with them; recursion counts once */
};

/* For one or more threads: the time in each phase, in ranges without a phase
 * (unknown) and outside of ranges (idle); `wall_ns` is their sum. */
struct phase_times {
	uint64_t wall_ns; /* from the first range's begin to the last one's
			   * end */
	/* phase_rules_count() items; NULL if all are zero. */
	struct phase_sum *phases;
	uint64_t unknown_ns;
	uint64_t idle_ns;
	/* They are of a profile without call paths: phases have only the own
	 * time of functions that rules name. */
	bool flat;
};

void phase_sum_add(struct phase_sum *to, const struct phase_sum *from);

struct phase_thread {
	uint32_t track;
	struct phase_times times;
};

struct phases;

/* Uses the set of rules that covers most of the time. Both are borrowed until
 * phases_free(). NULL if out of memory. */
struct phases *phases_new(
	const struct trace *trace, const struct phase_sets *sets);
void phases_free(struct phases *phases);

/*
 * Adds an event. Only threads have phases; only nested ranges count, and
 * asynchronous ones with a rule. Memory: names, tracks, open ranges.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status phases_add(struct phases *phases, const struct event *event,
	struct ctp_error *err);

/*
 * Adds a profile instead of events: its calling contexts count like ranges.
 * Without them each function's self time counts for the phase that a rule
 * assigns to the function itself.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status phases_add_profile(struct phases *phases,
	const struct profile *profile, struct ctp_error *err);

/* Call it once, after the last event: closes the open ranges. Errors:
 * CTP_ERR_NOMEM. */
enum ctp_status phases_finish(struct phases *phases, struct ctp_error *err);

/* After phases_finish(): the number of the set used; PHASE_NONE if there are
 * several and none covers any time. */
uint32_t phases_set(const struct phases *phases);
/* Its rules; NULL likewise. */
const struct phase_rules *phases_rules(const struct phases *phases);
/* The following results are borrowed until phases_free(). */
/* Sum over all threads. */
const struct phase_times *phases_times(const struct phases *phases);
/* Per thread, in the order of tracks; a profile has no threads. */
const struct phase_thread *phases_threads(
	const struct phases *phases, uint32_t *count);

/* Adds the problems of events: ends without a begin, ranges left open, times
 * that go back, ignored ranges. */
void phases_count_losses(
	const struct phases *phases, uint64_t losses[LOSS_KINDS]);

#endif
