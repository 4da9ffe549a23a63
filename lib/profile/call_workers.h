/* SPDX-License-Identifier: MIT */
/*
 * Threads that count calls, batch by batch, each into sums of its own. Edges get
 * their numbers in the order of the batches, so the profile is the one that a
 * single thread makes.
 */
#ifndef CALL_WORKERS_H
#define CALL_WORKERS_H

#include "profile/calls.h"

struct call_workers;

/* NULL if none can be started. */
struct call_workers *call_workers_new(
	struct calls_options options, unsigned threads);
void call_workers_free(struct call_workers *workers);

/* Where accepted events go. */
struct call_room {
	uint32_t *begins; /* as in struct call_run */
	int64_t *times_ns;
};

#define CALL_WORKERS_ROOM 256u

/* Whether threads should count the next events of the track: the calls that they
 * have to open again first must be few beside the events. */
bool call_workers_are_useful(
	const struct call_workers *workers, const struct call_track *track);

/* Gives the batch to the threads if it has no room for these events of the
 * track, and applies the results that are there. False if out of memory. */
bool call_workers_give(struct call_workers *workers, uint32_t number,
	struct calls *calls, struct call_track *tracks);

/* After that: room for CALL_WORKERS_ROOM events of the track, before they are
 * accepted. False if out of memory. */
bool call_workers_room(struct call_workers *workers, uint32_t number,
	const struct call_track *track, struct call_room *room);

/* This number of events was accepted. */
void call_workers_added(struct call_workers *workers, uint32_t count);

/* Waits until all calls are counted and applied; false if out of memory. */
bool call_workers_finish(struct call_workers *workers, struct calls *calls,
	struct call_track *tracks);

/* After that: moves the sums of all threads to `calls`; false if out of memory.
 */
bool call_workers_collect(struct call_workers *workers, struct calls *calls);

#endif
