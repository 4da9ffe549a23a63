/* SPDX-License-Identifier: MIT */
/* Turns a stream of events into a profile, by cProfile's rules. */
#ifndef REPLAY_H
#define REPLAY_H

#include <stdbool.h>

#include "profile/function_match.h"
#include "trace/event.h"

/* What a device did, in a profile of the host. */
enum replay_device {
	/* Functions of their own, with the device's time, called by what
	 * launched them; the host's times are as without them. */
	REPLAY_SEPARATE,
	REPLAY_HOST,   /* left out */
	REPLAY_DEVICE, /* likewise, and the host's functions have the time of
			* what they launched instead of their own */
};

struct replay_options {
	enum replay_device device;
	bool tree; /* build profile->nodes as well */
	/* Who called or launched what is not counted. Not with REPLAY_DEVICE,
	 * which needs it. */
	bool no_edges;
	/* An edge has the time of all its calls, and as many primitive calls
	 * as the callee, as in torch's dynamo profiler. Else both are of calls
	 * that are not within one along the same edge, as in cProfile. */
	bool all_edge_times;
	/* The host's functions that match are one, see function_match.h: the first that
	 * is met; the others are in the profile without costs. */
	bool joined;
	enum match_key match;
};

struct replay;

/* `trace` is borrowed until replay_free(). NULL if out of memory. */
struct replay *replay_new(struct trace *trace, struct replay_options options);
void replay_free(struct replay *replay);

/*
 * Takes one event. Ends without a begin and times that go back are counted in
 * trace->losses, not errors. O(1), whatever the depth.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status replay_add(struct replay *replay, const struct event *event,
	struct ctp_error *err);

/* Is a call open on the track? */
bool replay_is_open(const struct replay *replay, uint32_t track);

/* Memory that was taken, or with a negative number given back; or that there
 * was none to take. */
struct replay_memory {
	uint32_t track;
	bool failed;
	int64_t bytes;
	struct profile_owner owner;
};

/* Counts memory, or floating-point operations, for the innermost open call of
 * the track, where there must be one. A snapshot of the replay is without the
 * memory of what is open. False if out of memory. */
bool replay_memory(struct replay *replay, const struct replay_memory *memory);
void replay_flops(struct replay *replay, uint32_t track, uint64_t flops);

/* What comes is of another recording, whose tracks and times are its own; all
 * that was begun has ended. */
void replay_restart(struct replay *replay);

/*
 * The profile so far, with what is open closed at the end of what is known;
 * the replay goes on as if nothing had been. Free with profile_free().
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status replay_snapshot(
	struct replay *replay, struct profile **out, struct ctp_error *err);

/*
 * Closes what is still open at the end of the recording, counting it, and
 * hands the profile over; free it with profile_free().
 */
enum ctp_status replay_finish(
	struct replay *replay, struct profile **out, struct ctp_error *err);

#endif
