/* SPDX-License-Identifier: MIT */
/* What replay.c and replay_device.c share. */
#ifndef REPLAY_PRIVATE_H
#define REPLAY_PRIVATE_H

#include "trace/correlation.h"
#include "profile/replay.h"
#include "profile/replay_nodes.h"
#include "profile/function_match.h"

#define REPLAY_HINTS 1024

/* The argument that ties a range to the nodes of a graph that it captured. */
#define REPLAY_CAPTURE "captured graph node"

/* In an entry of `function_of_site`: calls of a device's API. */
#define REPLAY_API (UINT32_C(1) << 31)

struct frame {
	int64_t start_ns;
	uint64_t children_ns;
	uint32_t function;
	uint32_t edge; /* PROFILE_NONE: a root call, or they are not counted */
	uint32_t node; /* 0: not needed yet, which is so only without a tree */
	bool api;
	uint8_t repeats; /* PROFILE_REPEATS_… */
	uint32_t memory; /* with that of calls that ended: a list */
};

/* Of which functions, and along which edges, calls are open: a bit for each. */
struct open_set {
	struct open_set *next; /* in the list of unused sets */
	uint64_t *functions;
	uint32_t function_words;
	uint64_t *edges;
	uint32_t edge_words;
};

struct stack {
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
	int64_t last_ns;
	bool used;
	struct open_set *open; /* NULL while no call is */
};

/* Of which function a site's activities on a track are calls. */
struct device_hint {
	uint32_t site;
	uint32_t track;
	uint32_t function; /* PROFILE_NONE: they are no work */
	bool used;
};

struct replay {
	struct trace *trace;
	struct replay_options options;
	struct profile *profile;
	struct stack *stacks; /* by track */
	uint32_t stack_count;
	struct open_set *unused;
	uint32_t *function_of_site; /* + 1, and REPLAY_API; 0: not met yet */
	uint32_t site_room;
	struct function_match match; /* only of options.joined */
	struct replay_nodes nodes;
	uint8_t *repeats; /* by node, as in struct profile_device_sum */
	uint32_t repeat_room;
	uint32_t edge_hints[REPLAY_HINTS];
	bool has_memory; /* there was a record of it, and it counts */

	/* What devices did; all NULL until something is met. */
	struct correlation *launches; /* the context that each was made in */
	struct correlation *captures; /* the function, by the graph's node */
	uint32_t capture_key; /* strtab number of the argument that says it */
	struct device_hint *device_hints;
	uint32_t *device_files; /* by track: number in trace->text; 0: none */
	uint32_t device_file_room;
};

/* The edge; mostly one of the last met, which is found without a search.
 * PROFILE_NONE if out of memory. */
static inline uint32_t replay_edge(
	struct replay *replay, uint32_t caller, uint32_t callee)
{
	uint32_t *hint =
		&replay->edge_hints[(caller * 31 + callee) % REPLAY_HINTS];
	const struct profile *profile = replay->profile;

	if (*hint < profile->edge_count &&
		profile->edges[*hint].caller == caller &&
		profile->edges[*hint].callee == callee)
		return *hint;
	*hint = profile_add_edge(replay->profile, caller, callee);
	return *hint;
}

/* The node of a frame below its caller's, made if it is new; PROFILE_NONE if
 * out of memory. */
uint32_t replay_node(
	struct replay *replay, uint32_t parent, const struct frame *frame);

/* Each takes its kind of event. Errors: CTP_ERR_NOMEM. */
enum ctp_status replay_correlate(
	struct replay *replay, const struct event *event);
enum ctp_status replay_activity(
	struct replay *replay, const struct event *event);
enum ctp_status replay_args(struct replay *replay, const struct event *event);

/* A call ends: what it used is its caller's as well. */
void replay_pop_memory(struct replay *replay, const struct frame *frame,
	struct frame *caller, bool primitive);

/* Was all memory counted that there is? */
bool replay_memory_is_whole(const struct replay *replay);

/* Ends a profile, the replay's own or its copy: the host's functions get the
 * device's time, and a tree that nobody asked for goes. False if out of memory.
 */
bool replay_sum_device(struct replay *replay, struct profile *profile);

void replay_device_clear(struct replay *replay);

#endif
