/* SPDX-License-Identifier: MIT */
/*
 * Device activities in a host profile: the contexts that launched them, their
 * functions, and the device time below each host function.
 */
#ifndef DEVICE_CALLS_H
#define DEVICE_CALLS_H

#include <stdbool.h>

#include "profile/profile.h"
#include "trace/correlation.h"
#include "trace/event.h"

struct device_hint;

struct device_calls {
	struct trace *trace; /* borrowed */
	uint64_t *losses;    /* by kind: those of the trace, or others */
	/* NULL until needed. */
	struct correlation *launches; /* to the launching context */
	struct correlation *captures; /* graph node to capturing function */
	struct device_hint *hints;
	uint32_t *files; /* by track: number in trace->text; 0: none */
	uint32_t file_room;
	uint32_t capture_key; /* strtab number of CAPTURE_KEY */
};

/* `trace` is borrowed until device_calls_clear(). False if out of memory. */
bool device_calls_init(struct device_calls *calls, struct trace *trace);
void device_calls_clear(struct device_calls *calls);

/* Adds a launch and its context, a node of the profile's tree. False if out of
 * memory. */
bool device_calls_add_launch(struct device_calls *calls,
	const struct event *event, uint32_t context);

/* Whether the arguments link their range to graph nodes that it captured. */
bool device_calls_is_capture(
	const struct device_calls *calls, const struct event *event);

/* Links the function to those nodes. False if out of memory. */
bool device_calls_add_captures(struct device_calls *calls,
	const struct event *event, uint32_t function);

/* Finds or makes the function that an activity is a call of; PROFILE_NONE: it
 * is not work. Errors: CTP_ERR_NOMEM. */
enum ctp_status device_calls_find(struct device_calls *calls,
	struct profile *profile, const struct event *event, uint32_t *function);

/* Returns the context that launched an activity; 0, counted as a loss, if
 * unknown. */
uint32_t device_calls_find_context(const struct device_calls *calls,
	struct profile *profile, const struct event *event);

/* Adds the time of a graph node's activity to the function that captured it. */
void device_calls_count_captured(const struct device_calls *calls,
	struct profile *profile, const struct event *event);

/* The node's function, or the edge to it, also occurs further up the path. */
#define REPEATS_FUNCTION 1U
#define REPEATS_EDGE 2U

/* How to sum the device time of a tree. */
struct device_calls_sum {
	/* If set, the tree contains device functions; otherwise self_ns of a
	 * node is the device time launched there. */
	bool has_leaves;
	bool as_time;           /* it becomes the functions' and edges' time,
				 * too */
	bool all_edge_times;    /* includes calls that are not primitive */
	const uint8_t *repeats; /* by node: REPEATS_… */
	uint32_t repeat_count;  /* later nodes do not repeat */
};

/*
 * Adds to the host functions the device time below them in the tree. With
 * `as_time` it is also added to the cumtime of functions and edges, which have
 * only counts then. False if out of memory.
 */
bool device_calls_sum(
	struct profile *profile, const struct device_calls_sum *how);

#endif
