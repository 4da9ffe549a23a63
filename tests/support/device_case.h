/* SPDX-License-Identifier: MIT */
/* A replay with threads, streams and kernels, for tests of device activities:
 * fed event by event, then read by site. */
#ifndef DEVICE_CASE_H
#define DEVICE_CASE_H

#include "profile/replay.h"

/* Sites. The ones from LAUNCH on have a category, in order. */
enum { MAIN, F, G, LAUNCH, DRIVER, K, L, COPY, SET, SYNC, OVERHEAD, SITES };
enum { END = -1 };

/* Tracks: two threads and a stream of one process, the same of another, and the
 * driver's calls for a thread. */
enum { T0, T1, STREAM, OTHER, OTHER_STREAM, NAMELESS, CALLS, TRACKS };

/* The file of K and the other sites on STREAM. */
#define GPU "<gpu:1 Tester 9>"

/* State of a test; device_case_profile exists after device_case_finish(). */
extern struct trace *device_case_trace;
extern struct replay *device_case_replay;
extern struct profile *device_case_profile;

void device_case_set_up(void);
void device_case_tear_down(void);

/* Restarts with these options; the default is a tree and no more. */
void device_case_start(struct replay_options options);

/* Begins a range (a site) or ends one (END), ten nanoseconds after the last. */
void on(uint32_t track, int what);

/* Makes the innermost range of the track a call with this id. */
void correlate(uint32_t track, uint64_t id);

/* A call of the API that launches something: twenty nanoseconds. */
void launch(uint32_t track, uint64_t id);

/* A device activity of this duration, launched by that call. */
void did(uint32_t track, uint32_t site, uint64_t dur_ns, uint64_t id);

/* The innermost range captured this node of a graph; the node ran for this
 * long, launched by that call. */
void capture(uint32_t track, int64_t node);
void ran(int64_t node, uint64_t dur_ns, uint64_t id);

/* Ends the replay and sorts its profile. */
void device_case_finish(void);

/* Each aborts the test if the function is missing; a missing edge has no
 * costs. */
const struct profile_function *function(int site);
uint32_t find(int site);
struct profile_cost edge(int caller, int callee);

#define COST(n, p, tot, cum) ((struct profile_cost){n, p, tot, cum})

void check(struct profile_cost cost, struct profile_cost expected);
void check_device(int site, uint64_t self_ns, uint64_t total_ns);

/* main calls f, which launches k twice and copies; main launches k itself. */
void run_small(void);

/* main calls f, f calls g, which calls f: each but main launches k. */
void run_recursion(void);

#endif
