/* SPDX-License-Identifier: MIT */
/*
 * Turns a stream of events into a profile, by cProfile's rules.
 *
 * Threads: one. If trace->request.jobs allows it, runs of events are counted by
 * others; the result is the same.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdbool.h>

#include "profile/function_match.h"
#include "trace/event.h"

/* Device activities in a host profile. */
enum replay_device {
	/* Separate functions with the device time, called by what launched
	 * them; host times do not include them. */
	REPLAY_SEPARATE,
	REPLAY_HOST,   /* ignored */
	REPLAY_DEVICE, /* not functions: host functions have the device time
		        * that they launched instead of their own time */
};

struct replay_options {
	enum replay_device device;
	bool tree; /* build profile->nodes as well */
	/* Edges are not counted. Not with REPLAY_DEVICE, which needs them. */
	bool no_edges;
	/* If set, an edge has the time of all its calls, and as many primitive
	 * calls as the callee, as in torch's dynamo profiler. Otherwise calls
	 * within a call along the same edge are excluded, as in cProfile. */
	bool all_edge_times;
	/* Matching host functions count for the first of them, see
	 * function_match.h; the others are in the profile without costs. */
	bool joined;
	enum match_key match;
	/* Losses are counted here, by kind; NULL: in the trace, like those of
	 * its reader. */
	uint64_t *losses;
};

struct replay;

/* `trace` is borrowed until replay_free(). NULL if out of memory. */
struct replay *replay_new(struct trace *trace, struct replay_options options);
void replay_free(struct replay *replay);

/*
 * Adds an event. Ends without a begin and times that go back are counted as
 * losses, not errors. O(1) at any depth.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status replay_add(struct replay *replay, const struct event *event,
	struct ctp_error *err);

/* The same for the events of a run. */
enum ctp_status replay_add_run(struct replay *replay,
	const struct event_run *run, struct ctp_error *err);

/* Whether a call is open on the track. */
bool replay_is_open(const struct replay *replay, uint32_t track);

/* An allocation, a free (negative), or a failed allocation. */
struct replay_memory {
	uint32_t track;
	bool failed;
	int64_t bytes;
	struct profile_owner owner;
};

/* Adds memory, or floating-point operations, to the innermost open call of the
 * track, which must exist. A snapshot does not include the memory of open
 * calls. False if out of memory. */
bool replay_memory(struct replay *replay, const struct replay_memory *memory);
bool replay_flops(struct replay *replay, uint32_t track, uint64_t flops);

/* Begins another recording with its own tracks and times; all calls must have
 * ended. */
void replay_restart(struct replay *replay);

/*
 * Returns the profile so far, with open calls closed at the last known time;
 * the replay continues unaffected. Free with profile_free().
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status replay_snapshot(
	struct replay *replay, struct profile **out, struct ctp_error *err);

/*
 * Closes and counts the calls still open at the end of the recording, and hands
 * the profile over; free it with profile_free().
 */
enum ctp_status replay_finish(
	struct replay *replay, struct profile **out, struct ctp_error *err);

#endif
