/* SPDX-License-Identifier: MIT */
/*
 * Where the time of threads went, by phase of what they did, such as compiling.
 * A range begins the phase that a rule has for it, and all that is inside
 * belongs to that until a range inside begins another. So self times of the
 * phases, of what is in none, and of when the thread was in no range at all,
 * add up to each thread's time, exactly.
 */
#ifndef PHASES_H
#define PHASES_H

#include <stdint.h>

#include "trace/event.h"
#include "phases/phase_rules.h"
#include "profile/profile.h"

struct phase_sum {
	uint64_t count;    /* ranges that begin the phase */
	uint64_t self_ns;  /* without phases inside */
	uint64_t total_ns; /* with them; what is in a recursion counts once */
};

/* Of one thread or of many: the time in each phase, in ranges of no phase
 * (unknown) and in no range (idle), of which `wall_ns` is the sum. */
struct phase_times {
	uint64_t wall_ns; /* from the first range's begin to the last's end */
	/* phase_rules_count() of them, or NULL where all would be zero. */
	struct phase_sum *phases;
	uint64_t unknown_ns;
	uint64_t idle_ns;
};

/* Adds the times of so many phases, and the rest. */
void phase_times_add(struct phase_times *to, const struct phase_times *from,
	uint32_t phases);

struct phase_thread {
	uint32_t track;
	struct phase_times times;
};

struct phases;

/* By those of these rules that know most of the time. Both are borrowed until
 * phases_free(). NULL if out of memory. */
struct phases *phases_new(
	const struct trace *trace, const struct phase_sets *sets);
void phases_free(struct phases *phases);

/*
 * Takes one event. Only threads have phases; of ranges only those count that
 * nest, and the asynchronous ones that rules ask for. Memory: names, tracks,
 * open ranges.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status phases_add(struct phases *phases, const struct event *event,
	struct ctp_error *err);

/*
 * In place of events, what is known of a profile: where it has calling
 * contexts, the same; else each function's own time is in its own phase, if a
 * rule has one for it, and that of no other.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status phases_add_profile(struct phases *phases,
	const struct profile *profile, struct ctp_error *err);

/* After the last event, once: closes what is open. Errors: CTP_ERR_NOMEM. */
enum ctp_status phases_finish(struct phases *phases, struct ctp_error *err);

/* After that, which of the rules it was, by their number among the sets; of
 * several PHASE_NONE if none know any of the time. */
uint32_t phases_set(const struct phases *phases);
/* What follows is borrowed until phases_free(). */
/* Of all threads. */
const struct phase_times *phases_times(const struct phases *phases);
/* Of each, in the order of tracks; a profile has none. */
const struct phase_thread *phases_threads(
	const struct phases *phases, uint32_t *count);

/* Adds what was wrong with events - ends without a begin, ranges left open,
 * times that go back, ranges that are left out - to the trace's losses. */
void phases_count_losses(const struct phases *phases, struct trace *trace);

#endif
