/* SPDX-License-Identifier: MIT */
/* The time of threads by one set of rules. For phases.c only. */
#ifndef PHASE_COUNT_H
#define PHASE_COUNT_H

#include <stdbool.h>

#include "trace/device_join.h"
#include "phases/phases.h"

struct phase_found;
struct phase_frame;
struct phase_level;

/* A thread while events come. */
struct phase_state {
	bool used; /* there was a range */
	int64_t last_ns;
	struct phase_frame *frames; /* open ranges, in the order of beginning */
	uint32_t depth;
	uint32_t room;
	uint32_t asyncs;            /* so many of the frames */
	struct phase_level *levels; /* by phase; NULL: none open yet */
	struct phase_times times;
};

struct phase_count {
	const struct trace *trace;
	const struct phase_rules *rules;
	uint32_t phase_count;
	/* By site: what ranges of it begin, and asynchronous ones. */
	struct phase_found *found[2];
	uint32_t found_room[2];
	struct phase_state *states; /* by track */
	uint32_t state_count;
	struct device_join *asyncs; /* tracks by name and id; NULL: none yet */
	struct phase_times times;
	uint64_t stray_ends;
	uint64_t open_ranges;
	uint64_t backward_times;
	uint64_t left_out;
};

/* False if out of memory; call phase_count_clear() in either case. */
bool phase_count_init(struct phase_count *count, const struct trace *trace,
	const struct phase_rules *rules);
void phase_count_clear(struct phase_count *count);

/* Each is false if out of memory. */
bool phase_count_add(struct phase_count *count, const struct event *event);
bool phase_count_add_profile(
	struct phase_count *count, const struct profile *profile);
void phase_count_finish(struct phase_count *count);

/* What the rules know of the time. */
uint64_t phase_count_known_ns(const struct phase_count *count);

#endif
