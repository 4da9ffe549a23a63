/* SPDX-License-Identifier: MIT */
/*
 * What devices did, for a profile of the host: the contexts that launched it,
 * the functions that stand for it, and the time that is below each function of
 * the host.
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
	/* All NULL until something is met. */
	struct correlation *launches; /* the context that each was made in */
	struct correlation *captures; /* the function, by the graph's node */
	struct device_hint *hints;
	uint32_t *files; /* by track: number in trace->text; 0: none */
	uint32_t file_room;
	uint32_t capture_key; /* strtab number of the argument that says it */
};

/* `trace` is borrowed until device_calls_clear(). False if out of memory. */
bool device_calls_init(struct device_calls *calls, struct trace *trace);
void device_calls_clear(struct device_calls *calls);

/* Adds a launch that was made in a context, a node of the profile's tree. False
 * if out of memory. */
bool device_calls_add_launch(struct device_calls *calls,
	const struct event *event, uint32_t context);

/* Do arguments tie their range to nodes of a graph that it captured? */
bool device_calls_is_capture(
	const struct device_calls *calls, const struct event *event);

/* Ties the function to those nodes. False if out of memory. */
bool device_calls_add_captures(struct device_calls *calls,
	const struct event *event, uint32_t function);

/* Finds or makes the function that an activity is a call of; PROFILE_NONE: it
 * is no work. Errors: CTP_ERR_NOMEM. */
enum ctp_status device_calls_find(struct device_calls *calls,
	struct profile *profile, const struct event *event, uint32_t *function);

/* The context that an activity was launched in; 0, counted as a loss, if that
 * is not known. */
uint32_t device_calls_find_context(const struct device_calls *calls,
	struct profile *profile, const struct event *event);

/* Work of a graph's node counts for the function that captured it, too. */
void device_calls_count_captured(const struct device_calls *calls,
	struct profile *profile, const struct event *event);

/* Of a node's function, and of the edge that leads there: it is on the path
 * above as well. */
#define REPEATS_FUNCTION 1U
#define REPEATS_EDGE 2U

/* How the device's time of a tree is summed. */
struct device_calls_sum {
	/* The tree has a device's functions; else self_ns of a node is the
	 * device's time of what was launched there. */
	bool has_leaves;
	bool as_time;           /* is the functions' and edges' time as well */
	bool all_edge_times;    /* of calls that are not primitive, too */
	const uint8_t *repeats; /* by node: REPEATS_… */
	uint32_t repeat_count;  /* of nodes after these nothing repeats */
};

/*
 * Gives the host's functions the device's time that is below them in the tree;
 * as time it is also the cumtime of functions and edges, which have counts
 * only. False if out of memory.
 */
bool device_calls_sum(
	struct profile *profile, const struct device_calls_sum *how);

#endif
